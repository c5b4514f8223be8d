#!/usr/bin/env python3
"""tools/check/format where something is missing: never a success that looked at nothing."""

import sys
import unittest

from stand_ins import TreeTest


class Format(TreeTest):
    def setUp(self):
        super().setUp()
        self.stand_in("apt-cache", "cargo", rustfmt="true", **{"clang-format-22": "true"})
        self.real("sha256sum")
        (self.stand_ins / "python3").symlink_to(sys.executable)
        (self.tree / ".clang-format").write_text("BasedOnStyle: Google\n", encoding="utf-8")
        (self.tree / "src").mkdir()
        (self.tree / "src" / "one.cpp").write_text("int one;\n", encoding="utf-8")

    def format(self, **variables):
        return self.run_tool("tools/check/format", **variables)

    def test_looks_at_the_files_where_git_does_not_list_them(self):
        well = (0, "format: 1 C++ files and the crate are in shape\n")
        self.stand_in(git="exit 128")  # a repository of another user
        self.assertEqual(self.format(), well)
        self.assertEqual(self.format(PATH=self.path_without("git")), well)

    def test_of_no_files_is_no_success(self):
        (self.tree / "src" / "one.cpp").unlink()
        self.assert_stops(self.format(), f"format: there are no C++ files in {self.tree}; run this in the whole tree")

    def test_needs_no_home(self):
        self.assert_works(self.run_tool("tools/check/format", before=["env", "--unset=HOME"]))

    def test_on_a_full_disk_says_so(self):
        self.stand_in(**{"clang-format-22": '[[ $1 != --dry-run ]] || cp -d "$STAND_INS/full" build/format.clean'})
        (self.stand_ins / "full").symlink_to("/dev/full")
        full = f"format: the disk is full: nothing can be written to {self.tree}; free some space, then run this again\n"
        self.assertEqual(self.format(), (1, full))
        (self.tree / "build" / "format.clean").unlink()
        self.stand_in(**{"clang-format-22": "true"})
        self.assert_works(self.format())

    def without_clang_format(self):
        (self.stand_ins / "clang-format-22").unlink()

    def test_without_its_clang_format_is_no_success(self):
        self.without_clang_format()
        missing = "format: clang-format-22 is missing; install it with tools/setup test, or by hand where there is no apt"
        self.assert_stops(self.format(), missing)
        self.stand_in("apt-get", find="echo a_list_Packages")
        self.assert_stops(self.format(SETUP="off"), missing)

    def test_leaves_cpp_out_only_where_apt_does_not_offer_its_clang_format(self):
        self.without_clang_format()
        self.stand_in("apt-get", find="echo a_list_Packages", apt_cache="true")
        self.assertEqual(self.format(), (77, "format: C++ is not checked: apt does not offer clang-format-22, and other versions format "
                                             "differently; https://apt.llvm.org has it\n"))
        (self.stand_ins / "apt-get").unlink()
        self.assertEqual(self.format()[0], 1)

    def test_of_rust_is_checked_all_the_same(self):
        self.without_clang_format()
        self.stand_in("apt-get", find="echo a_list_Packages", apt_cache="true", cargo="exit 1")
        self.assert_stops(self.format(), "format: the crate is not formatted; run cargo fmt in engine")


if __name__ == "__main__":
    unittest.main()
