#!/usr/bin/env python3
"""Refuses sleeps in tests: a test waits for events or drives a manual clock."""

import re
import sys

import tree

SLEEPS = {
    (".cpp", ".h", ".cc", ".c"): re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b|\bsleep\s*\("),
    (".rs",): re.compile(r"\b(thread::sleep|sleep_ms|sleep_until)\b|\bsleep\s*\("),
    (".py",): re.compile(r"\bsleep\s*\("),
    (".sh", ".txt", ""): re.compile(r"^\s*(\$ )?sleep\s+[0-9.$]", re.MULTILINE),
}


def is_test(name):
    """Whether a file takes part in a test. Rust keeps tests beside the code, so all of the crate counts."""
    if str(name) == "tools/check/check_test.py" or "guests" in name.parts:  # sleeps are the subject there
        return False
    if name.parts[0] == "engine":
        return name.suffix == ".rs"
    return name.parts[0] in ("tests", "testing") or name.stem.endswith("_test")


def sleeps_in(name, text):
    """The lines on which a text sleeps, counted from 1."""
    for suffixes, pattern in SLEEPS.items():
        if name.suffix in suffixes:
            return [text.count("\n", 0, match.start()) + 1 for match in pattern.finditer(text)]
    return []


def main():
    tests = [name for name in tree.files() if is_test(name)]
    complaints = [f"{name}:{line}: a test sleeps; wait for an event or use a ManualClock"
                  for name in tests for line in sleeps_in(name, tree.text(name))]
    return tree.report("sleeps", complaints, f"none in {len(tests)} test files")


if __name__ == "__main__":
    sys.exit(main())
