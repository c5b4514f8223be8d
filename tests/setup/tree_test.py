#!/usr/bin/env python3
"""The tools that write into build: in a tree that cannot be written to, while another build runs, and as make calls them."""

import fcntl
import os
import shutil
import unittest

from stand_ins import ROOT, TreeTest, drop_root

# Writes the two files that tools/coverage asks for: of each module with a bar 95 lines of 100 are reached, or so many as REACHED says.
GCOVR = r"""while (($# > 0)); do
  case $1 in
    --json-summary)
      for module in sandbox process supervisor state evaluation security; do
        files+="${files:+, }{\"filename\": \"src/$module/a.cpp\", \"line_total\": 100, \"line_covered\": ${REACHED:-95}}"
      done
      echo "{\"files\": [$files, {\"filename\": \"include/petri/a.h\", \"line_total\": 4, \"line_covered\": 1}]}" >"$2" ;;
    --json)
      count() { echo "{\"line_number\": $1, \"count\": $2}"; }
      lines="$(count 3 0), $(count 4 0), $(count 5 7), $(count 9 0)"
      echo "{\"files\": [{\"file\": \"src/state/a.cpp\", \"lines\": [$lines]}, {\"file\": \"src/cli/a.cpp\", \"lines\": [$lines]}]}" >"$2" ;;
  esac
  shift
done"""
COVERAGE = """src/state/a.cpp: 3-4, 9
module             lines  reached  percent
evaluation           100       {0}     {0}.0  at least 95
include                4        1     25.0
process              100       {0}     {0}.0  at least 95
sandbox              100       {0}     {0}.0  at least 95
security             100       {0}     {0}.0  at least 95
state                100       {0}     {0}.0  at least 95
supervisor           100       {0}     {0}.0  at least 95
"""


