#!/usr/bin/env python3
"""A guest in each language: made by petri new, compiled, run, and replaced by an edited one that keeps its state.

C01 C02: a language whose compiler is not on this machine is left out with a sentence that says so. asc comes from PATH or
PETRI_ASC, else npm installs it into --work for this test.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

options = None  # set by main()
ASSEMBLYSCRIPT = "assemblyscript@0.28"


def find_asc():
    """The compiler asc, or the sentence that says why there is none."""
    if found := os.environ.get("PETRI_ASC") or shutil.which("asc"):
        return found, None
    if shutil.which("node") is None or shutil.which("npm") is None:
        return None, "node and npm are not on this machine; install nodejs and npm to test AssemblyScript"
    asc = Path(options.work, "node_modules/.bin/asc")
    if not asc.exists():
        os.makedirs(options.work, exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-save", "--prefix", options.work, ASSEMBLYSCRIPT], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            return None, "npm cannot install assemblyscript: " + (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
    return str(asc), None


class Languages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petri_languages_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "XDG_CACHE_HOME": f"{self.folder}/cache",
                            "PATH": f"{Path(options.petri).parent}:{os.environ['PATH']}"}

    def run_in(self, folder, *words):
        return subprocess.run(words, cwd=Path(self.folder, folder), env=self.environment, capture_output=True, text=True,
                              check=False)

    def check_language(self, language, source):
        made = self.run_in(".", options.petri, "new", "counter", "--language", language)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(made.stdout.split(), ["counter/petri.json", f"counter/{source}", "counter/test.sh"])
        tested = self.run_in("counter", "./test.sh")
        self.assertEqual((tested.returncode, tested.stdout), (0, "test.sh: all is well\n"), tested.stderr)
        self.assertNotIn("warning", tested.stderr)
        self.check_test_fails_after_a_wrong_edit(source)

    def check_test_fails_after_a_wrong_edit(self, source):
        path = Path(self.folder, "counter", source)
        text = path.read_text(encoding="utf-8")
        wrong = text.replace("i32.add (local.get $a)", "i32.sub (local.get $a)").replace("a + b", "a - b")
        self.assertNotEqual(wrong, text)
        path.write_text(wrong, encoding="utf-8")
        tested = self.run_in("counter", "./test.sh")
        self.assertEqual(tested.returncode, 1)
        self.assertIn('add 2 3 gave "-1" instead of "5"', tested.stderr)

    def test_wat(self):
        self.check_language("wat", "counter.wat")

    def test_c(self):
        self.check_language("c", "counter.c")

    def test_cpp(self):
        self.check_language("cpp", "counter.cpp")

    def test_rust(self):
        probe = Path(self.folder, "probe.rs")
        probe.write_text('#[no_mangle] pub extern "C" fn f() -> i32 { 1 }\n', encoding="utf-8")
        done = self.run_in(".", options.petri, "compile", str(probe), "--json")
        error = json.loads(done.stdout).get("error")
        if error is not None and error.get("details", {}).get("package") == "rustc":
            self.skipTest(error["message"])
        self.check_language("rust", "counter.rs")

    def test_assemblyscript(self):
        asc, why = find_asc()
        if asc is None:
            self.skipTest(why)
        self.environment["PETRI_ASC"] = asc
        self.check_language("assemblyscript", "counter.ts")
        self.check_diagnostics_of_assemblyscript()

    def check_diagnostics_of_assemblyscript(self):
        Path(self.folder, "bad.ts").write_text("export function f(a: i32): i32 {\n  return a + c;\n}\n", encoding="utf-8")
        bad = self.run_in(".", options.petri, "compile", "bad.ts", "--format=lines")
        self.assertEqual((bad.returncode, bad.stdout), (4, "bad.ts:2:14: error: Cannot find name 'c'.\n"))


class NewFolders(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petri_new_")
        self.addCleanup(shutil.rmtree, self.folder)

    def refusal(self, *words):
        done = subprocess.run([options.petri, "new", *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        return done.stderr

    def test_are_not_made_where_something_is(self):
        os.mkdir(f"{self.folder}/there")
        self.assertEqual(self.refusal("there"), "error: there: there is something of this name already; choose another\n")
        self.assertEqual(os.listdir(f"{self.folder}/there"), [])

    def test_have_a_name_that_a_module_can_have(self):
        for name in ("a b", "a'b", ".", "..", "/", "a\nb", "a/-b", "x" * 65):
            self.assertIn("is no name of a module; use up to 64 letters, digits, _ and -", self.refusal(name))
        self.assertEqual(os.listdir(self.folder), [])

    def test_need_a_language_with_a_template(self):
        self.assertEqual(self.refusal("a", "--language", "cobol"),
                         'error: there is no language "cobol"; the languages are c, cpp, wat, assemblyscript, rust\n')

    def test_are_not_made_in_a_folder_that_is_not_there(self):
        self.assertEqual(self.refusal("none/a"), "error: none/a: the folder cannot be made: No such file or directory\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("petri", "work"):
        parser.add_argument(f"--{name}", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
