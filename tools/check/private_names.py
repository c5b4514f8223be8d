#!/usr/bin/env python3
"""Refuses what libraries keep to themselves: a `detail` namespace may change with any of their versions."""

import re
import sys

import tree

PRIVATE = re.compile(r"\b(fmt|nlohmann|spdlog|CLI|testing)::(v\d+::)?(detail|internal|impl)::")


def is_looked_at(name):
    """All C++ of ours."""
    return name.suffix in (".cpp", ".h")


def private_in(text):
    """The lines on which a text uses such a name, counted from 1."""
    return [text.count("\n", 0, match.start()) + 1 for match in PRIVATE.finditer(text)]


def main():
    files = [name for name in tree.files() if is_looked_at(name)]
    complaints = [f"{name}:{line}: this name is private to its library; use one that the library documents"
                  for name in files for line in private_in(tree.text(name))]
    return tree.report("private names", complaints, f"none is used in {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
