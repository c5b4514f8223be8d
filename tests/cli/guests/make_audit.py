"""Writes an audit file of so many entries, as docs/guides/audit.md describes it: make_audit.py COUNT FILE"""
import hashlib
import json
import sys


def seal(before, fields):
    body = json.dumps(fields, separators=(",", ":"))[:-1]
    digest = hashlib.sha256(before + body.encode()).digest()
    return digest, f'{body},"hash":"{digest.hex()}"}}\n'


def entry(number):
    fields = {"number": number, "time": f"2026-01-02T03:04:{number % 60:02}.000005Z", "sandbox": f"s{number % 3}",
              "process": "main", "kind": "limit_met", "cause": "timers_max", "details": {"allowed": 10, "seen": 10 + number}}
    if number % 2 == 0:
        fields = {"number": number, "time": fields["time"], "sandbox": "line\nbreak \x1b[31m", "kind": "recovery"}
    return fields


count, path = int(sys.argv[1]), sys.argv[2]
with open(path, "w", encoding="ascii") as file:
    last, line = seal(bytes(32), {"petri_audit": 1, "started": "2026-01-02T03:04:00.000000Z"})
    file.write(line)
    for number in range(1, count + 1):
        last, line = seal(last, entry(number))
        file.write(line)
