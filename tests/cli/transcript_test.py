#!/usr/bin/env python3
"""Tests of transcript.py itself: a runner that finds every transcript good would be worse than none."""
import stat
import tempfile
import unittest
from pathlib import Path

import transcript

TEXT = """# about
$ petri one
answer

# next
$ petri two
> more
5 ms
[exit 3]
"""


def fake_petri(folder, script):
    petri = Path(folder) / "petri"
    petri.write_text("#!/bin/sh\n" + script, encoding="utf-8")
    petri.chmod(petri.stat().st_mode | stat.S_IXUSR)
    return petri


def failures_of(text, script):
    with tempfile.TemporaryDirectory() as folder:
        steps, _ = transcript.read_steps(text)
        return transcript.play(steps, "test", fake_petri(folder, script), None)[1]


class ReadingTranscripts(unittest.TestCase):
    def test_takes_commands_answers_and_asides_apart(self):
        steps, after = transcript.read_steps(TEXT)
        self.assertEqual([step.command for step in steps], [["petri one"], ["petri two", "more"]])
        self.assertEqual([step.answer for step in steps], [["answer"], ["5 ms", "[exit 3]"]])
        self.assertEqual(steps[1].before, ["", "# next"])
        self.assertEqual(after, [])

    def test_writes_back_what_it_read(self):
        steps, after = transcript.read_steps(TEXT)
        self.assertEqual(transcript.rewritten(steps, [step.answer for step in steps], after), TEXT)


class Comparing(unittest.TestCase):
    def test_placeholders_stand_for_what_varies_and_nothing_else(self):
        self.assertTrue(transcript.matches(["took <TIME>, <SIZE>"], ["took 4.2 µs, 64 KiB"]))
        self.assertFalse(transcript.matches(["took <TIME>"], ["took long"]))
        self.assertFalse(transcript.matches(["a.b"], ["axb"]))
        self.assertFalse(transcript.matches(["a"], ["a", "b"]))

    def test_an_update_keeps_placeholders_that_fit(self):
        self.assertEqual(transcript.keep_placeholders(["in <TIME>"], ["in 3 ms"]), ["in <TIME>"])
        self.assertEqual(transcript.keep_placeholders(["in <TIME>"], ["a", "in 3 ms"]), ["a", "in <TIME>"])


class Playing(unittest.TestCase):
    def test_a_right_answer_passes(self):
        self.assertEqual(failures_of("$ petri x\nhello x\n", 'echo "hello $1"'), 0)

    def test_a_wrong_answer_fails(self):
        self.assertEqual(failures_of("$ petri x\nhello y\n", 'echo "hello $1"'), 1)

    def test_a_wrong_exit_code_fails(self):
        self.assertEqual(failures_of("$ petri\n", "exit 3"), 1)
        self.assertEqual(failures_of("$ petri\n[exit 3]\n", "exit 3"), 0)

    def test_stderr_is_seen_with_stdout(self):
        self.assertEqual(failures_of("$ petri\na\nb\n", "echo a; echo b >&2"), 0)


if __name__ == "__main__":
    unittest.main()
