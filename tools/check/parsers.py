#!/usr/bin/env python3
"""Refuses parsers without bounds: JSON and CBOR from outside is read by src/base/json/bounded_json.h."""

import re
import sys

import tree

UNBOUNDED = re.compile(r"\b[Jj]son::(parse|accept|sax_parse|from_cbor|from_msgpack|from_ubjson|from_bson|from_bjdata)\s*\(")
# petri's own words, which the command shows as part of a larger object.
OWN_WORDS = re.compile(r"\bJson::parse\((petri::)?(to_json\(|tree\))")
ALLOWED = {"src/base/json/bounded_json.cpp"}


def is_looked_at(name):
    """The library and the command; tests and tools read what they wrote themselves."""
    return name.parts[0] in ("src", "include") and name.suffix in (".cpp", ".h") and not name.stem.endswith("_test")


def unbounded_in(text):
    """The lines on which a text is parsed without bounds, counted from 1."""
    return [text.count("\n", 0, match.start()) + 1 for match in UNBOUNDED.finditer(text)
            if not OWN_WORDS.match(text, match.start())]


def main():
    files = [name for name in tree.files() if is_looked_at(name) and str(name) not in ALLOWED]
    complaints = [f"{name}:{line}: this parser has no bounds; use parse_json() or parse_cbor() of base/json/bounded_json.h"
                  for name in files for line in unbounded_in(tree.text(name))]
    return tree.report("parsers", complaints, f"all have bounds in {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