class Tree(TreeTest):
    def setUp(self):
        super().setUp()
        self.stand_ins.chmod(0o777)
        self.stand_in("df", "rustc", "cargo", "c++", "cmake", "apt-cache", "id", gcovr=GCOVR, rustfmt="true", ctest="true",
                      **{"clang-format-22": "true", "clippy-driver": "true", "clang++-22": "true", "clang-tidy-22": "echo version 22"})
        self.real("sha256sum")
        # The system's, which every user can run.
        (self.stand_ins / "python3").symlink_to(shutil.which("python3", path=f"/usr/bin:{os.environ['PATH']}"))
        (self.tree / "a.cpp").touch()
        (self.stand_ins / "calls").touch()
        (self.stand_ins / "calls").chmod(0o666)

    def lock_tree(self):
        """Nothing of the tree can be written by who is not root."""
        for folder in [self.tree, *self.tree.glob("build")]:
            folder.chmod(0o555)
        self.addCleanup(self.unlock_tree)

    def unlock_tree(self):
        for folder in [self.tree, *self.tree.glob("build")]:
            folder.chmod(0o777)

    def assert_one_sentence(self, name, command, sentence):
        self.assertEqual(self.run_tool(command, before=drop_root()), (1, f"{name}: {sentence}\n"))

    def cannot_be_written(self):
        return (f"{self.tree} cannot be written to, and everything is built in its folder build; make it writable or clone petri to a "
                "folder of your own")

    def test_that_cannot_be_written_to_gets_one_sentence_from_each(self):
        self.lock_tree()
        for name, command in {"check": "tools/check/all", "format": "tools/check/format", "clippy": "tools/check/clippy",
                              "build": "tools/tidy"}.items():
            self.assert_one_sentence(name, command, self.cannot_be_written())
        self.assert_one_sentence("build", "tools/coverage", self.cannot_be_written())
        self.unlock_tree()
        self.assert_works(self.run_tool("tools/check/clippy", before=drop_root()))

    def test_that_cannot_be_written_to_is_not_cleaned(self):
        self.lock_tree()
        self.assertEqual(self.run_tool("tools/clean", before=drop_root()), (0, ""))  # nothing was built
        self.unlock_tree()
        (self.tree / "build").mkdir()
        self.lock_tree()
        self.assert_one_sentence("clean", "tools/clean", self.cannot_be_written())
        self.unlock_tree()
        self.assertEqual(self.run_tool("tools/clean", before=drop_root()), (0, ""))
        self.assertFalse((self.tree / "build").exists())

    def test_is_written_to_by_one_at_a_time(self):
        (self.tree / "build").mkdir()
        with open(self.tree / "build" / ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            print(4711, file=lock, flush=True)
            running = f"another build is running in {self.tree} (process 4711); wait for it or stop it, then run this again"
            for command in ("tools/coverage", "tools/tidy"):
                self.assert_stops(self.run_tool(command), f"build: {running}")
            self.assert_stops(self.run_tool("tools/clean"), f"clean: {running}")

    def test_whose_disk_is_full_is_not_checked(self):
        for check in (self.tree / "tools" / "check").glob("*.py"):
            check.write_text("#!/usr/bin/env python3\n", encoding="utf-8")
        (self.tree / "tools" / "check" / "format").write_text("#!/bin/sh\n", encoding="utf-8")
        self.stand_in(cargo='echo "error: No space left on device (os error 28)"; exit 101')
        self.assertEqual(self.run_tool("tools/check/all", FREE="3"),
                         (1, "error: No space left on device (os error 28)\n"
                             "check: failed: clippy; the disk is full: build has 3 MB left; free some space, then run this again\n"))
        self.assertEqual(self.run_tool("tools/check/all"), (1, "error: No space left on device (os error 28)\ncheck: failed: clippy\n"))
        self.stand_in("cargo")
        self.assert_works(self.run_tool("tools/check/all", FREE="3"))

    def test_is_built_by_the_presets_of_tidy_and_coverage(self):
        self.assert_works(self.run_tool("tools/coverage"))
        self.assertIn("cmake --build --preset coverage --target all\n", self.calls())
        (self.tree / "build" / "tidy").mkdir()
        (self.tree / "build" / "tidy" / "compile_commands.json").write_text("[]", encoding="utf-8")
        (self.tree / ".clang-tidy").touch()
        self.assert_works(self.run_tool("tools/tidy"))
        self.assertIn("cmake --build --preset tidy --target build.ninja\n", self.calls())

    def test_whose_tests_reach_too_little_of_a_module_is_told_so(self):
        well = self.assert_works(self.run_tool("tools/coverage"))
        self.assertIn(COVERAGE.format(95) + "coverage: see build/coverage/report/index.html (C++ only; the Rust crate has its own tests)\n", well)
        code, said = self.run_tool("tools/coverage", REACHED="94")
        self.assertEqual(code, 1)
        self.assertIn(COVERAGE.format(94), said)
        self.assertIn("coverage: below 95 % of lines: sandbox, process, supervisor, state, evaluation, security\n", said)

    def test_is_installed_by_root_where_there_is_no_sudo(self):
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        for sudo, advice in ((False, "run make install as root"), (True, "run sudo make install")):
            if sudo:
                self.stand_in(sudo="exit 1")
            said = self.run_tool("tools/install", f"{locked}/usr", before=drop_root(), FAKE_USER="ann", TMPDIR="/tmp")
            self.assertEqual(said, (1, f"install: {locked} cannot be written by ann; {advice}, or choose a PREFIX of your own, for example "
                                       f"PREFIX={self.folder}/.local\n"))

    def test_is_not_installed_for_a_user_of_sudo_where_there_is_none(self):
        said = self.run_tool("tools/install", f"{self.folder}/usr", SUDO_USER="ann")
        self.assertEqual(said, (1, "install: SUDO_USER is ann, but there is no sudo, which builds as ann; install sudo, or unset SUDO_USER to "
                                   "build as root\n"))
        self.assertFalse((self.folder / "usr").exists())

    def make_install(self, *words):
        shutil.copy(ROOT / "Makefile", self.tree)
        return self.run_tool("make", "install", "SETUP=off", *words)

    def test_is_installed_where_the_prefix_says_whatever_is_in_it(self):
        for name in ("PREFIX", "DESTDIR"):
            code, said = self.make_install("PREFIX=/usr", f"""{name}=a "b" 'c' $$d `e`""")
            self.assertEqual((code, said.splitlines()[0]), (2, f"""install: {name} is "a "b" 'c' $d `e`", which is a relative path; write the """
                                                               f"""whole path, for example {name}="{self.tree}/a "b" 'c' $d `e`\""""))

    def test_is_not_installed_in_a_folder_named_tilde(self):
        code, said = self.make_install("PREFIX=~/.local")
        self.assertEqual((code, said.splitlines()[0]), (2, 'install: PREFIX is "~/.local", where the shell has not replaced the ~; write the whole '
                                                           'path, for example PREFIX="$HOME/.local"'))

    def test_is_installed_by_a_make_with_jobs(self):
        (self.tree / "build" / "release").mkdir(parents=True)
        (self.tree / "build" / "release" / "cmake_install.cmake").touch()
        said = self.assert_works(self.make_install("-j8", f"PREFIX={self.folder}/usr"))
        self.assertEqual(said, f"install: petri is in {self.folder}/usr: bin/petri, lib/libpetri.a, include/petri; share/doc/petri has the "
                               "documentation\n")

    def test_is_found_where_the_path_of_cd_leads_elsewhere(self):
        """CDPATH is for people who type, but some export it."""
        (self.folder / "elsewhere" / "tools" / "check").mkdir(parents=True)
        elsewhere = {"CDPATH": str(self.folder / "elsewhere")}
        self.stand_in("apt-get", "dpkg-query")
        (self.tree / ".clang-format").touch()
        for words in (("tools/setup", "demo"), ("tools/build", "release", "evolve"), ("tools/coverage",), ("tools/check/clippy",),
                      ("tools/check/format",), ("tools/clean",)):
            self.assertNotIn("elsewhere", self.assert_works(self.run_tool(*words, **elsewhere)), words)
        self.assertEqual([str(path) for path in (self.folder / "elsewhere").rglob("*")],
                         [f"{self.folder}/elsewhere/tools", f"{self.folder}/elsewhere/tools/check"])

    def test_needs_a_folder_for_temporary_files(self):
        missing = f"{self.folder}/missing"
        sentence = f"no temporary file can be made in {missing}; make that a folder that can be written, or set TMPDIR to another\n"
        for name, words in {"build": ("tools/build", "release", "evolve"), "install": ("tools/install", f"{self.folder}/usr")}.items():
            self.assertEqual(self.run_tool(*words, TMPDIR=missing), (1, f"{name}: {sentence}"))
        self.assertFalse((self.folder / "usr").exists())
        os.mkdir(missing)
        self.assert_works(self.run_tool("tools/build", "release", "evolve", TMPDIR=missing))

    def test_needs_a_disk_for_temporary_files_that_is_not_full(self):
        self.stand_in(mktemp='echo "mktemp: failed to create file: No space left on device" >&2; exit 1')
        self.assertEqual(self.run_tool("tools/build", "release", "evolve"),
                         (1, "build: the disk is full: nothing can be written to /tmp; free some space, then run this again\n"))


if __name__ == "__main__":
    unittest.main()
