#!/usr/bin/env python3
"""Tests of snippets.py: it must see the blocks of a page, and fail when one is not true."""
import stat
import tempfile
import unittest
from pathlib import Path

import snippets

PAGE = """# Page
```wat add.wat
(module)
```
Some words, and what is only read:
```cpp
int ignored;
```
```cpp sum.cpp
int main() {}
```
```console
$ petri add.wat
(module)
```
"""


class Pages(unittest.TestCase):
    def test_are_taken_apart_into_blocks(self):
        blocks = snippets.blocks_of(PAGE)
        self.assertEqual([block[0] for block in blocks], ["wat", "cpp", "cpp", "console"])
        self.assertEqual(snippets.files_in(blocks), {"add.wat": "(module)\n", "sum.cpp": "int main() {}\n"})
        self.assertEqual(list(snippets.programs_in(blocks)), ["sum.cpp"])

    def test_show_files_of_the_tree_as_they_are(self):
        blocks = snippets.blocks_of("```wat examples/a.wat\n(module)\n```\n```wat examples/gone.wat\n(module)\n```\n")
        self.assertEqual(snippets.files_in(blocks), {})
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "examples").mkdir()
            (Path(name) / "examples/a.wat").write_text("(module)\n", encoding="utf-8")
            self.assertEqual(snippets.changed_in(blocks, Path(name)), ["examples/gone.wat"])
            (Path(name) / "examples/a.wat").write_text("(module )\n", encoding="utf-8")
            self.assertEqual(snippets.changed_in(blocks, Path(name)), ["examples/a.wat", "examples/gone.wat"])

    def play(self, page, script):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for program in ("petri", "docs_sum"):
                (folder / program).write_text("#!/bin/sh\n" + script, encoding="utf-8")
                (folder / program).chmod(stat.S_IRWXU)
            (folder / "page.md").write_text(page, encoding="utf-8")
            return bool(snippets.play(folder / "page.md", folder / "petri", folder))

    def test_pass_when_every_answer_is_as_shown(self):
        self.assertTrue(self.play(PAGE, 'cat "$1"'))

    def test_fail_when_an_answer_differs(self):
        self.assertFalse(self.play(PAGE, "echo other"))

    def test_do_not_depend_on_how_long_things_take(self):
        page = "```console\n$ petri\nok: 3 fuel, 0 B peak memory, 12 µs, compiled\n```\n"
        self.assertTrue(self.play(page, "echo 'ok: 3 fuel, 0 B peak memory, 1.5 ms, compiled'"))
        self.assertFalse(self.play(page, "echo 'ok: 4 fuel, 0 B peak memory, 12 µs, compiled'"))

    def test_do_not_depend_on_how_fast_candidates_are_evaluated(self):
        page = "```console\n$ petri\n12 candidates in 1.2 ms, 10,000 a second\n```\n"
        self.assertTrue(self.play(page, "echo '12 candidates in 3 s, 4 a second'"))
        self.assertFalse(self.play(page, "echo '11 candidates in 1.2 ms, 10,000 a second'"))

    def test_fail_when_they_show_no_command(self):
        self.assertFalse(self.play("# nothing\n", ""))


if __name__ == "__main__":
    unittest.main()
