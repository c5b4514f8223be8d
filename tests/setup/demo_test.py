#!/usr/bin/env python3
"""examples/evolve/demo.sh: what it promises is what its programs then say, and it ends where one of them fails."""

import fcntl
import unittest

from stand_ins import ROOT, TreeTest

# petri verify's where scores that a program around petri gave are all that it cannot compare, and where something differs.
INCOMPLETE, DIFFERENT = 7, 6
VERIFICATION = ("Verification: every candidate is run again; values, fuel and receipts are compared, scores are not, as evolve gave them "
                "(incomplete)")


class Demo(TreeTest):
    def setUp(self):
        super().setUp()
        self.stand_in(evolve="echo solved", petri='[[ $1 != verify ]] && echo "a page" || { echo "a verdict"; exit "$VERDICT"; }')

    def demo(self, verdict):
        return self.run_tool(str(ROOT / "examples" / "evolve" / "demo.sh"), str(self.stand_ins), "out", VERDICT=str(verdict))

    def test_says_before_the_verdict_that_scores_are_not_compared(self):
        self.assertEqual(self.demo(INCOMPLETE), (0, f"""
Evolution: from random WebAssembly to the smallest network that sorts 8 inputs, each candidate in its own sandbox

  $ evolve sorting-network --inputs 8 --seed 1 --records out/records.jsonl

solved

{VERIFICATION}

  $ petri verify out/records.jsonl

a verdict

Report: one page that needs nothing else

  $ petri report out/records.jsonl -o out/report.html

a page

Open out/report.html in a browser. More to evolve: {self.stand_ins}/evolve --help. What petri does to hostile guests: make tour.
"""))

    def test_ends_where_a_record_differs(self):
        code, said = self.demo(DIFFERENT)
        self.assertEqual((code, said.splitlines()[-2:]), (DIFFERENT, ["a verdict", f"demo: petri ended with code {DIFFERENT}"]))

    def test_runs_once_at_a_time_in_a_folder(self):
        (self.tree / "out").mkdir()
        with open(self.tree / "out" / ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(self.demo(INCOMPLETE),
                             (4, "demo: another demo is writing to out; wait for it or stop it, then run this again\n"))
        self.assertEqual(self.calls(), "")
        self.assert_works(self.demo(INCOMPLETE))


if __name__ == "__main__":
    unittest.main()
