#!/usr/bin/env python3
"""A server in the place of a language model: answers with the files of a folder, on a free port of this machine.

stand_in.py FOLDER PROGRAM...: starts it, runs PROGRAM... with "{url}" replaced by its address, and ends with what the
program ends with. It checks each request, and its first answer is that it is overloaded.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

KEY = "stand-in-key"


class StandIn(http.server.BaseHTTPRequestHandler):
    answers = []
    prompts = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.fault(body)
        if fault:
            print(fault, file=sys.stderr)
            self.reply(400, {"error": {"message": fault}})
        elif not self.prompts:
            self.prompts.append("")
            self.reply(503, {"error": {"message": "overloaded"}})
        elif not self.answers:
            self.reply(200, {"choices": []})
        else:
            self.prompts.append(json.loads(body)["messages"][0]["content"])
            message = {"role": "assistant", "content": self.answers.pop(0)}
            self.reply(200, {"object": "chat.completion", "choices": [{"index": 0, "message": message}]})

    def fault(self, body):
        """What is wrong with a request, or nothing."""
        if self.path != "/v1/chat/completions":
            return f"the path is {self.path}"
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return "the key is missing"
        request = json.loads(body)
        if request.get("model") != "stand-in" or request["messages"][0]["role"] != "user":
            return f"the request is {request}"
        if len(self.prompts) > 1 and "Your last answer failed" not in request["messages"][0]["content"]:
            return "the prompt does not say what went wrong"
        return ""

    def reply(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    folder, *program = sys.argv[1:]
    StandIn.answers = [path.read_text() for path in sorted(pathlib.Path(folder).iterdir())]
    server = http.server.HTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    environment = {**os.environ, "OPENAI_API_KEY": KEY, "no_proxy": "127.0.0.1"}
    sys.exit(subprocess.run([word.replace("{url}", url) for word in program], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
