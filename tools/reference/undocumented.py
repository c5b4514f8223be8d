#!/usr/bin/env python3
"""Names of the public API that no comment stands above, from the XML that Doxygen wrote.

    undocumented.py FOLDER

A comment above several declarations, without an empty line between them, is that of all. A field, an enumerator and a
member function that says all by its name and types needs none of its own where its class has one; name_of(), x_named()
and all_xs() of an enumeration never do (docs/headers.md). Ends with 1 if a name is left.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from filter import filtered

OF_AN_ENUMERATION = re.compile(r"name_of$|all_\w+$|\w+_named$")
NEEDS_NONE = {"variable", "friend", "enumvalue", "property"}  # fields and enumerators: their class or enum has it


def has_text(element):
    return any("".join(found.itertext()).strip() for name in ("briefdescription", "detaileddescription")
               for found in element.findall(name))


def place(element):
    location = element.find("location")
    return location.get("file"), int(location.get("line"))


def covered(line, lines):
    """Whether a comment opens the run of lines that a declaration stands in: up to an empty line, or to what it is inside."""
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    number = line - 1
    while number > 0 and lines[number - 1].strip() and len(lines[number - 1]) - len(lines[number - 1].lstrip()) >= indent:
        number -= 1
    return any("///" in text for text in lines[number:line])


def undocumented(folder):
    read = {}

    def header_lines(file):
        if file not in read:
            read[file] = filtered(Path("include") / file)
        return read[file]

    names = 0
    for page in sorted(folder.glob("*.xml")):
        root = ElementTree.parse(page).getroot()
        for compound in root.findall("compounddef"):
            kind = compound.get("kind")
            if kind not in ("class", "struct", "namespace") or compound.get("prot") == "private":
                continue
            title = compound.findtext("compoundname")
            if "::detail" in title or title.startswith(("std", "fmt")):
                continue
            if kind != "namespace":
                names += 1
                if not has_text(compound) and not covered(place(compound)[1], header_lines(place(compound)[0])):
                    yield f"{':'.join(map(str, place(compound)))}: {title}"
            for member in compound.iter("memberdef"):
                inside = kind != "namespace"
                if member.get("prot") == "private" or (inside and member.get("kind") in NEEDS_NONE):
                    continue
                names += 1
                if OF_AN_ENUMERATION.match(member.findtext("name")):
                    continue
                if inside and member.get("kind") == "function" and says_itself(member, title):
                    continue
                if not has_text(member) and not covered(place(member)[1], header_lines(place(member)[0])):
                    yield f"{':'.join(map(str, place(member)))}: {title}::{member.findtext('name')}"
    print(f"{names} names of the public API were looked at", file=sys.stderr)


def says_itself(function, title):
    """A constructor, destructor or operator, and a member that only returns something that it is named after."""
    name = function.findtext("name")
    getter = function.get("const") == "yes" and not function.findall("param")
    return name.lstrip("~") == title.rpartition("::")[2] or name.startswith("operator") or getter


def main():
    left = sorted(set(undocumented(Path(sys.argv[1]))))
    print("\n".join(left))
    sys.exit(1 if left else 0)


main()
