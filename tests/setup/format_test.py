#!/usr/bin/env python3
"""tools/check/format where something is missing: never a success that looked at nothing."""

import unittest

from stand_ins import TreeTest


class Format(TreeTest):
    def setUp(self):
        super().setUp()
        self.stand_in("apt-cache", "cargo", rustfmt="true", **{"clang-format-22": "true"})
        self.real("python3", "sha256sum")
        (self.tree / ".clang-format").write_text("BasedOnStyle: Google\n", encoding="utf-8")
        (self.tree / "src").mkdir()
        (self.tree / "src" / "one.cpp").write_text("int one;\n", encoding="utf-8")

    def format(self, **variables):
        return self.run_tool("tools/check/format", **variables)

    def test_looks_at_the_files_where_git_does_not_list_them(self):
        for missing in ("exit 128", "exit 127"):  # a repository of another user; no git
            self.stand_in(git=missing)
            self.assertEqual(self.format(), (0, "format: 1 C++ files and the crate are in shape\n"))

    def test_of_no_files_is_no_success(self):
        (self.tree / "src" / "one.cpp").unlink()
        self.assert_stops(self.format(), f"format: there are no C++ files in {self.tree}; run this in the whole tree")

    def test_needs_no_home(self):
        self.assert_works(self.run_tool("tools/check/format", before=["env", "--unset=HOME"]))

    def test_without_its_clang_format_is_no_success(self):
        (self.stand_ins / "clang-format-22").unlink()
        self.assert_stops(self.format(), "format: clang-format-22 is missing; install it with tools/setup test")
        self.stand_in(apt_cache="true")
        self.assertEqual(self.format(), (77, "format: not checked: clang-format-22 cannot be had on this system, and other versions "
                                             "format differently\n"))


if __name__ == "__main__":
    unittest.main()
