#!/usr/bin/env python3
"""Refuses entries of tests/mutants/list.toml whose line is not in the tree any more: `make mutants` could not apply them."""

import sys
import tomllib

import tree

LIST = "tests/mutants/list.toml"
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


def text_in_tree(name):
    return tree.text(name) if (tree.ROOT / name).is_file() else None


def main():
    mutants = read(tree.text(LIST))
    return tree.report("mutants", complaints_of(mutants, text_in_tree), f"the lines of all {len(mutants)} are in the tree")


if __name__ == "__main__":
    sys.exit(main())
