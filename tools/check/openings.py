#!/usr/bin/env python3
"""Refuses comment blocks that open with a clause whose noun is missing: "Of the last one", "What it has", "None: all of them".

A block starts with a noun, or with the verb of what the code does: "The modules that ...", "Waits until ...", "nullptr if there is no ...".
"""

import re
import sys

import tree

CODE = {".cpp", ".h", ".rs"}
COMMENT = re.compile(r"\s*//[/!]? ?(.*)")
TOOLS = re.compile(r"NOLINT|clang-format|IWYU|#")
NAMED = r"(?:of|as|for|with|in|to|by|but|from|again|way|when|without|at|on|after|before|where|if|there|here)\b"
OPENING = re.compile(
    r"(?:Of|Whether|Who(?:ever|se|m)?|What(?:ever)?|Which(?:ever)?|However)\b"
    r"|Those (?:that|who|of|whose|in|with|which|by|for|from|before|to)\b"
    rf"|The same(?: {NAMED}|[.,:;]|$)"
    r"|(?:none|nullptr|nullopt|empty|true|false|zero|null|all|no|not|nothing) ?:", re.IGNORECASE)


def openings_in(text):
    """(line, how it opens) of every such comment block; a block is comment lines without code between them."""
    found, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        comment = COMMENT.fullmatch(line)
        if comment and not inside and not TOOLS.match(comment.group(1)):
            opening = OPENING.match(comment.group(1))
            found += [(number, " ".join(comment.group(1).split()[:3]))] if opening else []
        inside = comment is not None
    return found


def complaints(files):
    """`files`: (name, text)."""
    return [f'{name}:{line}: the comment opens with "{words}"; give it a noun or a verb' for name, text in files for line, words in openings_in(text)]


def main():
    names = [name for name in tree.files() if name.suffix in CODE]
    return tree.report("openings", complaints([(name, tree.text(name)) for name in names]), f"every comment of {len(names)} files opens with a noun or a verb")


if __name__ == "__main__":
    sys.exit(main())
