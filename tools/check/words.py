#!/usr/bin/env python3
"""Refuses words that are not plain technical English, in comments, names and pages (tools/check/words.toml).

Folders that are not clean yet have a number of such words that may only become smaller: `tools/check/words.py --write` lowers
it to what is there. `tools/check/words.py FOLDER...` lists what is found.
"""

import collections
import re
import sys
import tomllib

import tree

WORDS = "tools/check/words.toml"
COUNTS = "tools/check/words_left.toml"
CODE = {".cpp", ".h", ".rs", ".in"}
SCRIPTS = {".py", ".sh", ".cmake", ""}
# Files about these words, files that are history, pages that are made from code and from runs.
LEFT_OUT = re.compile(r"CHANGELOG\.md|LICENSE|tools/check/(words\.|words_left|check_test)|docs/reference/|docs/(hostile|kill-matrix|host-function-costs|mutants)\.md"
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


def folder_of(name):
    """The folder whose words a file counts to: a module, an area of the tests, else the first folder."""
    depth = 2 if name.parts[0] in ("src", "tests", "engine", "include", "tools") and len(name.parts) > 2 else 1
    return "/".join(name.parts[:depth]) if len(name.parts) > 1 else "."


def gather(files, words):
    """folder -> (name, line, found, write) of every word in it; `files`: (name, text)."""
    by_folder = collections.defaultdict(list)
    for name, text in files:
        by_folder[folder_of(name)] += [(name, *found) for found in found_in(name, text, words)]
    return by_folder


def complaints_of(by_folder, allowed):
    """What is wrong: every word where none is left, the number where there are more than there were."""
    complaints = []
    for folder, found in sorted(by_folder.items()):
        left = allowed.get(folder, 0)
        if len(found) > left and left == 0:
            complaints += [f'{name}:{line}: "{what}"; write {write}' for name, line, what, write in found]
        elif len(found) > left:
            complaints.append(f"{folder} has {len(found)} words that are not plain, {left} before; "
                              f"tools/check/words.py {folder} lists them")
    return complaints


def lowered(by_folder, allowed, first):
    """The numbers to keep: never more than before, unless there are none yet."""
    counts = {folder: len(found) for folder, found in sorted(by_folder.items())}
    return {folder: count if first else min(count, allowed.get(folder, 0)) for folder, count in counts.items()
            if count and (first or allowed.get(folder, 0))}


def counts_text(counts):
    """The file of numbers."""
    return ("# How many words of tools/check/words.toml are left, by folder. A folder that is not here has none, and stays so.\n"
            "# tools/check/words.py --write lowers the numbers.\n"
            + "".join(f'"{folder}" = {count}\n' for folder, count in sorted(counts.items())))


def main(arguments):
    words = parse_words(tree.text(WORDS))
    by_folder = gather([(n, tree.text(n)) for n in tree.files() if is_looked_at(n)], words)
    kept = tree.ROOT / COUNTS
    allowed = tomllib.loads(tree.text(COUNTS)) if kept.is_file() else {}
    if "--write" in arguments:
        kept.write_text(counts_text(lowered(by_folder, allowed, first=not kept.is_file())), encoding="utf-8")
        return 0
    if arguments:
        print(*(f'{name}:{line}: "{what}"; write {write}' for folder in arguments
                for name, line, what, write in by_folder.get(folder.rstrip("/"), [])), sep="\n")
        return 0
    left = sum(min(len(found), allowed.get(folder, 0)) for folder, found in by_folder.items())
    clean = sum(1 for found in by_folder.values() if not found)
    return tree.report("words", complaints_of(by_folder, allowed),
                       f"{clean} of {len(by_folder)} folders have plain ones only; {left} are left in the others")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
