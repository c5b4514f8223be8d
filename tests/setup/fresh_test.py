#!/usr/bin/env python3
"""tools/fresh, with a stand-in for the container: what it says is missing, and the table it prints."""

import fcntl
import re
import unittest

from stand_ins import TreeTest

# What the commands in the container say, as far as the table shows it.
INSIDE = """case "$*" in
  *"make demo"*) echo "build: done in 225 s, 406 s of processor time" ;;
  *"make test"*) printf '%s\\n' "build: done in 400 s, 700 s of processor time" "100% tests passed, 0 tests failed out of 9" \\
    "Total Test time (real) =  24.50 sec" ;;
esac
[[ $* != *"${FAILS:-no such command}"* ]]"""
MMDEBSTRAP = """cat >/dev/null; mkdir -p "$STAND_INS/root/etc/apt/apt.conf.d"; tar --create --file "${@: -2:1}" --directory "$STAND_INS/root" ."""


class Fresh(TreeTest):
    """What tools/fresh says before it does anything."""

    def setUp(self):
        super().setUp()
        self.stand_in("df", "id", "rustc", mmdebstrap="exit 1", unshare="true", git="true")

    def fresh(self, *words, **variables):
        return self.run_tool("tools/fresh", *words, **variables)

    def test_says_what_is_missing(self):
        self.assert_stops(self.fresh(FAKE_USER="1000"),
                          "fresh: making a root file system and a container needs root; run this as root")
        self.assert_stops(self.fresh(FREE="100"), f"fresh: the disk is too full: this needs 9000 MB and {self.tree} has 100 MB left; "
                                                  "free some space, then run this again")
        self.assert_stops(self.fresh(STAGES="all"), 'fresh: there is no stage "all"; STAGES takes demo and test')
        self.assert_stops(self.fresh("demo"), 'fresh: there is no argument "demo"; tools/fresh --help tells what can be set')
        self.assert_stops(self.fresh(RUST="1.63.0"), "fresh: the container borrows this machine's Rust, which must be 1.93 or later; "
                                                     "install it with tools/setup test")

    def test_refuses_to_run_no_stage(self):
        self.assert_stops(self.fresh(STAGES=" "), "fresh: STAGES names no stage; it takes demo and test")

    def test_needs_a_clone_before_it_downloads_anything(self):
        for reason, sentence in {"fatal: not a git repository (or any of the parent directories): .git":
                                     "not a git repository (or any of the parent directories): .git",
                                 f"fatal: detected dubious ownership in repository at '{self.tree}'\nTo add an exception, call":
                                     f"detected dubious ownership in repository at '{self.tree}'"}.items():
            self.stand_in(git=f'echo "{reason}" >&2; exit 128')
            self.assertEqual(self.fresh(), (1, f"fresh: the container gets a clone of {self.tree}, which git cannot read: {sentence}; run this "
                                               "in a clone of your own\n"))
        self.assertNotIn("mmdebstrap", self.calls())
        self.stand_in(git="true", mmdebstrap=MMDEBSTRAP, unshare=INSIDE)
        self.assert_works(self.fresh())

    def test_runs_once_at_a_time(self):
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare=INSIDE)
        lock = self.tree / "build" / "fresh" / ".lock"
        lock.parent.mkdir(parents=True)
        with open(lock, "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            print(4711, file=held, flush=True)
            running = f"is running in {self.tree} (process 4711); wait for it or stop it, then run this again\n"
            self.assertEqual(self.fresh(), (1, f"fresh: another make fresh {running}"))
            self.assertEqual(self.run_tool("tools/clean"), (1, f"clean: make fresh {running}"))
        self.assert_works(self.fresh())
        self.assert_works(self.run_tool("tools/clean"))
        self.assertFalse((self.tree / "build").exists())

    def test_that_is_stopped_leaves_nothing_running(self):
        self.real("sleep")
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare='[[ $* != *"make demo"* ]] || { kill -TERM "$(cat build/fresh/.lock)"; sleep 600; }')
        code, said = self.fresh(STAGES="demo")
        self.assertEqual((code, said.splitlines()[-1]), (143, "fresh: make demo, from nothing to the drawn network"))
        self.stand_in(unshare=INSIDE)
        self.assert_works(self.fresh(STAGES="demo"))  # the lock is free

    def test_on_a_disk_without_any_space_does_not_blame_the_tree(self):
        self.stand_in(mkdir='echo "mkdir: cannot create directory: No space left on device" >&2; exit 1')
        self.assert_stops(self.fresh(), f"fresh: the disk is full: nothing can be written to {self.tree}; free some space, then run this "
                                        "again")

    def test_needs_mmdebstrap_and_a_container(self):
        (self.stand_ins / "mmdebstrap").unlink()
        self.assert_stops(self.fresh(), "fresh: mmdebstrap is missing; install it with tools/setup dev")
        self.stand_in(mmdebstrap="true", unshare="exit 1")
        self.assert_stops(self.fresh(), "fresh: this system does not let unshare make a container; run this on a machine or a virtual "
                                        "machine of its own")

    def test_without_network_says_to_look_at_it(self):
        advice = "check the network, its proxy and the mirrors in /etc/apt, then run this again"
        self.stand_in(mmdebstrap='cat >/dev/null; echo half >"${@: -2:1}"; exit 25', unshare=INSIDE)
        self.assert_stops(self.fresh(), f"fresh: root file system of bookworm failed; {advice}; all it said is in "
                                        "build/fresh/bookworm/root.log")
        self.assertEqual([file.name for file in (self.tree / "build/fresh/bookworm").glob("*.tar")], [])
        self.stand_in(mmdebstrap=MMDEBSTRAP)
        self.assert_stops(self.fresh(FAILS="cargo fetch"), f"fresh: crates, downloaded failed; {advice}; all it said is in "
                                                           "build/fresh/bookworm/demo/crates.log")
        self.assertIn("make test, in a clone", self.assert_works(self.fresh()))

    def test_prints_a_row_for_each_stage(self):
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare=INSIDE)
        said = self.assert_works(self.fresh())
        table = said[said.index("\n| "):].strip().splitlines()
        self.assertEqual([re.split(r"\s*\|\s*", line)[1] for line in table[2:]],
                         ["root file system of bookworm", "packages for make demo, downloaded", "crates, downloaded",
                          "make demo, from nothing to the drawn network", "of it the build", "second make demo, nothing changed",
                          "packages for make test, downloaded", "crates, downloaded",
                          "make test, in a clone without make demo before it", "of it the build", "of it the suite (ctest)"])
        self.assertRegex(said, r"of it the build +\| +3:45.0 \| +6:46.0 \|")
        self.assertRegex(said, r"of it the suite \(ctest\) +\| +0:24.5 \| +\| 100% tests passed")
        self.assertFalse((self.tree / "build/fresh/bookworm/machine").exists())

    def test_measures_with_decimal_points_whatever_the_locale(self):
        """A Debian without the package locales has no locale with a comma, so that this looks at the setting alone."""
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare=f'[[ $LC_ALL == C ]] || exit 1\n{INSIDE}')
        self.assert_works(self.fresh(STAGES="demo", LC_ALL="de_DE.UTF-8"))

    def test_runs_the_stages_and_the_suite_that_are_asked_for(self):
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare=INSIDE)
        self.assertNotIn("make test", self.assert_works(self.fresh(SUITE="trixie", STAGES="demo")))
        self.assertIn(" trixie build/fresh/trixie/root.part.tar -\n", self.calls())

    def test_shows_what_failed(self):
        self.stand_in(mmdebstrap=MMDEBSTRAP, unshare=INSIDE)
        self.assert_stops(self.fresh(FAILS="make test"), "fresh: make test, in a clone without make demo before it failed; all it said is in "
                                                         "build/fresh/bookworm/test/test.log")


if __name__ == "__main__":
    unittest.main()
