#!/usr/bin/env python3
"""Types a transcript again and compares the answers. README.md beside this file says how transcripts are written."""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

COMMAND_SECONDS_MAX = 60
DURATION = r"(?:\d+(?:\.\d+)? (?:ns|µs|ms|s)|\d+ min(?: \d+ s)?|\d+ h(?: \d+ min)?(?: \d+ s)?)"
PLACEHOLDERS = {
    "<TIME>": DURATION,
    "<NUMBER>": r"-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?",
    "<SIZE>": r"\d+(?:\.\d+)? (?:B|KiB|MiB|GiB|TiB)",
    "<HEX>": r"[0-9a-f]+",
    "<ANY>": r".*",
}


@dataclass
class Step:
    """One command with what stands before it in the file and what it is expected to answer."""
    before: list = field(default_factory=list)
    command: list = field(default_factory=list)  # lines, without their prompts
    answer: list = field(default_factory=list)


def is_aside(line):
    return not line.strip() or line.startswith("#")


def split_answer(lines):
    """The answer, and the comments and empty lines at its end, which belong to the next command."""
    end = len(lines)
    while end > 0 and is_aside(lines[end - 1]):
        end -= 1
    return lines[:end], lines[end:]


def read_steps(text):
    """The steps, and the lines after the last one."""
    steps, gathered = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            before = gathered
            if steps:
                steps[-1].answer, before = split_answer(gathered)
            steps.append(Step(before=before, command=[line[2:]]))
            gathered = []
        elif line.startswith("> ") and steps and not gathered:
            steps[-1].command.append(line[2:])
        else:
            gathered.append(line)
    if not steps:
        return steps, gathered
    steps[-1].answer, after = split_answer(gathered)
    return steps, after


def pattern_of(line):
    parts = re.split("(" + "|".join(PLACEHOLDERS) + ")", line)
    return re.compile("".join(PLACEHOLDERS.get(part, re.escape(part)) for part in parts))


def matches(expected, actual):
    return len(expected) == len(actual) and all(pattern_of(e).fullmatch(a) for e, a in zip(expected, actual))


def environment_for(petri):
    """Where the commands find petri, and the Python that runs this, before all else."""
    folders = [str(petri.parent), str(Path(sys.executable).parent), os.environ.get("PATH", "/usr/bin:/bin")]
    environment = {"PATH": ":".join(folders), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "HOME"):
        if name in os.environ:
            environment[name] = os.environ[name]
    return environment


def run(step, folder, environment):
    """The lines a command answers, with its exit code if that is not 0."""
    done = subprocess.run(["bash", "-c", "\n".join(step.command)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS_MAX, check=False)
    lines = done.stdout.decode("utf-8", errors="backslashreplace").splitlines()
    return lines + ([f"[exit {done.returncode}]"] if done.returncode != 0 else [])


def keep_placeholders(expected, actual):
    """The actual lines, but in the words of an expected line wherever that still fits."""
    if len(expected) == len(actual):
        return [e if pattern_of(e).fullmatch(a) else a for e, a in zip(expected, actual)]
    patterns = [(line, pattern_of(line)) for line in expected if "<" in line]
    return [next((line for line, pattern in patterns if pattern.fullmatch(a)), a) for a in actual]


def show_difference(name, step, actual):
    print(f"{name}: $ {' '.join(step.command)}")
    for line in difflib.unified_diff(step.answer, keep_placeholders(step.answer, actual), "expected", "answered", lineterm=""):
        print("  " + line)


def play(steps, name, petri, guests):
    """Runs all steps in one fresh folder. Returns what each answered, and how many differ."""
    answers, failures = [], 0
    environment = environment_for(petri)
    with tempfile.TemporaryDirectory(prefix="petri-transcript-") as scratch:
        folder = Path(scratch) / "work"
        shutil.copytree(guests, folder) if guests else folder.mkdir()
        for step in steps:
            actual = run(step, folder, environment)
            answers.append(actual)
            if not matches(step.answer, actual):
                failures += 1
                show_difference(name, step, actual)
    return answers, failures


def rewritten(steps, answers, after):
    lines = []
    for step, answer in zip(steps, answers):
        lines += step.before
        lines += ["$ " + step.command[0]] + ["> " + more for more in step.command[1:]]
        lines += keep_placeholders(step.answer, answer)
    return "\n".join(lines + after) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True, type=Path, help="the command that is tested")
    parser.add_argument("--guests", type=Path, help="a folder whose files the commands find in theirs")
    parser.add_argument("--update", action="store_true", help="write the answers into the transcript")
    parser.add_argument("transcript", type=Path)
    options = parser.parse_args()

    steps, after = read_steps(options.transcript.read_text(encoding="utf-8"))
    if not steps:
        sys.exit(f"{options.transcript}: there is no command in this transcript.")
    answers, failures = play(steps, options.transcript.name, options.petri.resolve(), options.guests)
    if options.update:
        options.transcript.write_text(rewritten(steps, answers, after), encoding="utf-8")
        return
    if failures:
        sys.exit(f"{options.transcript.name}: {failures} of {len(steps)} commands answered something else.")


if __name__ == "__main__":
    main()
