#!/usr/bin/env python3
"""The files of the tree, as the checks see them; as a program, prints their names."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED = {".git", "build", "target", "__pycache__", "node_modules"}


def committed(root):
    """What git says is or could be committed; None where it cannot say: no git, no repository, or one of another user."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return listed.stdout.split("\0")[:-1] if listed.returncode == 0 else None


def walked(root):
    """What is there, for an unpacked archive."""
    names = []
    for folder, folders, files_here in os.walk(root):
        folders[:] = [name for name in folders if name not in IGNORED]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in files_here]
    return names


def files(root=ROOT):
    """Every file that is or could be committed, relative to the root, sorted."""
    listed = committed(root)
    names = {pathlib.PurePosixPath(name) for name in (walked(root) if listed is None else listed)}
    return sorted(name for name in names if not IGNORED & set(name.parts) and (root / name).is_file())


def text(name, root=ROOT):
    """The file's text, or an empty one for what is not text."""
    try:
        return (root / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def report(check, complaints, well):
    """Prints the complaints, or one line that all is well; returns the exit code."""
    for complaint in complaints:
        print(f"{check}: {complaint}")
    if not complaints:
        print(f"{check}: {well}")
    return 1 if complaints else 0


if __name__ == "__main__":
    print(*files(), sep="\n")
