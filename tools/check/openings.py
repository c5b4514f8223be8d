#!/usr/bin/env python3
"""Refuses comment blocks that open with a clause whose noun is missing: "Of the last one", "What it has", "None: all of them".

A block starts with a noun, or with the verb of what the code does: "The modules that ...", "Waits until ...", "nullptr if there is no ...".
Folders that still have some have a number that may only become smaller: `tools/check/openings.py --write` lowers it to what is there.
`tools/check/openings.py FOLDER...` lists what is found.
"""

import collections
import re
import sys

import ratchet
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

RATCHET = ratchet.Ratchet("openings", "comments that open without a noun")


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


def gather(files):
    """folder -> complaints; `files`: (name, text)."""
    by_folder = collections.defaultdict(list)
    for name, text in files:
        by_folder[ratchet.folder_of(name)] += [f'{name}:{line}: the comment opens with "{words}"; give it a noun or a verb'
                                               for line, words in openings_in(text)]
    return by_folder


def main(arguments):
    return RATCHET.run(arguments, gather([(name, tree.text(name)) for name in tree.files() if name.suffix in CODE]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
