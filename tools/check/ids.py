#!/usr/bin/env python3
"""Holds the ids that tests carry to the lists of docs/behaviours.md and docs/hostile-cases.md.

Fails when a test carries an id that no list has, when a listed behaviour has neither a test nor a reason, and when
docs/reference/tests-by-id.md is not what the tests say; `tools/check/ids.py --write` writes that page.
"""

import bisect
import collections
import re
import sys

import tree

PAGE = "docs/reference/tests-by-id.md"
BEHAVIOURS, HOSTILE = "docs/behaviours.md", "docs/hostile-cases.md"
ID = r"(?:HF|[A-Z])\d\d"
# Both lists have families B, C and G. A plain B07 is a behaviour; the hostile case is written `hostile B07`, except in
# tests/hostile, where every id of such a family is a hostile case.
IN_COMMENT = re.compile(rf"\b(hostile )?({ID})\b")
# An id of one digit, as the first word of a comment: these are of lists that nobody can look up.
SHORT = re.compile(r"^\W*(?:attacks? )?([A-UW-Z]\d)\b")
# Words of Rust and wasm that look like ids.
NOT_IDS = {"I32", "I64", "F32", "F64"}

Listed = collections.namedtuple("Listed", "titles sentences untested later")
Test = collections.namedtuple("Test", "file name")


def parse_list(text):
    """The sections of a list: its titles and sentences, the ids without a test and the ids that are not built yet."""
    listed = Listed({}, {}, {}, {})
    target = None
    for line in text.splitlines():
        if heading := re.match(r"## (.*)", line):
            title = heading.group(1)
            family = re.match(r"(HF|[A-Z]): (.*)", title)
            if family:
                listed.titles[family.group(1)] = family.group(2)
            target = (listed.sentences if family else
                      {"Listed without a test": listed.untested, "Not built yet": listed.later}.get(title))
        elif target is listed.later and (item := re.match(rf"- (.*{ID}): (.+)", line)):
            target.update({id_: item.group(2) for id_ in ids_between(item.group(1))})
        elif target is not None and (item := re.match(rf"- ({ID}) (.+)", line)):
            if item.group(1) in target:
                raise ValueError(f"{item.group(1)} is listed twice")
            target[item.group(1)] = item.group(2)
    return listed


def ids_between(text):
    """The ids of a text such as `B01 to B06, B08`."""
    ids = []
    for first, last in re.findall(rf"({ID})(?: to ({ID}))?", text):
        ids += [f"{family_of(first)}{number:02}" for number in range(int(first[-2:]), int((last or first)[-2:]) + 1)]
    return ids


def family_of(id_):
    return id_[:-2]


class Lists:
    """Both lists, and which of them an id is looked up in."""

    def __init__(self, behaviours, hostile):
        self.behaviours, self.hostile = parse_list(behaviours), parse_list(hostile)

    def families(self, listed):
        return set(listed.titles) | {family_of(i) for i in listed.later}

    def key(self, file, prefix, id_):
        """`B07` or `hostile B07`: the name under which an id of a file is kept."""
        of_hostile = family_of(id_) in self.families(self.hostile)
        of_behaviours = family_of(id_) in self.families(self.behaviours)
        if prefix or (of_hostile and (not of_behaviours or file.parts[:2] == ("tests", "hostile"))):
            return f"hostile {id_}"
        return id_

    def lookup(self, key):
        """(list, id) of a key."""
        return (self.hostile, key[len("hostile "):]) if key.startswith("hostile ") else (self.behaviours, key)


def ids_in(comment):
    """(prefix, id) of every id of a comment."""
    return [(prefix, id_) for prefix, id_ in IN_COMMENT.findall(comment) if id_ not in NOT_IDS]


# A span is a test with its first and its last line, counted from 0.
def spans_of(lines, head, end):
    """The tests of a file: `head` finds the first line of each, `end` tells from that line what its last one starts with."""
    spans = []
    for number, line in enumerate(lines):
        if found := head(lines, number):
            last = next((i for i in range(number, len(lines)) if lines[i].startswith(end(line))), len(lines) - 1)
            spans.append((number, last, found))
    return spans


def cpp_head(lines, number):
    # A head may be broken over two lines.
    text = lines[number] + (lines[number + 1].strip() if number + 1 < len(lines) else "")
    found = re.match(r"(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", text)
    return f"{found.group(1)}.{found.group(2)}" if found else None


def rust_head(lines, number):
    found = re.match(r"\s*fn (\w+)\(", lines[number])
    return found.group(1) if found and any("#[test]" in line for line in lines[max(0, number - 3):number]) else None


def cmake_head(lines, number):
    found = re.match(r"\s*add_test\(NAME\s+(\S+)", lines[number])
    return found.group(1) if found else None


def indent_of(line):
    return line[:len(line) - len(line.lstrip())]


# How comments and tests look, by how a file's name ends.
LANGUAGES = {
    ".cpp": (re.compile(r"//(.*)$|\bcovers\(\"([^\"]*)\"\)"), cpp_head, lambda line: "}"),
    ".h": (re.compile(r"//(.*)$|\bcovers\(\"([^\"]*)\"\)"), cpp_head, lambda line: "}"),
    ".rs": (re.compile(r"//(.*)$"), rust_head, lambda line: indent_of(line) + "}"),
    ".py": (re.compile(r"#(.*)$"), lambda lines, number: None, lambda line: ""),
    ".txt": (re.compile(r"^\s*#(.*)$"), cmake_head, lambda line: ""),
}


