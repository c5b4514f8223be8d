#!/usr/bin/env python3
"""Prints the lines of Rust against the lines of C++, and fails unless the crate is below a fifth."""

import re
import sys

import tree


def filled(text):
    """How many lines have anything on them."""
    return sum(1 for line in text.splitlines() if line.strip())


def split_rust(name, text):
    """(lines of code, lines of tests) of a Rust file. Tests are whole files, or a `#[cfg(test)] mod` to the end."""
    if "tests" in name.parts or name.stem.endswith(("_test", "_tests")) or name.stem == "tests":
        return 0, filled(text)
    cut = re.search(r"^#\[cfg\(test\)\]\s*\n(?:pub )?mod \w+ \{", text, re.MULTILINE)
    end = cut.start() if cut else len(text)
    return filled(text[:end]), filled(text[end:])


def split_cpp(name, text):
    """(lines of code, lines of tests) of a C++ file."""
    is_test = name.stem.endswith("_test") or name.parts[0] in ("tests", "testing")
    return (0, filled(text)) if is_test else (filled(text), 0)


def add_up(names, split):
    pairs = [split(name, tree.text(name)) for name in names]
    return sum(code for code, _ in pairs), sum(tests for _, tests in pairs)


def is_too_much(rust, cpp):
    """Of lines of code: the crate is where C++ meets the engines, and no more."""
    return 5 * rust >= cpp


def main():
    names = tree.files()
    rust = add_up([n for n in names if n.parts[0] == "engine" and n.suffix == ".rs"], split_rust)
    cpp = add_up([n for n in names if n.suffix in (".h", ".cpp") and n.parts[0] != "engine"], split_cpp)
    share = 100 * rust[0] / cpp[0] if cpp[0] else 0.0
    too_much = is_too_much(rust[0], cpp[0])
    verdict = "a fifth or more: move what is not about the engines to C++" if too_much else "below a fifth"
    print(f"lines: {rust[0]:,} of Rust (and {rust[1]:,} of its tests) against {cpp[0]:,} of C++ "
          f"(and {cpp[1]:,} of its tests): {share:.0f} %, {verdict}")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
