#!/usr/bin/env python3
"""Test data of a crate, where cargo keeps it now: the folder may move or go between two builds."""

import json
import os
import shutil
import sys
import unittest

from stand_ins import ROOT, TreeTest

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
include("{root}/cmake/petri_crate_data.cmake")
petri_crate_data(scripts ${{PROJECT_BINARY_DIR}}/scripts.txt some-crate data)
"""


class CrateData(TreeTest):
    """A project that asks a stand-in for cargo, which tells of the folder in the file `answer`."""

    def setUp(self):
        super().setUp()
        self.real("cmake")
        self.stand_in(cargo='cat "$STAND_INS/answer"')
        self.project = self.folder / "a project"
        self.project.mkdir()
        (self.project / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT), encoding="utf-8")
        self.file = self.project / "build" / "scripts.txt"

    def keep(self, name):
        """Cargo keeps the crate in the folder of this name from now on."""
        crate = self.folder / name / "some-crate-1.0"
        (crate / "data").mkdir(parents=True)
        packages = [{"name": "some-crate", "manifest_path": str(crate / "Cargo.toml")}]
        (self.stand_ins / "answer").write_text(json.dumps({"packages": packages}), encoding="utf-8")
        return crate

    def configure(self):
        return self.run_tool("cmake", "-G", "Ninja", "-S", str(self.project), "-B", str(self.file.parent),
                             "-D", f"Python3_EXECUTABLE={sys.executable}", "-D", f"CARGO_PROGRAM={self.stand_ins}/cargo")

    def build(self):
        return self.run_tool("cmake", "--build", str(self.file.parent), "--target", "scripts")

    def test_is_found_again_after_cargos_folder_has_gone(self):
        self.assert_works(self.configure())
        gone = self.keep("a cargo home of CI")
        self.assert_works(self.build())
        self.assertEqual(self.file.read_text(encoding="utf-8"), f"{gone}/data\n")
        shutil.rmtree(gone)
        stays = self.keep("cargo")
        self.assert_works(self.build())
        self.assertEqual(self.file.read_text(encoding="utf-8"), f"{stays}/data\n")

    def test_that_is_where_it_was_is_not_written_again(self):
        self.assert_works(self.configure())
        self.keep("cargo")
        self.assert_works(self.build())
        os.utime(self.file, (1, 1))
        self.assert_works(self.build())
        self.assertEqual(self.file.stat().st_mtime, 1)

    def test_that_is_missing_fails_the_build(self):
        self.assert_works(self.configure())
        crate = self.keep("cargo")
        shutil.rmtree(crate / "data")
        code, said = self.build()
        self.assertEqual(code, 1)
        self.assertIn(f"crate_folder: the crate some-crate has no data; it is looked for in {crate}\n", said)


if __name__ == "__main__":
    unittest.main()
