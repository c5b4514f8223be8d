#!/usr/bin/env python3
"""Types at `petri shell` as a person does, at a terminal of its own: editing, completion, history, Ctrl-C, events that come by
themselves. Waits for what is shown, never for time."""
import argparse
import os
import pty
import re
import select
import shutil
import signal
import stat
import sys
import tempfile
import unittest
from pathlib import Path

ANSWER_SECONDS_MAX = 60
PROMPT = "petri> "
CONTROL_C, CONTROL_D, UP, TAB = "\x03", "\x04", "\x1b[A", "\t"
options = argparse.Namespace()


def without_escapes(text):
    """What is shown, without what moves the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", text).replace("\r", "")


class Session:
    """One `petri shell`, or another command that reads lines, at a terminal."""

    def __init__(self, folder, state, arguments=(), command="shell"):
        self.shown = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = dict(os.environ, TERM="xterm", XDG_STATE_HOME=str(state), LC_ALL="C")
            os.execve(options.petri, ["petri", command, *arguments], environment)
        self.expect(PROMPT)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def read_some(self):
        ready, _, _ = select.select([self.terminal], [], [], ANSWER_SECONDS_MAX)
        if not ready:
            raise AssertionError(f"nothing more is shown after {self.shown!r}")
        try:
            return os.read(self.terminal, 65536).decode(errors="replace")
        except OSError:  # the shell has ended
            return ""

    def expect(self, pattern):
        """Reads until this is shown, and forgets what was shown up to its end."""
        while True:
            text = without_escapes(self.shown)
            found = re.search(pattern, text)
            if found:
                self.shown = text[found.end():]
                return found
            piece = self.read_some()
            if not piece:
                raise AssertionError(f"the shell ended before {pattern!r} was shown: {text!r}")
            self.shown += piece

    def command(self, line, answer):
        self.type(line + "\n")
        found = self.expect(answer)
        self.expect(PROMPT)
        return found

    def end(self, keys=CONTROL_D):
        """The exit code, once it has ended."""
        if keys:
            self.type(keys)
        while self.read_some():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)


class ShellAtATerminal(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="petri-shell-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "work"
        self.state = Path(scratch.name) / "state"
        shutil.copytree(options.guests, self.folder)

    def session(self, *arguments, state=None):
        return Session(self.folder, state or self.state, arguments)

    def test_completes_words_with_the_tab_key(self):
        shell = self.session()
        shell.type("cre" + TAB + " adder add.w" + TAB + "\n")
        shell.expect("created adder: running, 1 process\n")
        shell.expect(PROMPT)
        shell.type("call a" + TAB + "a" + TAB + "40 2\n")
        shell.expect(r"\n42\n")
        shell.expect(PROMPT)
        shell.type("destroy " + TAB)
        shell.expect("adder")
        self.assertEqual(shell.end("\n" + CONTROL_D), 0)

    def test_lists_what_could_be_meant(self):
        shell = self.session()
        shell.type("ca" + TAB + TAB)
        shell.expect("call  call_all  cancel")
        shell.expect(PROMPT + "ca")
        self.assertEqual(shell.end(CONTROL_C + CONTROL_D), 0)

    def test_keeps_history_between_sessions_readable_by_its_owner_alone(self):
        shell = self.session()
        shell.command("create adder add.wat", "created adder")
        shell.command("call adder add 20 3", r"\n23\n")
        shell.type(UP + "\n")
        shell.expect(r"\n23\n")
        self.assertEqual(shell.end(), 0)
        history = self.state / "petri" / "history"
        self.assertEqual(stat.S_IMODE(history.stat().st_mode), 0o600)
        again = self.session()
        again.type(UP + UP + "\n")
        again.expect("created adder")
        self.assertEqual(again.end(), 0)

    def test_does_not_mind_that_history_cannot_be_kept(self):
        shell = self.session(state="/dev/null")
        shell.command("list", "no sandboxes")
        self.assertEqual(shell.end("quit\n"), 0)

    def test_forgets_the_line_at_control_c(self):
        shell = self.session()
        shell.type("destroy everything")
        shell.expect("destroy everything")
        shell.type(CONTROL_C)
        shell.expect(r"\^C\n")
        shell.expect(PROMPT)
        shell.command("list", "no sandboxes")
        self.assertEqual(shell.end(), 0)

    def test_cancels_the_call_at_control_c_and_goes_on(self):
        shell = self.session()
        shell.command("create spinner spin.wat", "created spinner")
        shell.type("call spinner spin\n")
        shell.expect("call spinner spin\n")
        shell.type(CONTROL_C)
        shell.expect("cancelled")  # perhaps before it started
        shell.expect(PROMPT)
        shell.command("info spinner", "spinner: running")
        self.assertEqual(shell.end(), 0)

    def test_shows_news_while_nobody_types_and_keeps_the_line(self):
        shell = self.session()
        shell.command("create spinner spin.wat --limit fuel=100000000", "created spinner")
        shell.command("call spinner spin --background", "call 1 is under way")
        shell.type("list")
        shell.expect("call 1 out_of_fuel: the guest used all of its fuel")
        shell.expect(PROMPT + "list")
        shell.type("\n")
        shell.expect("spinner  running")
        self.assertEqual(shell.end(), 0)

    def test_says_errors_and_goes_on(self):
        shell = self.session()
        shell.command("crate x", "error: there is no verb \"crate\"; did you mean create\\?")
        shell.command("send a 'b", "error: column 8: the quote ' is not closed")
        shell.command("call nobody f", "error: there is no sandbox nobody")
        self.assertEqual(shell.end(), 0)

    def test_answers_in_json_too(self):
        shell = self.session("--json")
        shell.command("list", r'\{"verb":"list","sandboxes":\[\],"total":0\}')
        self.assertEqual(shell.end(), 0)

    def test_ends_when_it_is_told_to(self):
        shell = self.session()
        os.kill(shell.pid, signal.SIGTERM)
        self.assertEqual(shell.end(keys=""), 130)

    def test_ends_when_the_terminal_goes_away(self):
        shell = self.session()
        os.close(shell.terminal)
        _, status = os.waitpid(shell.pid, 0)
        self.assertIn(os.waitstatus_to_exitcode(status), (0, 5, -signal.SIGHUP))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True)
    parser.add_argument("--guests", required=True)
    options, rest = parser.parse_known_args()
    options.petri = str(Path(options.petri).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
