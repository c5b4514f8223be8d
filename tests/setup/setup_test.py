#!/usr/bin/env python3
"""tools/setup on systems where something is missing: one sentence, and a second try after mending works."""

import unittest

from stand_ins import TreeTest

RETRY = "check the network and the mirrors in /etc/apt, then run this again"
DEMO = ("g++ cmake ninja-build make pkgconf mold libfmt-dev nlohmann-json3-dev libcli11-dev libedit-dev libsqlite3-dev ca-certificates")


class Setup(TreeTest):
    def setUp(self):
        super().setUp()
        self.stand_in("apt-get", "apt-cache", "dpkg-query", "df", "id", "rustc", "cargo")

    def setup(self, *words, **variables):
        return self.run_tool("tools/setup", *words, **variables)

    def assert_works_now(self, level="demo", **variables):
        self.assertIn("setup: done: ", self.assert_works(self.setup(level, **variables)))

    def test_asks_for_a_level(self):
        self.assert_stops(self.setup(),
                          "setup: name what you want to do: demo, test or dev; tools/setup --help tells what each installs")
        self.assert_stops(self.setup("all"), 'setup: there is no level "all"; choose demo, test or dev')
        self.assertIn("tools/setup demo", self.assert_works(self.setup("--help")))

    def test_refuses_two_levels(self):
        self.assert_stops(self.setup("demo", "test"), "setup: there are two levels, demo and test; name one, dev includes test and test "
                                                      "includes demo")
        self.assertEqual(self.calls(), "")

    def test_says_what_it_installs_and_does_nothing_the_second_time(self):
        said = self.assert_works(self.setup("demo"))
        self.assertIn("setup: installing ca-certificates cmake g++ ", said)
        self.assertIn("setup: 91 MB to download, 370 MB on disk\n", said)
        before = self.calls()
        self.assertEqual(self.setup("demo"), (0, "setup: nothing to do: 12 packages and Rust 1.95.0 are there\n"))
        self.assertNotIn("apt-get", self.calls().removeprefix(before))

    def test_installs_by_need(self):
        for level, wanted in {"demo": "libedit-dev", "test": "chromium", "dev": "gcovr"}.items():
            (self.stand_ins / "installed").unlink(missing_ok=True)
            said = self.assert_works(self.setup(level))
            self.assertIn(f" {wanted} ", said)
            self.assertEqual("chromium" in said, level != "demo")
            self.assertEqual("clang-tidy-22" in said, level == "dev")

    def test_takes_the_newest_clang_that_builds_guests(self):
        self.stand_in(apt_cache="case $1 in pkgnames) printf 'libclang-rt-%s-dev-wasm32\\n' 14 17 19 ;; esac",
                      find="echo a_list_Packages")
        said = self.assert_works(self.setup("test"))
        self.assertIn(" clang-19 ", said)
        self.assertNotIn("clang-format", said.split("\n")[0])

    def test_without_apt_lists_what_to_install_by_hand(self):
        (self.stand_ins / "apt-get").unlink()
        self.assert_stops(self.setup("demo"), "setup: there is no apt-get; install by hand what these packages of Debian have, "
                                              f"and Rust 1.93 or later with cargo, then run make with SETUP=off: {DEMO}")
        self.assertEqual(self.setup("demo", SETUP="off"), (0, ""))

    def test_without_apt_lists_all_that_the_tests_need(self):
        self.stand_in(apt_cache="true", find="echo a_list_Packages")
        (self.stand_ins / "apt-get").unlink()
        code, said = self.setup("test")
        self.assertEqual(code, 1)
        self.assertIn("and Rust 1.93 or later with cargo, clippy and rustfmt, then run make with SETUP=off: ", said)
        for package in ("clang-22", "clang-format-22", "erlang-base", "chromium", "zsh"):
            self.assertIn(package, said.split())

    def test_without_network_says_so(self):
        reason = "E: Failed to fetch http://deb.debian.org/mold.deb  Temporary failure resolving 'deb.debian.org'"
        code, said = self.setup("demo", APT_FAILS=f"{reason}\n{reason.replace('mold', 'cmake')}")
        self.assertEqual((code, said.splitlines()[-2:]), (1, [reason, f"setup: the packages cannot be downloaded; {RETRY}"]))
        self.assert_works_now()

    def test_does_not_blame_the_network_for_what_is_wrong_here(self):
        self.stand_in(find="echo a_list_Packages")  # of today
        for said, sentence in {
                "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 13 (unattended-upgr)\nE: Unable to acquire the "
                "dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?":
                    "another program is installing packages: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 13 "
                    "(unattended-upgr); wait until it has ended, then run this again",
                "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. ":
                    "an earlier installation of packages was interrupted; run this as root: dpkg --configure -a, then run this again",
                "E: You don't have enough free space in /var/cache/apt/archives/.":
                    "the disk is too full: You don't have enough free space in /var/cache/apt/archives/; free some space, then run this "
                    "again"}.items():
            for when in ("APT_FAILS", "DPKG_FAILS"):
                (self.stand_ins / "calls").unlink(missing_ok=True)
                self.assert_stops(self.setup("demo", **{when: said}), f"setup: {sentence}")
                self.assertNotIn("apt-get --quiet=2 update", self.calls())
        self.assert_works_now()

    def test_shows_why_dpkg_failed(self):
        code, said = self.setup("demo", DPKG_FAILS="dpkg: error processing package mold\nE: Sub-process /usr/bin/dpkg returned an error code (1)")
        self.assertEqual((code, said.splitlines()[-3:]), (1, [
            "dpkg: error processing package mold", "E: Sub-process /usr/bin/dpkg returned an error code (1)",
            "setup: apt-get could not install the packages; mend what it says above, then run this again"]))
        self.assert_works_now()

    def test_says_that_packages_conflict(self):
        plan = "The following packages have unmet dependencies:\nE: Unable to correct problems, you have held broken packages."
        packages = " ".join(sorted(DEMO.split()))
        self.assert_stops(self.setup("demo", APT_PLAN=plan),
                          "setup: apt cannot install the packages: Unable to correct problems, you have held broken packages; run this to see "
                          f"why, mend it, then run this again: apt-get install --simulate --no-install-recommends {packages}")
        self.assert_works_now()

    def test_names_packages_that_apt_does_not_know(self):
        plan = "E: Unable to locate package mold\nE: Package 'libfmt-dev' has no installation candidate"
        self.assert_stops(self.setup("demo", APT_PLAN=plan),
                          f"setup: apt does not know mold libfmt-dev; {RETRY}, or use Debian 12 or 13")
        self.assert_works_now()

    def test_without_root_or_sudo_says_what_to_run(self):
        packages = " ".join(sorted(DEMO.split()))
        by_hand = f"run this as root: apt-get install --no-install-recommends {packages}"
        self.assert_stops(self.setup("demo", FAKE_USER="1000"),
                          f"setup: installing packages needs root, and there is no sudo; {by_hand}")
        self.stand_in(sudo="exit 1")
        self.assert_stops(self.setup("demo", FAKE_USER="1000"),
                          f"setup: installing packages needs root, and sudo refuses; {by_hand}")
        self.stand_in(sudo='while [[ $1 == --* ]]; do shift; done; "$@"')
        self.assert_works_now(FAKE_USER="1000")

    def test_on_a_full_disk_says_how_much_is_needed(self):
        self.assert_stops(self.setup("demo", FREE="200"), "setup: the disk is too full: the packages need 511 MB and /usr has 200 MB "
                                                          "left; free some space, then run this again")
        self.assert_works_now()

    def test_on_an_old_rust_says_which_is_needed(self):
        sentence = ("setup: petri needs Rust 1.93 or later with cargo and found 1.63.0; install it from https://rustup.rs, "
                    "then run this again")
        for tools in ({"rustup": "exit 1"}, {"rustup": "true"}):
            self.stand_in(**tools)
            self.assert_stops(self.setup("demo", RUST="1.63.0"), sentence)
        (self.stand_ins / "rustup").unlink()
        self.stand_in(curl="exit 6")
        self.assert_stops(self.setup("demo", RUST="1.63.0"), sentence)
        self.assertIn("setup: nothing to do", self.assert_works(self.setup("demo")))

    def test_on_an_old_rust_asks_rustup(self):
        self.stand_in(rustc='[[ -e $STAND_INS/new ]] && echo "rustc 1.95.0" || echo "rustc 1.63.0"', rustup='touch "$STAND_INS/new"')
        self.assert_works_now()
        self.assertIn("rustup toolchain install stable --profile minimal\n", self.calls())

    def test_tests_need_clippy_and_rustfmt(self):
        self.stand_in(cargo='[[ $1 != clippy || -e $STAND_INS/new ]]', rustup='touch "$STAND_INS/new"')
        self.assert_works_now("test")
        self.assertIn("--component clippy --component rustfmt\n", self.calls())


if __name__ == "__main__":
    unittest.main()