def is_test(name):
    """Whether a file may carry ids: tests, the lists of tests for ctest, and the crate, which keeps tests beside the code."""
    if name.suffix not in LANGUAGES or name.parts[0] not in ("src", "tests", "engine", "fuzz", "examples"):
        return False
    if name.name == "CMakeLists.txt" or name.suffix == ".rs":
        return True
    return name.parts[0] == "tests" or name.stem.endswith("_test")


def carried_by(name, text):
    """(line, prefix, id, test) of every id in a file; the test is empty where the whole file is meant."""
    pattern, head, end = LANGUAGES[name.suffix]
    lines = text.splitlines()
    spans = spans_of(lines, head, end)
    starts = [first for first, _, _ in spans]
    found = []
    for number, line in enumerate(lines):
        match = pattern.search(line)
        if not match:
            continue
        comment = next(group for group in match.groups() if group is not None)
        test = test_of(number, spans, starts, lines, pattern)
        found += [(number + 1, prefix, id_, test) for prefix, id_ in ids_in(comment)]
        if short := SHORT.match(comment):
            found.append((number + 1, "", short.group(1), test))
    return found


def test_of(number, spans, starts, lines, pattern):
    """The test around a line; else the next one, unless the line belongs to the comment the file opens with."""
    at = bisect.bisect_right(starts, number) - 1
    if at >= 0 and number <= spans[at][1]:
        return spans[at][2]
    if all(pattern.match(line) for line in lines[:number + 1]) or at + 1 == len(spans):
        return ""
    return spans[at + 1][2]


def named(test):
    """The name of a test, or nothing where CMake makes it from a variable."""
    return "" if "$" in test else test


def gather(lists, files):
    """key -> the tests that carry it, in the order of their files; `files`: (name, text)."""
    tests = collections.defaultdict(list)
    places = {}
    for name, text in files:
        for line, prefix, id_, test in carried_by(name, text):
            key = lists.key(name, prefix, id_)
            places.setdefault(key, f"{name}:{line}")
            carrier = Test(name, named(test))
            if carrier not in tests[key]:
                tests[key].append(carrier)
    return tests, places


def complaints_of(lists, tests, places):
    """What is wrong between lists and tests."""
    complaints = []
    for key in sorted(tests):
        listed, id_ = lists.lookup(key)
        if id_ in listed.later:
            complaints.append(f"{places[key]}: {key} stands under \"Not built yet\"; move it up to its family"
                              + (f", or write hostile {id_}" if id_ in lists.hostile.sentences else ""))
        elif id_ not in listed.sentences:
            complaints.append(f"{places[key]}: {key} is in no list; see {BEHAVIOURS} and {HOSTILE}")
        elif id_ in listed.untested:
            complaints.append(f"{places[key]}: {key} has a test now; take it out of \"Listed without a test\"")
    for prefix, listed, page in [("", lists.behaviours, BEHAVIOURS), ("hostile ", lists.hostile, HOSTILE)]:
        for id_ in sorted(set(listed.sentences) - set(listed.untested)):
            if prefix + id_ not in tests:
                complaints.append(f"{page}: no test carries {prefix}{id_}; write one, or say why there is none")
        complaints += [f"{page}: {id_} is listed without a test and in no family" for id_ in listed.untested
                       if id_ not in listed.sentences]
    return complaints


def shown(tests):
    """The tests of one id by file, as Markdown."""
    by_file = collections.defaultdict(list)
    for test in tests:
        by_file[test.file].append(test.name)
    texts = []
    for file, names in by_file.items():
        place = f"`{file}`"  # no link: the page is installed, and the tests are not
        named = ", ".join(f"`{name}`" for name in names if name)
        texts.append(f"{place}: {named}" if named else place)
    return "<br>".join(texts)


def page_of(lists, tests):
    """The generated page."""
    out = ["<!-- Made by tools/check/ids.py --write from the tests; edit those. -->", "# Tests by id", "",
           "Every behaviour of [behaviours.md](../behaviours.md) and every case of [hostile-cases.md](../hostile-cases.md) that exists",
           "today, with the tests that carry its id. A file without a test's name is about the id as a whole.", ""]
    for prefix, listed in [("", lists.behaviours), ("hostile ", lists.hostile)]:
        for family, title in listed.titles.items():
            ids = [i for i in listed.sentences if family_of(i) == family]
            out += [f"## {prefix.capitalize()}{family}: {title}", "", "| id | behaviour | tests |", "|---|---|---|"]
            for id_ in ids:
                cell = shown(tests[prefix + id_]) if prefix + id_ in tests else "none: " + listed.untested.get(id_, "")
                sentence = listed.sentences[id_].replace("|", "\\|")
                out.append(f"| {id_} | {sentence} | {cell} |")
            out.append("")
    return "\n".join(out)


def main(arguments):
    name = tree.ROOT / PAGE
    lists = Lists(tree.text(BEHAVIOURS), tree.text(HOSTILE))
    tests, places = gather(lists, [(n, tree.text(n)) for n in tree.files() if is_test(n)])
    complaints = complaints_of(lists, tests, places)
    page = page_of(lists, tests)
    if "--write" in arguments:
        name.write_text(page, encoding="utf-8")
    elif not complaints and (not name.is_file() or tree.text(PAGE) != page):
        complaints.append(f"{PAGE} is not what the tests say; write it with tools/check/ids.py --write")
    count = len({test for carried in tests.values() for test in carried})
    return tree.report("ids", complaints, f"{len(tests)} are carried by {count} tests, and each is listed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
