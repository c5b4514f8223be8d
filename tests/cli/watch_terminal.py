#!/usr/bin/env python3
"""Edits sources while `petri watch` runs them, at a terminal of its own. Waits for what is shown, never for time."""
import argparse
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import shell_terminal  # noqa: E402
from shell_terminal import PROMPT, Session  # noqa: E402

COUNTER = """(module
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const %d))) (global.get $count)))
"""
BROKEN = "(module\n  (func (export \"next\") (result i32) (i32.cons 1)))\n"


class WatchAtATerminal(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="petri-watch-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "work"
        (self.folder / "src").mkdir(parents=True)
        self.state = Path(scratch.name) / "state"

    def save(self, name, text):
        (self.folder / "src" / name).write_text(text, encoding="utf-8")

    def session(self, *arguments):
        return Session(self.folder, self.state, ("src", "--debounce", "5ms", *arguments), "watch")

    # C22, C24
    def test_shows_reloads_and_diagnostics_while_functions_are_called(self):
        self.save("counter.wat", COUNTER % 1)
        watch = self.session()
        watch.command("next", r"\n1\n")
        watch.command("add 40 2", r"\n42\n")
        self.save("counter.wat", COUNTER % 10)
        watch.expect(r"counter: version 1 to 2, state: described\n +count: keep\n")
        watch.expect(r"reloaded counter in .*, of it .* to compile\n")
        watch.command("next", r"\n11\n")
        self.save("counter.wat", BROKEN)
        watch.expect(r"src/counter.wat:2:39: error: ")
        watch.expect(r"2 \|   \(func .*\n +\| +\^")
        watch.expect(r"not reloaded: .*; what ran continues\n")
        watch.command("next", r"\n21\n")
        watch.command("versions watched", "version")
        self.assertEqual(watch.end("quit\n"), 0)

    def test_waits_for_the_first_edit_that_compiles(self):
        self.save("counter.wat", BROKEN)
        watch = self.session()
        self.save("counter.wat", COUNTER % 7)
        watch.expect(r"reloaded counter in ")
        watch.command("next", r"\n7\n")
        self.assertEqual(watch.end(), 0)

    def test_calls_functions_of_several_modules_by_their_names(self):
        self.save("left.wat", COUNTER % 1)
        self.save("right.wat", COUNTER % 100)
        watch = self.session()
        watch.command("left next", r"\n1\n")
        watch.command("right next", r"\n100\n")
        self.assertEqual(watch.end(), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True)
    known, rest = parser.parse_known_args()
    known.petri = str(Path(known.petri).resolve())
    shell_terminal.options = known
    unittest.main(argv=[sys.argv[0], *rest])
