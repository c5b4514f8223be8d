#!/usr/bin/env python3
"""Runs what a page of the documentation shows.

Fenced blocks are told apart by their first words:
  ```wat add.wat      a file, written into the folder the page's commands run in; any language, as long as a name follows
  ```cpp sum.cpp      likewise, and also compiled by the build: the commands find the program as ./sum
  ```wat examples/first_steps/add.wat   a file of the tree; the page has to show it as it is
  ```console          a transcript, as tests/cli/README.md describes it; the time in a summary line need not be the same
All other blocks are only read. The commands of a page run in order, in one fresh folder, where `examples` is that of the tree.
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests/cli"))
import transcript  # noqa: E402

# Pages show times as they were once; a run of the page takes its own.
SUMMARY = re.compile(r"(peak memory, )" + transcript.DURATION + r"(, (?:interpreted|compiled))$")
TIMESTAMP = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")
RATE = re.compile(r"(candidates? in )" + transcript.DURATION + r", [\d,]+( a second)$")
SWITCH = re.compile(r"(; prepared in )" + transcript.DURATION + r"(?:(, paused for )" + transcript.DURATION + r")?$")
FENCE = re.compile(r"^```(\S+)?(?: +(\S+))?\s*$")


def blocks_of(text):
    """(language, file name or None, contents) of each fenced block."""
    blocks, opened, lines = [], None, []
    for line in text.splitlines():
        fence = FENCE.match(line)
        if opened is None and fence and fence.group(1):
            opened, lines = (fence.group(1), fence.group(2)), []
        elif opened is not None and line.strip() == "```":
            blocks.append((*opened, "\n".join(lines) + "\n"))
            opened = None
        elif opened is not None:
            lines.append(line)
    return blocks


def files_in(blocks):
    return {name: contents for _, name, contents in blocks if name and "/" not in name}


def changed_in(blocks, tree):
    """The files of the tree that the page shows otherwise than they are."""
    def text(name):
        return (tree / name).read_text(encoding="utf-8") if (tree / name).is_file() else None
    return [name for _, name, contents in blocks if name and "/" in name and text(name) != contents]


def programs_in(blocks):
    return {name: contents for language, name, contents in blocks if language == "cpp" and name}


def extract(pages, folder):
    """Writes the C++ programs of all pages for the build to compile, touching only what has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for name, contents in programs_in(blocks_of(page.read_text(encoding="utf-8"))).items():
            target = folder / Path(name).name
            if not target.exists() or target.read_text(encoding="utf-8") != contents:
                target.write_text(contents, encoding="utf-8")


def prepare_folder(folder, blocks, programs):
    (folder / "examples").symlink_to(TREE / "examples")
    for name, contents in files_in(blocks).items():
        (folder / name).write_text(contents, encoding="utf-8")
    for name in programs_in(blocks):
        stem = Path(name).stem
        (folder / stem).symlink_to((programs / f"docs_{stem}").resolve())


def with_placeholders(line):
    line = SUMMARY.sub(r"\1<TIME>\2", line)
    line = SWITCH.sub(lambda found: found[1] + "<TIME>" + (found[2] + "<TIME>" if found[2] else ""), line)
    return TIMESTAMP.sub("<ANY>Z", RATE.sub(r"\1<TIME>, <NUMBER>\2", line))


def play(page, petri, programs):
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    changed = changed_in(blocks, TREE)
    for name in changed:
        print(f"{page.name}: {name} is shown otherwise than it is")
    spoken = [contents for language, _, contents in blocks if language == "console"]
    steps = [step for contents in spoken for step in transcript.read_steps(contents)[0]]
    for step in steps:
        step.answer = [with_placeholders(line) for line in step.answer]
    with tempfile.TemporaryDirectory(prefix="petri-docs-") as scratch:
        prepare_folder(Path(scratch), blocks, programs)
        _, failures = transcript.play(steps, page.name, petri.resolve(), Path(scratch))
    print(f"{page.name}: {len(steps)} commands, {failures} answered something else")
    return failures == 0 and not changed and steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extract", type=Path, metavar="FOLDER", help="only write the C++ programs there")
    parser.add_argument("--petri", type=Path)
    parser.add_argument("--programs", type=Path, help="where the compiled programs are")
    parser.add_argument("pages", type=Path, nargs="+")
    options = parser.parse_args()
    if options.extract:
        extract(options.pages, options.extract)
    elif not all([play(page, options.petri, options.programs) for page in options.pages]):
        sys.exit(1)


if __name__ == "__main__":
    main()
