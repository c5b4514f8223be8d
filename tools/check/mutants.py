#!/usr/bin/env python3
"""Refuses entries of tests/mutants/list.toml whose line is not in the tree any more: `make mutants` could not apply them. And a page
docs/mutants.md that does not have each of them with tests that are in the tree."""

import re
import sys
import tomllib

import tree

LIST = "tests/mutants/list.toml"
PAGE = "docs/mutants.md"
FIELDS = ("what", "file", "line", "broken", "test")


def read(text):
    """The mutants of a list, in its order: each a dictionary of FIELDS."""
    return tomllib.loads(text).get("mutant", [])


def numbers_of(line, text):
    """The lines of a text, counted from 0, that are this line but for the space around it."""
    return [number for number, each in enumerate(text.splitlines()) if each.strip() == line]


def broken(mutant, text):
    """The text with the one line of the mutant broken; an empty `broken` removes it."""
    lines = text.splitlines(keepends=True)
    number, = numbers_of(mutant["line"], text)
    indent = lines[number][:len(lines[number]) - len(lines[number].lstrip())]
    lines[number] = f"{indent}{mutant['broken']}\n" if mutant["broken"] else ""
    return "".join(lines)


def fault_of(mutant, texts):
    """What is wrong with an entry, or nothing. `texts` gives the text of a file, or None."""
    missing = [field for field in FIELDS if not isinstance(mutant.get(field), str)]
    if missing:
        return f"it has no {', no '.join(missing)}"
    if mutant["line"] == mutant["broken"]:
        return "its broken line is the line as it is"
    text = texts(mutant["file"])
    if text is None:
        return f"there is no file {mutant['file']}"
    found = len(numbers_of(mutant["line"], text))
    if found != 1:
        return f"its line is there {found} times in {mutant['file']}, not once: {mutant['line']}"
    return ""


def complaints_of(mutants, texts):
    named = [(number, mutant, fault_of(mutant, texts)) for number, mutant in enumerate(mutants, 1)]
    return [f"{LIST}: mutant {number} ({mutant.get('what', '?')}): {fault}" for number, mutant, fault in named if fault]


# ---- the page -------------------------------------------------------------------------------------------------------------------

HEADER = """# What the tests notice

`make mutants` breaks the product on purpose, one line of `tests/mutants/list.toml` at a time, and writes here which tests failed. This page
is made by `tools/mutants`; `make check` fails when a line of the list has no row, or when a row names a test that is not there any more.

| number | what is broken | file | noticed by |
|---|---|---|---|
"""
ROW = re.compile(r"^\| \d+ \| (.*?) \| `(.*?)` \| (.*) \|$", re.MULTILINE)
TEST_NAME = re.compile(r"`([^`]+)`")


def noticed_in(page):
    """What noticed each mutant, by what it breaks."""
    return {what: noticed for what, _, noticed in ROW.findall(page)}


def page_of(mutants, noticed):
    """The page, with the mutants in the order of the list; one that was not tried has an empty last field."""
    rows = [f"| {number} | {mutant['what']} | `{mutant['file']}` | {noticed.get(mutant['what'], '')} |\n"
            for number, mutant in enumerate(mutants, 1)]
    return HEADER + "".join(rows)


def plain_name(test):
    """The name of a test as its source has it, without the names of its parameters: `ProcessTest.Answers`, `fuel_exact::loops`."""
    found = re.fullmatch(r"(?:\w+/)?(\w+\.\w+)(?:/\w+)*", test)
    return found.group(1) if found else test


def tests_in(text):
    """The names of the tests of a file, as plain_name() has them; those of Rust and Python without their module."""
    return {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", text, re.MULTILINE)} | \
        set(re.findall(r"^ *fn (\w+)\(", text, re.MULTILINE)) | set(re.findall(r"^ *def (test_\w+)\(", text, re.MULTILINE))


def page_complaints(mutants, page, tests):
    """What is wrong with the page of these mutants, in a tree that has these tests."""
    noticed = noticed_in(page)
    complaints = [f"{PAGE}: nothing is known to notice: {mutant['what']}; run tools/mutants {number}"
                  for number, mutant in enumerate(mutants, 1) if not noticed.get(mutant.get("what"))]
    for what, names in noticed.items():
        gone = [name for name in TEST_NAME.findall(names) if name.split("::")[-1] not in tests]
        if gone:
            complaints.append(f"{PAGE}: there is no test {', '.join(gone)} any more, which noticed: {what}; try that mutant again")
    return complaints or ([] if page == page_of(mutants, noticed) else [f"{PAGE}: it is not as tools/mutants writes it; run tools/mutants"])


def tests_of_tree():
    names = [name for name in tree.files() if name.suffix in (".cpp", ".rs", ".py")]
    return set().union(*(tests_in(tree.text(name)) for name in names))


def text_in_tree(name):
    return tree.text(name) if (tree.ROOT / name).is_file() else None


def main():
    mutants = read(tree.text(LIST))
    complaints = complaints_of(mutants, text_in_tree) or page_complaints(mutants, text_in_tree(PAGE) or "", tests_of_tree())
    return tree.report("mutants", complaints, f"the lines of all {len(mutants)} are in the tree, and so are the tests that notice")


if __name__ == "__main__":
    sys.exit(main())
