"""The files of the tree, as the checks see them."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED = {".git", "build", "target", "__pycache__", "node_modules"}


def files(root=ROOT):
    """Every file that is or could be committed, relative to the root, sorted."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = [pathlib.PurePosixPath(name) for name in listed.stdout.split("\0") if name]
    else:  # not a repository: an unpacked archive
        names = [pathlib.PurePosixPath(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    kept = {name for name in names if not IGNORED & set(name.parts) and (root / name).is_file()}
    return sorted(kept)


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
