#!/usr/bin/env python3
"""Refuses paths that exist on one machine only."""

import re
import sys

import tree

# Home and work folders of people and build machines. System paths (/dev, /proc, /usr, /tmp) are the same everywhere.
MACHINE = re.compile(r"(?<![\w./}-])/(home|Users|root|work|build|mnt|workspace|opt/[a-z]+)/[\w.-]+|\b[A-Z]:\\\\?Users\b")
# Files whose subject such paths are.
ABOUT_PATHS = {"tools/check/paths.py", "tools/check/check_test.py"}


def paths_in(text):
    """(line, path) of every machine path in a text."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(0)) for match in MACHINE.finditer(text)]


def main():
    names = [name for name in tree.files() if str(name) not in ABOUT_PATHS]
    complaints = [f"{name}:{line}: {path} is a path of one machine" for name in names for line, path in paths_in(tree.text(name))]
    return tree.report("paths", complaints, f"no machine's own in {len(names)} files")


if __name__ == "__main__":
    sys.exit(main())
