#!/usr/bin/env python3
"""Lists every message that the command, the shell and the spec reader give in the tests, and checks that each can be read.

`python3 tests/cli/messages.py` prints them from top to bottom. As a test it fails for a message that breaks a rule (a capital letter at
its start, a full stop), and for a message in the sources of the command that no test produces,
unless `messages_unseen.list` has it with the reason.
"""
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
UNSEEN = TREE / "tests/cli/messages_unseen.list"
SOURCES = ["src/cli/**/*.cpp", "src/cli/**/*.h"]
TRANSCRIPTS = ["tests/cli/*.txt", "docs/**/*.md", "README.md"]
TESTS = ["src/cli/**/*_test.cpp", "src/sandbox/spec/*_test.cpp", "src/runtime/*_test.cpp", "src/base/**/*_test.cpp", "tests/sandboxes/spec*_test.cpp",
         "tests/sandboxes/*_test.cpp", "tests/cli/*.py"]
LITERAL = r'(?:"(?:\\.|[^"\\\n])*"|R"\((?:.*?)\)")'
JOINED = re.compile(LITERAL + r"(?:\s*" + LITERAL + r")*")
ERROR_LINE = re.compile(r"^(?:error|warning): (?:line \d+: )?(.*)$")
JSON_MESSAGE = re.compile(r'"error":\{.*?"message":"((?:\\.|[^"\\])*)"')
# Calls whose argument is a message.
GIVERS = re.compile(r"\b(?:fail|refuse|refuse_usage|refuse_path|OptionError|Error\{|\.message =|problems\.add|complaints\.add\w*)")
SENTENCE = re.compile(r"^[^A-Z\n]*[a-z]{2,} .*[a-z]{2,}[^\n]*$")
# Tables of help, which tests/cli/help.txt and docs/reference show.
NO_MESSAGES = {"verb_table.cpp", "exit_code.cpp"}
HELP = re.compile(r"add_(?:option|flag|subcommand|count_option)|->footer|\.about =|type_name")


def text_of(path):
    return path.read_text(encoding="utf-8")


def files(patterns):
    return sorted({path for pattern in patterns for path in TREE.glob(pattern)})


def in_transcripts():
    """The messages of all transcripts, each once, in the order of the files."""
    seen = {}
    for path in files(TRANSCRIPTS):
        for line in text_of(path).splitlines():
            plain, json = ERROR_LINE.match(line), JSON_MESSAGE.search(line)
            for message in [plain and plain.group(1), json and json.group(1).replace('\\"', '"')]:
                if message:
                    seen.setdefault(message, path.relative_to(TREE))
    return seen


def unquote(literals):
    """The text of string literals that stand one after another."""
    parts = [part[3:-2] if part.startswith("R") else part[1:-1] for part in re.findall(LITERAL, literals, re.DOTALL)]
    return "".join(parts).replace('\\"', '"').replace("\\\\", "\\")


def is_message(text):
    """Whether a literal is a sentence of an error: parts of one are shorter, and what ends a line is an answer."""
    return bool(SENTENCE.search(text)) and len(text.split()) >= 4 and not text.endswith("\\n")


def in_sources():
    """(file, message as it is written) of each message that the command's own code makes."""
    found = []
    for path in files(SOURCES):
        if path.stem.endswith(("_test", "_fixture", "_text")) or path.name in NO_MESSAGES:
            continue
        for statement in re.split(r"[;{}]\s*\n", text_of(path)):
            statement = re.sub(r"//[^\n]*", "", statement)
            if HELP.search(statement) or not GIVERS.search(statement):
                continue
            found += [(path.relative_to(TREE), message) for message in map(unquote, JOINED.findall(statement)) if is_message(message)]
    return found


def pattern_of(message):
    """A regular expression for what a format string becomes; only its longest fixed parts count."""
    parts = [re.escape(part) for part in re.split(r"\{[^{}]*\}", message.replace("{{", "\0").replace("}}", "\1"))]
    return re.compile("[^\n]*".join(parts).replace("\0", r"\{").replace("\1", r"\}"))


def faults_of(message):
    first = message[0]
    if first.isupper() and not re.match(r"[A-Z_]+\b|Rust\b|WebAssembly\b", message):
        yield "starts with a capital letter"
    if message.endswith(".") and not message.endswith("..."):
        yield "ends with a full stop"


def unseen_allowed():
    lines = text_of(UNSEEN).splitlines() if UNSEEN.is_file() else []
    return {line for line in lines if line and not line.startswith("#")}


def main():
    seen = in_transcripts()
    if len(sys.argv) == 1:
        print("\n".join(seen))
        return 0
    produced = "".join(text_of(path) for path in files(TRANSCRIPTS)) + "".join(unquote_all(text_of(path)) for path in files(TESTS))
    complaints = [f"{path}: \"{message}\" {fault}" for message, path in seen.items() for fault in faults_of(message)]
    allowed, sources = unseen_allowed(), in_sources()
    unseen = sorted({message for _, message in sources if not pattern_of(message).search(produced)})
    complaints += [f"no test produces \"{message}\"; add one, or the line to {UNSEEN.relative_to(TREE)} with the reason"
                   for message in unseen if message not in allowed]
    complaints += [f"{UNSEEN.relative_to(TREE)}: \"{line}\" is produced by a test, or no message; take it away"
                   for line in sorted(allowed - set(unseen))]
    print("\n".join(complaints) or f"messages: {len(seen)} in transcripts read well, and all {len(sources)} of the command are produced or explained")
    return 1 if complaints else 0


def unquote_all(text):
    return "\n".join(map(unquote, JOINED.findall(text)))


if __name__ == "__main__":
    sys.exit(main())
