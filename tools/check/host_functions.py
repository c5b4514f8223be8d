#!/usr/bin/env python3
"""Finds host functions that wait, parse, loop or read guest memory by themselves.

A host function runs on the guest's clock (src/host/host_call.h). What it waits for, it waits for in HostCall::wait();
guest memory it reads through HostCall and writes through GuestWriter; JSON of a guest it parses with parse_json() of
base/json/bounded_json.h; and a loop takes a Pace, pays as it goes, or says by what it is bounded.
"""

import re
import sys

import tree

# Where host functions are, and what answers them on a guest's thread.
FOLDERS = {("src", "host"), ("src", "process")}
# The places that do it right, so that others need not.
MAY_WAIT = {"src/host/guest/kill_flag.cpp", "src/host/guest/kill_flag.h", "src/host/host_call.cpp", "src/host/host_call.h",
            "src/host/files/file_sync.cpp", "src/host/process_port.h", "src/process/turns/guest_turns.cpp", "src/process/instance/hook_port.h",
            "src/process/turns/run_turns.h", "src/process/process.cpp", "src/process/mailbox/entrance.cpp", "src/process/guest_calls.cpp",
            "src/process/guest_calls.h", "src/process/turns/guest_waits.cpp", "src/process/mailbox/reply.cpp",
            "src/process/mailbox/reply.h", "src/process/turns/workers.cpp", "src/process/mailbox/deterministic_queue.cpp"}
MAY_READ = {"src/host/host_call.h", "src/host/guest/guest_writer.h", "src/host/wasi/memory.cpp"}

WAITS = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|wait_for_kill|SYS_futex)\b"
                   r"|::(poll|ppoll|select|pselect|epoll_wait|fsync|fdatasync|flock|sync)\s*\("
                   r"|\.(wait|wait_for|wait_until)\s*\(")
CALL_WAITS = re.compile(r"\bcall\.(wait|wait_until)\s*\(")
PARSES = re.compile(r"\b(json|Json)::(parse|accept|sax_parse|from_cbor|from_msgpack|from_bson|from_ubjson)\b")
READS = re.compile(r"\bunpaid_memory\s*\(|\bcaller_?\.memory\s*\(")
LOOP = re.compile(r"^\s*(for|while)\s*\(.*$", re.MULTILINE)
PACED = re.compile(r"\b(pace_?\.step|charge|charge_bytes|look|next|pay)\s*\(|// (bounded|paced): \S")


def code_of(text):
    """The text without its comments, in as many lines as before; the marks of loops are kept."""
    return re.sub(r"//(?! (bounded|paced): )[^\n]*", "", text)


def body_end(text, start):
    """Where the statement that follows a loop's head ends."""
    depth, at = 0, text.index("(", start)
    while at < len(text):  # past the head
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    rest = text[at:]
    first = re.match(r"\s*(//[^\n]*)?\s*\{", rest)
    if not first:
        return at + rest.find(";") + 1 + len(rest[rest.find(";") + 1:].split("\n", 1)[0])
    depth = 0
    for offset in range(first.end() - 1, len(rest)):
        depth += {"{": 1, "}": -1}.get(rest[offset], 0)
        if depth == 0:
            return at + offset
    return len(text)


def is_family(text):
    """Whether a file has host functions in it."""
    return re.search(r"^HostFamily \w+\(\)", text, re.MULTILINE) is not None


def complaints_of(name, text):
    """What is wrong with one file, as (line, sentence)."""
    name, code, found = str(name), code_of(text), []
    line_of = lambda at: code.count("\n", 0, at) + 1
    if name not in MAY_WAIT:
        for match in WAITS.finditer(code):
            if not CALL_WAITS.search(code[max(0, match.start() - 4):match.end()]):
                found.append((line_of(match.start()), "waits by itself; use HostCall::wait()"))
    for match in PARSES.finditer(code):
        found.append((line_of(match.start()), "parses by itself; use parse_json() of base/json/bounded_json.h"))
    if name not in MAY_READ:
        for match in READS.finditer(code):
            found.append((line_of(match.start()), "reaches guest memory that is not paid for; use HostCall::read(), "
                                                  "structure(), list() or a GuestWriter"))
    if is_family(text) or name in ("src/host/files/folder.cpp", "src/host/files/folder_usage.cpp", "src/host/wasi/memory.cpp"):
        for match in LOOP.finditer(code):
            if not PACED.search(code[match.start():body_end(code, match.start())]):
                found.append((line_of(match.start()), "loops without a look at the clock; take a Pace, charge as it "
                                                      "goes, or end the line with `// bounded: by what`"))
    return sorted(found)


def is_checked(name):
    return (name.parts[:2] in FOLDERS and name.suffix in (".cpp", ".h")
            and not re.search(r"_(test|fixture)$", name.stem))


def main():
    names = [name for name in tree.files() if is_checked(name)]
    complaints = [f"{name}:{line}: {what}" for name in names for line, what in complaints_of(name, tree.text(name))]
    return tree.report("host_functions", complaints, f"none by itself in {len(names)} files")


if __name__ == "__main__":
    sys.exit(main())
