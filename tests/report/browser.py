"""A headless Chromium, driven over WebDriver with nothing but the standard library."""
import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

SECONDS_MAX = 60
# Nothing but the page: no update, no first-run tour, no sandbox of its own, which root cannot have.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]


class Browser:
    """One window. Use it with `with`."""

    def __enter__(self):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            raise SystemExit("chromium or chromedriver is missing; tools/setup test installs them")
        self._profile = tempfile.TemporaryDirectory(prefix="petri-chromium-", ignore_cleanup_errors=True)
        self._driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            self._address = f"http://127.0.0.1:{self._port()}"
            options = {"binary": chromium, "args": ARGUMENTS + [f"--user-data-dir={self._profile.name}"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            answer = self._ask("/session", {"capabilities": {"alwaysMatch": wanted}})
            self._address += "/session/" + answer["sessionId"]
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._ask("", method="DELETE")
        finally:
            self._end()

    def _end(self):
        self._driver.terminate()
        self._driver.wait(SECONDS_MAX)
        self._driver.stdout.close()
        self._profile.cleanup()

    def _port(self):
        said = []
        for line in self._driver.stdout:
            said.append(line)
            if found := re.search(r"started successfully on port (\d+)", line):
                return int(found.group(1))
        raise RuntimeError("chromedriver did not start: " + "".join(said))

    def _ask(self, path, body=None, method="POST"):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=SECONDS_MAX) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def _devtools(self, command, **parameters):
        return self._ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self._ask("/url", {"url": address})

    def size(self, width, height):
        """Of the page's window, to the pixel, which a real window would not always grant."""
        self._devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        """light or dark."""
        self._devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, allowed):
        self._devtools("Emulation.setScriptExecutionDisabled", value=not allowed)

    def evaluate(self, script):
        """What a function with this body returns in the page."""
        return self._ask("/execute/sync", {"script": script, "args": []})

    def console(self):
        """Messages since the last time: errors, and what the page's policy refused."""
        return [entry["message"] for entry in self._ask("/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that were fetched since the last time."""
        events = [json.loads(entry["message"])["message"] for entry in self._ask("/se/log", {"type": "performance"})]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path, height=None):
        """Of the window, or of the page down to `height`."""
        parameters = {}
        if height:
            width = self.evaluate("return innerWidth")
            parameters = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        path.write_bytes(base64.b64decode(self._devtools("Page.captureScreenshot", **parameters)["data"]))
