#!/usr/bin/env python3
"""Compiles dropped_results.cpp with each compiler, and compares the lines that it warns of with those that say so."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

WARNING = re.compile(r"dropped_results\.cpp:(\d+):\d+: warning: .*(nodiscard|unused-result)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("compilers", nargs="+")
    options = parser.parse_args()
    lines = options.source.read_text(encoding="utf-8").splitlines()
    wanted = [number for number, line in enumerate(lines, start=1) if line.endswith("// warns")]
    assert len(wanted) == 5, wanted
    for compiler in options.compilers:
        done = subprocess.run([compiler, "-std=c++23", "-fsyntax-only", "-I", options.include, options.source],
                              capture_output=True, text=True, check=False)
        warned = [int(found.group(1)) for found in WARNING.finditer(done.stderr)]
        if done.returncode != 0 or warned != wanted:
            sys.exit(f"{compiler} warned of the lines {warned} and not of {wanted}; it said:\n{done.stderr}")
        print(f"{compiler} warned of the lines {warned}")


main()
