#!/usr/bin/env python3
"""Many receipts, made in one tier and verified in the other, each by a process of its own; then one digit of a receipt is changed."""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the guests' folder is what transcripts see, and some list it
sys.path.insert(0, str(Path(__file__).resolve().parent / "guests"))
import make_population  # noqa: E402

SPEC = ["--function", "f", "--cases", "cases.json", "--fuel", "600000", "--memory", "1MiB", "--seed", "7"]


def petri(options, *words, expected=0):
    done = subprocess.run([options.petri.resolve(), *words, "--json"], cwd=options.folder, stdout=subprocess.PIPE, check=False)
    if done.returncode != expected:
        sys.exit(f"petri {' '.join(words)} ended with {done.returncode}: {done.stdout.decode()}")
    return json.loads(done.stdout)


def verify(options, file, tier, expected=0):
    return petri(options, "verify", file, "--tier", tier, expected=expected)["verification"]


def check_whole(options, made, other):
    """Receipts made in one tier hold in the other; each row is compared."""
    file = f"{made}.jsonl"
    petri(options, "evaluate", "population", *SPEC, "--tier", made, "--records", file)
    found = verify(options, file, other)
    if found["verified"] != options.candidates or found["difference"]:
        sys.exit(f"of {options.candidates} rows made {made} and verified {other}: {found}")
    with open(options.folder / file, encoding="utf-8") as lines:
        return sum(1 for line in lines if '"receipt":"' in line)


def check_flipped(options):
    """The last receipt of the file, with its first digit changed, is what verify names."""
    lines = (options.folder / "interpreted.jsonl").read_text(encoding="utf-8").splitlines()
    last = max(number for number, line in enumerate(lines) if '"receipt":"' in line)
    lines[last] = re.sub('"receipt":"(.)', lambda match: '"receipt":"' + ("1" if match.group(1) == "0" else "0"), lines[last])
    (options.folder / "flipped.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    difference = verify(options, "flipped.jsonl", "compiled", expected=6)["difference"]
    if (difference["line"], difference["field"]) != (last + 1, "receipt"):
        sys.exit(f"a receipt of line {last + 1} was changed, and this was found: {difference}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True, type=Path)
    parser.add_argument("--candidates", required=True, type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="petri-receipts-") as name:
        options.folder = Path(name)
        make_population.write(options.candidates, options.folder / "population")
        (options.folder / "cases.json").write_text('{"cases": [0, 0.5, 1], "targets": [0, 1, 2]}', encoding="utf-8")
        receipts = check_whole(options, "interpreted", "compiled")
        check_whole(options, "compiled", "interpreted")
        if (options.folder / "interpreted.jsonl").read_bytes() != (options.folder / "compiled.jsonl").read_bytes():
            sys.exit("the records of the two tiers differ")
        check_flipped(options)
    print(f"{receipts} receipts of {options.candidates} candidates, made in each tier and verified in the other")


if __name__ == "__main__":
    main()
