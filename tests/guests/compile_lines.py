#!/usr/bin/env python3
"""The lines that petri.h and petri_cpp.h say compile a guest do so, and the guest runs."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

options = None  # set by main()
GUESTS = {"guest.c": '#include "petri.h"\nPETRI_EXPORT("f") int f(int a) { petri_output_text("C"); return a + 1; }\n',
          "guest.cpp": '#include "petri_cpp.h"\n'
                       'PETRI_EXPORT("f") int f(int a) { petri::output(std::string("C++")); return a + 1; }\n'}
HEADERS = ["guest/c/petri.h", "guest/c/petri_cpp.h"]


def lines_of(path):
    text = Path(options.source, path).read_text(encoding="utf-8")
    return re.findall(r"^ ?(?:\*|//)\s+(clang.* -o \S+)$", text, re.MULTILINE)


class CompileLines(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.symlink(Path(options.source, "guest"), f"{self.folder}/guest")
        for name, text in GUESTS.items():
            Path(self.folder, name).write_text(text, encoding="utf-8")

    def run_guest(self, source):
        done = subprocess.run([options.petri, "run", source, "--call", "f", "--args", "41", "--quiet"], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": f"{self.folder}/cache"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_compile_guests_that_run(self):
        count = 0
        for header in HEADERS:
            for line in lines_of(header):
                words = shlex.split(line)
                words[0] = {"clang": options.clang, "clang++": options.clangxx}[words[0]]
                words = [re.sub(r"^--target=wasm32-wasi$", f"--target={options.platform}", word) for word in words]
                subprocess.run([*words, "-Wno-deprecated", "-Wall", "-Wextra", "-Werror"], cwd=self.folder, check=True)
                self.assertIn("42", self.run_guest(words[words.index("-o") + 1]))
                count += 1
        self.assertEqual(count, 3)

    def test_are_not_needed_by_petri(self):
        os.remove(f"{self.folder}/guest")
        for source in GUESTS:
            self.assertIn("42", self.run_guest(source))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("petri", "source", "platform", "clang", "clangxx"):
        parser.add_argument(f"--{name}", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=["compile_lines"] + rest)
