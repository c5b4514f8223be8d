#!/usr/bin/env python3
"""Gives Doxygen a header of ours with its comments as Doxygen reads them: `//` above a declaration becomes `///`, behind
one `///<`. What stands below a comment without an empty line between belongs to it, and shares it.

    filter.py HEADER
"""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"^\s*// ?(.*)$")
TRAILING = re.compile(r"^(.*[;,{}]|.*\S)\s+// ?(?!NOLINT)(.*)$")
NO_MARKUP = str.maketrans({"<": "&lt;", ">": "&gt;", "@": "&#64;", "\\": "&#92;", "#": "&#35;", "%": "&#37;", "*": "&#42;"})


def shown(words):
    """The words of a comment, of which nothing is markup but `code` in backquotes."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part.startswith("`") else part.translate(NO_MARKUP) for part in parts)


def block(lines):
    """One run of lines without an empty one: its comments, and a group where several declarations share the first."""
    out = []
    example = False
    for line in lines:
        above, behind = COMMENT.match(line), TRAILING.match(line)
        indent = line[: len(line) - len(line.lstrip())]
        if above:
            words = above.group(1)
            code = words.startswith("  ")
            if code != example:
                out.append(f"{indent}/// @{'code' if code else 'endcode'}")
                example = code
            out.append(f"{indent}/// {words if code else shown(words)}")
            continue
        if example:
            out.append(f"{indent}/// @endcode")
            example = False
        if "NOLINT" in line:
            line = line.partition("//")[0].rstrip()
        elif behind:
            line = f"{behind.group(1)}  ///< {shown(behind.group(2))}"
        out.append(line)
    return out


def filtered(header):
    """The lines of a header as Doxygen gets them."""
    lines = header.read_text(encoding="utf-8").splitlines()
    start = next((number for number, line in enumerate(lines) if not COMMENT.match(line)), 0)
    out = ["/** @file", *(shown(line[2:].strip()) for line in lines[:start]), "*/"]
    run = []
    for line in [*lines[start:], ""]:
        if line.strip():
            run.append(line)
        else:
            out += [*block(run), ""]
            run = []
    return out


if __name__ == "__main__":
    print("\n".join(filtered(Path(sys.argv[1]))))
