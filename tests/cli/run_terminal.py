#!/usr/bin/env python3
"""Runs petri where its output is a terminal: whatever a guest writes, and however it is cut apart, no byte arrives that a terminal
would obey. Into a pipe the same bytes pass unchanged."""
import argparse
import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

options = argparse.Namespace()
os.environ["NO_COLOR"] = "1"  # colours are control characters that are meant
RAW = b"\xc2\x9b2J\xc2\x9b31mPWNED \xe2\x80\xae\x9b\x1b[0m\xe2\x80\x8b\x0d\xff end\x0a"
SHOWN = r"\x9b2J\x9b31mPWNED \u{202e}\x9b\x1b[0m\u{200b}\r\xff end"


def at_a_terminal(*arguments):
    """Everything that arrives at the terminal; its own line ends are taken back."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(options.petri, ["petri", *arguments])
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # it has ended
            break
        if not piece:
            break
        shown += piece
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown.replace(b"\r\n", b"\n")


class RunAtATerminal(unittest.TestCase):
    guest = ""

    def shown(self, *arguments):
        """As text: what is not UTF-8 fails here."""
        shown = at_a_terminal(*arguments).decode("utf-8")
        for character in shown:
            code = ord(character)
            harmful = (code < 0x20 and character not in "\n\t") or 0x7F <= code < 0xA0
            harmful = harmful or code in (0x61C, 0x200B, 0x200E, 0x200F, 0xFEFF) or 0x202A <= code <= 0x202E
            self.assertFalse(harmful, f"U+{code:04X} arrives in {shown!r}")
        return shown

    def run_guest(self, function, *more):
        return self.shown("run", self.guest, "--call", function, *more)

    def test_escapes_what_a_guest_prints(self):
        for function in ("stdout", "stderr", "output"):
            for tier in ("interpreted", "compiled"):
                self.assertIn(SHOWN + "\n", self.run_guest(function, "--tier", tier), function)

    def test_escapes_what_a_guest_logs(self):
        self.assertIn(r"log info: \x9b2J\x9b31mPWNED \u{202e}", self.run_guest("log"))

    def test_shows_what_is_left_of_a_character(self):
        self.assertIn(r"\xc2", self.run_guest("half"))

    def test_escapes_names_in_backtraces_and_reports(self):
        self.assertIn(r"trap\x9b\u{202e}", self.run_guest("trap\u009b\u202e"))
        self.assertIn(r"trap\x9b\u{202e}", self.shown("inspect", self.guest))
        self.shown("inspect", self.guest, "--json")
        self.shown("scan", self.guest)
        self.assertIn(r"\x9b", self.run_guest("no\u009b\u202e"))
        self.assertIn(r"\x9b", self.shown("run", "no\u009b\u202e.wat"))

    def test_escapes_what_the_shell_shows(self):
        script = Path(os.environ.get("TMPDIR", "/tmp")) / f"petri-terminal-{os.getpid()}.txt"
        self.addCleanup(script.unlink)
        script.write_text(f"create a {self.guest}\ncall a stdout\ncall a stderr\ncall a output\ncall a log\n"
                          "call a no\u009b\u202e\ncreate \u009b x.wat\n", encoding="utf-8")
        self.shown("shell", str(script), "--echo")
        self.shown("shell", str(script), "--json")

    def test_passes_bytes_to_a_pipe_as_they_are(self):
        for function in ("stdout", "output"):
            command = [options.petri, "run", self.guest, "--call", function, "--quiet"]
            self.assertEqual(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, RAW)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True)
    parser.add_argument("--guests", required=True)
    options, rest = parser.parse_known_args()
    options.petri = str(Path(options.petri).resolve())
    RunAtATerminal.guest = str(Path(options.guests).resolve() / "terminal.wat")
    unittest.main(argv=[sys.argv[0], *rest])
