#!/usr/bin/env python3
"""Counts of complaints by folder that may only become smaller, for checks that not every folder passes yet.

A folder that is not in the file of counts has no complaint left, and each new one is refused by itself.
"""

import tomllib

import tree


def folder_of(name):
    """The folder whose complaints a file counts to: a module, an area of the tests, else the first folder."""
    depth = 2 if name.parts[0] in ("src", "tests", "engine", "include", "tools") and len(name.parts) > 2 else 1
    return "/".join(name.parts[:depth]) if len(name.parts) > 1 else "."


class Ratchet:
    """The counts of one check, in tools/check/CHECK_left.toml. `found` is a dict from a folder to its complaints."""

    def __init__(self, check, noun):
        self.check, self.noun = check, noun
        self.file = f"tools/check/{check}_left.toml"

    def complaints(self, found, allowed):
        """Every complaint where none is left, the number where there are more than there were."""
        complaints = []
        for folder, here in sorted(found.items()):
            left = allowed.get(folder, 0)
            if len(here) > left and left == 0:
                complaints += here
            elif len(here) > left:
                complaints.append(f"{folder} has {len(here)} {self.noun}, {left} before; tools/check/{self.check}.py {folder} lists them")
        return complaints

    @staticmethod
    def lowered(found, allowed, first):
        """The numbers to keep: never more than before, unless there are none yet."""
        counts = {folder: len(here) for folder, here in sorted(found.items())}
        return {folder: count if first else min(count, allowed.get(folder, 0)) for folder, count in counts.items()
                if count and (first or allowed.get(folder, 0))}

    def counts_text(self, counts):
        """The file of numbers."""
        return (f"# How many {self.noun} are left, by folder. A folder that is not here has none, and stays so.\n"
                f"# tools/check/{self.check}.py --write lowers the numbers.\n"
                + "".join(f'"{folder}" = {count}\n' for folder, count in sorted(counts.items())))

    def run(self, arguments, found):
        """The program of the check: without arguments the verdict, with folders a list, with --write the new numbers."""
        kept = tree.ROOT / self.file
        allowed = tomllib.loads(tree.text(self.file)) if kept.is_file() else {}
        if "--write" in arguments:
            kept.write_text(self.counts_text(self.lowered(found, allowed, first=not kept.is_file())), encoding="utf-8")
            return 0
        if arguments:
            print(*(complaint for folder in arguments for complaint in found.get(folder.rstrip("/"), [])), sep="\n")
            return 0
        left = sum(min(len(here), allowed.get(folder, 0)) for folder, here in found.items())
        clean = sum(1 for here in found.values() if not here)
        return tree.report(self.check, self.complaints(found, allowed),
                           f"{clean} of {len(found)} folders have none; {left} {self.noun} are left in the others")
