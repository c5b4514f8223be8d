"""A fresh Python process for each candidate, ended when it takes too long."""

import platform
import subprocess
import sys

import peer

PROGRAM = """
from math import sqrt
{text}
total = 0.0
for x in range(20):
    x = float(x)
    error = f(x) - (x + x * x + x * x * x + x * x * x * x)
    total += error * error
print(repr(total))
"""


def start(text):
    command = [sys.executable, "-I", "-S", "-c", PROGRAM.format(text=text)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def finish(process, seconds_max=5):
    """Nothing when it had to be ended."""
    try:
        return float(process.communicate(timeout=seconds_max)[0])
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None


def evaluate(texts):
    return peer.in_twos(start, finish, texts)


holds = ["time"] if finish(start("def f(x):\n    while True:\n        pass\n"), seconds_max=0.5) is None else []
peer.serve(lambda one: one["python"], evaluate, version=f"a fresh process (Python {platform.python_version()})", holds=holds)
