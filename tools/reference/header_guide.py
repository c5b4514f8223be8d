#!/usr/bin/env python3
"""Looks whether docs/headers.md lists every public header with its size, in lines of code; --write puts the sizes right."""

import re
import sys
from pathlib import Path

PAGE = Path("docs/headers.md")
ROW = re.compile(r"^(\| .* \| `(petri/[^`]*\.h)` \|.*) (\d[\d,]*) \|$", re.MULTILINE)


def lines_of_code(header):
    return sum(1 for line in header.read_text(encoding="utf-8").splitlines() if line.split("//")[0].strip())


def main():
    page = PAGE.read_text(encoding="utf-8")
    listed = [found.group(2) for found in ROW.finditer(page)]
    public = {str(header.relative_to("include")) for header in Path("include/petri").rglob("*.h")
              if header.parent.name != "detail" and "compat" not in header.parts}
    wrong = sorted(public.symmetric_difference(listed)) or len(listed) != len(set(listed))
    if wrong:
        sys.exit(f"{PAGE} lists other headers than include/petri has, or one twice: {wrong}")
    right = ROW.sub(lambda found: f"{found.group(1)} {lines_of_code(Path('include') / found.group(2))} |", page)
    if "--write" in sys.argv:
        PAGE.write_text(right, encoding="utf-8")
    elif right != page:
        sys.exit(f"{PAGE} has sizes that are not those of the headers; run tools/reference/header_guide.py --write")
    total = sum(lines_of_code(Path("include") / header) for header in listed if header.count("/") == 1)
    beside = sum(lines_of_code(Path("include") / header) for header in listed if header.count("/") > 1)
    print(f"{sum(header.count('/') == 1 for header in listed)} headers of {total} lines of code, and {beside} lines in libraries beside them")


main()
