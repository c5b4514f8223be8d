#!/usr/bin/env python3
""".ci/run gives `make test` nothing that the machine keeps from other builds, except Rust and which registry it uses."""

import pathlib
import shutil
import unittest

from stand_ins import ROOT, TreeTest

# Prints what it finds in the folders it was given.
MAKE = """echo "$*"; command -v cargo; echo "$RUSTUP_HOME"
for folder in "$HOME" "$CARGO_HOME" "$CCACHE_DIR"; do echo "$folder:" $(ls -A "$folder"); done
exit "${MAKE_FAILS:-0}\""""


class Ci(TreeTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / ".ci", self.tree / ".ci")
        self.stand_in(make=MAKE)
        self.cargo = self.folder / ".cargo"
        (self.cargo / "bin").mkdir(parents=True)
        (self.cargo / "bin" / "cargo").symlink_to(self.programs / "true")
        (self.cargo / "config.toml").write_text("[net]\n", encoding="utf-8")
        (self.cargo / "registry").mkdir()

    def test_gives_empty_folders_that_go_away_again(self):
        said = self.assert_works(self.run_tool(".ci/run")).splitlines()
        self.assertEqual(said[:3], ["test", str(self.cargo / "bin" / "cargo"), str(self.folder / ".rustup")])
        folders = dict(line.split(":") for line in said[3:])
        self.assertEqual(list(folders.values()), ["", " config.toml", ""])
        self.assertEqual([folder for folder in folders if pathlib.Path(folder).exists()], [])

    def test_keeps_where_rust_is(self):
        self.assertIn("elsewhere", self.assert_works(self.run_tool(".ci/run", RUSTUP_HOME="elsewhere")).splitlines())

    def test_finds_cargo_in_its_own_folder(self):
        elsewhere = self.folder / "elsewhere"
        self.cargo.rename(elsewhere)
        said = self.assert_works(self.run_tool(".ci/run", CARGO_HOME=str(elsewhere))).splitlines()
        self.assertEqual(said[1], str(elsewhere / "bin" / "cargo"))
        self.assertTrue(said[4].endswith(": config.toml"), said)

    def test_without_cargo_says_so(self):
        (self.cargo / "bin" / "cargo").unlink()
        self.assertEqual(self.run_tool(".ci/run"),
                         (1, f"ci: there is no cargo on the PATH or in {self.cargo}/bin; install Rust 1.93 or later with tools/setup test or "
                             "from https://rustup.rs, then run this again\n"))
        (self.cargo / "bin" / "cargo").symlink_to(self.programs / "true")
        self.assert_works(self.run_tool(".ci/run"))

    def test_needs_a_folder_for_temporary_files(self):
        missing = self.folder / "missing"
        self.assertEqual(self.run_tool(".ci/run", TMPDIR=str(missing)),
                         (1, f"ci: no temporary file can be made in {missing}; make that a folder that can be written, or set TMPDIR to another\n"))
        missing.mkdir()
        self.assert_works(self.run_tool(".ci/run", TMPDIR=str(missing)))
        self.assertEqual(list(missing.iterdir()), [])

    def test_fails_when_the_tests_do(self):
        self.assertEqual(self.run_tool(".ci/run", MAKE_FAILS="2")[0], 2)


if __name__ == "__main__":
    unittest.main()
