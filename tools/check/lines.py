#!/usr/bin/env python3
"""Prints the lines of Rust against the lines of C++, and fails unless the crate is below a fifth; then the statement lines of src/, with
`--modules` of each module."""

import collections
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


def statements(text):
    """How many lines of C++ say something: no comments, lone brackets, includes and openings of namespaces."""
    lines = [re.sub(r"(^|\s)//.*", "", line).strip() for line in text.splitlines()]
    return sum(1 for line in lines if not re.fullmatch(r"[\s{}()\[\];,]*|#(include|pragma)\b.*|(using )?namespace\b.*", line))


def statements_of_modules(files):
    """The statement lines of each module, without its tests and their fixtures; `files`: (name, text)."""
    counts = collections.Counter()
    for name, text in files:
        if not name.stem.endswith("_test") and "fixture" not in name.stem and name.parts[1] != "testing":
            counts[name.parts[1]] += statements(text)
    return counts


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
    counts = statements_of_modules([(n, tree.text(n)) for n in names if n.parts[0] == "src" and n.suffix in (".h", ".cpp")])
    print(f"lines: {sum(counts.values()):,} statements in src/ without tests")
    if "--modules" in sys.argv[1:]:
        print("\n".join(f"{module:20}{count:7,}" for module, count in sorted(counts.items())))
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
