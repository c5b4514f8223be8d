#!/usr/bin/env python3
"""Builds the guest that a page shows for a language as the page says, and runs it.

A page has a section `## LANGUAGE` or `## A guest in LANGUAGE` with the guest as a named block and the lines that compile it as a block
```sh; these make guest.wasm. The folder they run in has `guest`, that of the tree, beside the files of the section. Ends with 77,
which ctest takes for skipped, where the compiler is not installed.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests/docs"))
import snippets  # noqa: E402

SKIPPED = 77


def section_of(page, language):
    text = page.read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = part.split("\n", 1)[0].removeprefix("A guest in ")
        if title.lower() == language:
            return part
    sys.exit(f"{page}: there is no section for {language}")


def compilers_of(lines):
    """The program that each line starts, behind variables."""
    return [next(word for word in line.split() if "=" not in word) for line in lines.splitlines() if line]


def program_folder(folder, options):
    """A folder with clang under the name that pages give it, and asc where npm has put it."""
    programs = folder / ".programs"
    programs.mkdir()
    for name, path in (("clang", options.clang), ("clang++", options.clang.replace("clang-", "clang++-")), ("asc", options.asc)):
        if path and Path(path).exists():
            # No link: clang looks for its headers beside the name it is called by.
            (programs / name).write_text(f'#!/bin/sh\nexec "{path}" "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
    return str(programs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--clang", default="")
    parser.add_argument("--asc", default="")
    parser.add_argument("--expect", required=True)
    parser.add_argument("language")
    parser.add_argument("command", nargs="+", help="what runs guest.wasm; its standard input is 2 3")
    options = parser.parse_args()
    blocks = snippets.blocks_of(section_of(options.page, options.language))
    lines = "".join(text for kind, _, text in blocks if kind == "sh")
    with tempfile.TemporaryDirectory(prefix="petri_language_") as name:
        folder = Path(name)
        for file, text in snippets.files_in(blocks).items():
            (folder / file).write_text(text, encoding="utf-8")
        shutil.copytree(TREE / "guest", folder / "guest")
        environment = {**os.environ, "PATH": program_folder(folder, options) + ":" + os.environ["PATH"]}
        environment.setdefault("HOME", name)
        for compiler in compilers_of(lines):
            if not shutil.which(compiler, path=environment["PATH"]):
                print(f"{compiler} is not installed")
                return SKIPPED
        subprocess.run(["bash", "-ec", lines], cwd=folder, env=environment, check=True)
        run = subprocess.run([*options.command], cwd=folder, env=environment, input="2 3\n", text=True, capture_output=True)
        if run.returncode == 0 and run.stdout == options.expect + "\n":
            return 0
        print(f"exit code {run.returncode}, answered {run.stdout!r} {run.stderr}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
