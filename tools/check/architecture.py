#!/usr/bin/env python3
"""Looks whether ARCHITECTURE.md says what is there: the members it names exist, and its table of locks has every class with a lock."""

import re
import sys

import tree

PAGE = "ARCHITECTURE.md"
MEMBER = re.compile(r"`([A-Z]\w*)::(\w+)(?:\(\))?`")
CLASS = re.compile(r"^(?:class|struct) (?:\w+\(.*?\)+ )?([\w:]+)(?: final)?(?: : [^;{]*)?\s*\{", re.MULTILINE)
LOCK = re.compile(r"^\s*(?:mutable )?Mutex \w+;", re.MULTILINE)
LOCKED = ("sandbox", "process", "runtime")  # the modules whose locks are taken together


def missing_members(page, sources):
    """The `Class::member` of the page that no file declares or defines; `sources`: texts."""
    named = sorted(set(MEMBER.findall(page)))
    return [f"{name}::{member}" for name, member in named
            if not any(has_member(text, name, member) for text in sources if member in text)]


def has_member(text, name, member):
    """Whether a file defines this member, or declares the class with it."""
    declared = re.search(rf"(?:class|struct) (?:\w+\(.*?\)+ )?(?:\w+::)?{name}\b[^;{{]*\{{", text)
    return re.search(rf"\b{name}::{member}\b", text) or (declared and re.search(rf"\b{member}\b", text[declared.end():]))


def classes_with_locks(text):
    """The outermost classes of a file that have a Mutex of their own."""
    starts = [(match.start(), match.group(1)) for match in CLASS.finditer(text)]
    return {max(s for s in starts if s[0] < lock.start())[1] for lock in LOCK.finditer(text) if starts and starts[0][0] < lock.start()}


def missing_locks(page, sources):
    """The classes with a lock that the section about locks does not name."""
    section = page.partition("\n## Locks\n")[2].partition("\n## ")[0]
    found = set().union(*map(classes_with_locks, sources))
    return sorted(name for name in found if not re.search(rf"`{name}\b", section))


def complaints(page, members, locks):
    """`members`, `locks`: the texts in which each kind is looked for."""
    return ([f"{PAGE}: `{name}` is named, and there is no such member" for name in missing_members(page, members)] +
            [f"{PAGE}: the table of locks does not say when the lock of `{name}` is taken" for name in missing_locks(page, locks)])


def main():
    files = [name for name in tree.files() if name.suffix in (".h", ".cpp") and name.parts[0] in ("src", "include")]
    texts = {name: tree.text(name) for name in files}
    locks = [text for name, text in texts.items() if name.parts[0] == "src" and name.parts[1] in LOCKED and name.suffix == ".h" and "fixture" not in name.stem]
    page = tree.text(PAGE)
    return tree.report("architecture", complaints(page, texts.values(), locks),
                       f"{len(set(MEMBER.findall(page)))} members are there, and every lock has its place")


if __name__ == "__main__":
    sys.exit(main())
