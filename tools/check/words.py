#!/usr/bin/env python3
"""Refuses words that are not plain technical English, in comments, names and pages (tools/check/words.toml)."""

import collections
import re
import sys
import tomllib

import tree

WORDS = "tools/check/words.toml"
CODE = {".cpp", ".h", ".rs", ".in"}
SCRIPTS = {".py", ".sh", ".cmake", ""}
# Files about these words, files that are history, pages that are made from code and from runs.
LEFT_OUT = re.compile(r"CHANGELOG\.md|LICENSE|tools/check/(words\.|openings|check_test)|docs/reference/|docs/(hostile|kill-matrix|host-function-costs|mutants)\.md"
                      r"|tests/(hostile|otp|cli)/.*\.(txt|erl)$|tests/mutants/list\.toml")
Word = collections.namedtuple("Word", "pattern write unless")

RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
RUST_RAW_STRING = re.compile(r'\br(#+)".*?"\1', re.DOTALL)
COMMENT_OR_STRING = re.compile(r"""//[^\n]*|'(?:\\.|[^'\\])'|"(?:\\.|[^"\\\n])*\"""")
INLINE_CODE = re.compile(r"`[^`\n]*`")
BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"[A-Za-z]\w*")


def blank(match):
    """As many lines of nothing."""
    return "\n" * match.group(0).count("\n") if "\n" in match.group(0) else " "


def split_name(match):
    """A name as its words: `GoesOn_now` -> `goes on now`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+", " ", match.group(0)).lower()


def prose_of(name, text):
    """What is looked at of a file, in as many lines: no string literals of code, no code of pages, names taken apart."""
    if name.suffix == ".md":
        text = INLINE_CODE.sub(blank, BLOCK.sub(blank, text))
    elif name.suffix in CODE:
        text = without_strings(name, text)
    else:
        text = "\n".join(line[line.index("#"):] if re.search(r"(^|\s)#", line) else "" for line in text.split("\n"))
    return NAME.sub(split_name, text)


def without_strings(name, text):
    """Code without its string literals; quotes in comments are prose."""
    text = (RUST_RAW_STRING if name.suffix == ".rs" else RAW_STRING).sub(blank, text)
    return COMMENT_OR_STRING.sub(lambda match: match.group(0) if match.group(0).startswith("//") else " ", text)


def parse_words(text):
    """The words of the list."""
    return [Word(re.compile(rf"\b(?:{word['find']})\b"), word["write"], re.compile(word["unless"]) if "unless" in word else None)
            for word in tomllib.loads(text).get("word", [])]


def found_in(name, text, words):
    """(line, what was found, what to write) of every such word of a file, its name included."""
    lines = [NAME.sub(split_name, name.stem.replace(".", " ")), *prose_of(name, text).split("\n")]
    found = []
    for number, line in enumerate(lines):
        for word in words:
            kept = word.unless.sub(" ", line) if word.unless else line
            found += [(number, match.group(0), word.write) for match in word.pattern.finditer(kept)]
    return sorted(found)


def is_looked_at(name):
    return (name.suffix in CODE | SCRIPTS | {".md", ".txt"} and not LEFT_OUT.search(str(name))
            and (name.suffix != ".txt" or name.name == "CMakeLists.txt"))


def complaints(files, words):
    """One for each such word; `files`: (name, text)."""
    return [f'{name}:{line}: "{what}"; write {write}' for name, text in files for line, what, write in found_in(name, text, words)]


def main():
    names = [name for name in tree.files() if is_looked_at(name)]
    found = complaints([(name, tree.text(name)) for name in names], parse_words(tree.text(WORDS)))
    return tree.report("words", found, f"{len(names)} files are in plain words")


if __name__ == "__main__":
    sys.exit(main())
