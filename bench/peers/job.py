"""The jobs peers are given: candidates over 20 cases, from bytes or text to the sum of squared errors.

"mix" are the programs of bench/mix, as `petri-dev candidates` prints them; "straight" are those of bench/small_module.cpp, one
expression whose constant differs. Both have the fields wasm (bytes), python, javascript and score.
"""

import json
import math
import pathlib
import struct
import subprocess

POINTS = [float(x) for x in range(20)]
TARGETS = [x + x * x + x * x * x + x * x * x * x for x in POINTS]
MARKER = struct.pack("<d", 1234567.890625)  # in candidate.wat
# What the Python of a candidate is given.
NAMES = {"sqrt": math.sqrt}


def constant(number):
    return 1 + number * 2.0**-30


def score(function):
    total = 0.0
    for x, target in zip(POINTS, TARGETS):
        error = function(x) - target
        total += error * error
    return total


def python_function(text):
    """The function that the Python of a candidate defines."""
    names = dict(NAMES)
    exec(text, names)
    return names["f"]


def straight(template, number):
    c = constant(number)
    expression = f"{c!r} * (x * x) + (x * x * 0.375 - x / (x * x + 1.25))"
    return {
        "number": number,
        "wasm": template.replace(MARKER, struct.pack("<d", c)),
        "python": f"def f(x):\n    return {expression}\n",
        "javascript": f"(function (x) {{ return {expression}; }})",
        "score": score(lambda x: c * (x * x) + (x * x * 0.375 - x / (x * x + 1.25))),
    }


class Job:
    """Makes candidates by number. `folder` is what the script `run` set up."""

    def __init__(self, name, petri_dev, folder):
        self.name = name
        self.petri_dev = petri_dev
        self.template = pathlib.Path(folder, "candidate.wasm").read_bytes()

    def candidates(self, first, count):
        if self.name == "straight":
            return [straight(self.template, number) for number in range(first, first + count)]
        lines = subprocess.run(
            [self.petri_dev, "candidates", str(first), str(count)], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        made = [json.loads(line) for line in lines]
        for one in made:
            one["wasm"] = bytes.fromhex(one["wasm"])
        return made
