#!/usr/bin/env python3
"""Refuses error messages that start with a capital letter or end with a full stop.

A message starts in lower case (a name like WASI keeps its capitals), has no full stop at its end, names the thing and says what to do.
Every string literal of the library with a blank in it counts as a message or as a part of one, whichever function makes the error of it;
literals that follow one another are one. Tables whose sentences are printed as pages, help and charts are left out, and so is what petri looks for in the messages of clang.
"""

import re
import sys

import tree

LIBRARY = re.compile(r"(src|include|engine/src|guest)/.*\.(cpp|h|rs)$")
# Tests, and sentences that are no messages: help, reference pages, the report, the tables of events, metrics, findings and audit entries.
LEFT_OUT = re.compile(r"(_test|_fixture|/fixture)\.(cpp|h|rs)$|^src/(cli|developer|report)/"
                      r"|^src/compiler/clang/(clang_messages|jailed_clang)\.cpp$"
                      r"|^src/(audit/audit_kinds|security/finding_rules|telemetry/event_rules|telemetry/metrics/metrics)\.cpp$")
RUST_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod .*", re.DOTALL | re.MULTILINE)
LITERALS = re.compile(r"""//[^\n]*|'(?:\\.|[^'\\\n])'|R"(\w*)\(.*?\)\1"|\br(#+)".*?"\2|("(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*)""", re.DOTALL)
JOINT = re.compile(r'"\s*"|\\\n\s*')
CAPITAL = re.compile(r"[A-Z][a-z]*(?= |$)")
NAMES = {"WebAssembly", "Unicode", "Prometheus", "Linux", "Rust"}
ADDED_STOP = re.compile(r"""message\s*\+=\s*['"]\.['"]""")
FULL_STOP = re.compile(r"[^.]\.$")
TWO_SENTENCES = re.compile(r"[a-z)}]\. [A-Z][a-z]* ")


def fault_of(message):
    """What is wrong with one message, or None."""
    first = CAPITAL.match(message)
    if first and first.group(0) not in NAMES and not (len(first.group(0)) == 1 and first.group(0) != "A"):
        return f'starts with "{first.group(0)}"; start in lower case'
    if FULL_STOP.search(message):
        return "ends with a full stop; leave it out"
    if TWO_SENTENCES.search(message):
        return "has two sentences; join them with a semicolon"
    return None


def messages_in(text):
    """(line, message) of every literal with a blank in it."""
    for match in LITERALS.finditer(text):
        message = JOINT.sub("", match.group(3) or "")[1:-1]
        if " " in message:
            yield text.count("\n", 0, match.start()) + 1, message


def complaints_of(name, text):
    """One complaint for each message of a file that breaks the rule."""
    prose = RUST_TESTS.sub("", text) if str(name).endswith(".rs") else text
    found = [(line, f'the message "{message[:60]}" {fault}') for line, message in messages_in(prose) if (fault := fault_of(message))]
    found += [(prose.count("\n", 0, match.start()) + 1, "a full stop is added to a message; leave it out") for match in ADDED_STOP.finditer(prose)]
    return [f"{name}:{line}: {fault}" for line, fault in sorted(found)]


def is_looked_at(name):
    return bool(LIBRARY.match(str(name))) and not LEFT_OUT.search(str(name))


def main():
    names = [name for name in tree.files() if is_looked_at(name)]
    complaints = [complaint for name in names for complaint in complaints_of(name, tree.text(name))]
    return tree.report("messages", complaints, f"{len(names)} files have messages in lower case without a full stop")


if __name__ == "__main__":
    sys.exit(main())
