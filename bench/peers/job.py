"""The job all peers are given: candidate number n over 20 cases, from its bytes or text to the sum of squared errors."""

import pathlib
import struct

POINTS = [float(x) for x in range(20)]
TARGETS = [x + x * x + x * x * x + x * x * x * x for x in POINTS]
MARKER = struct.pack("<d", 1234567.890625)  # in candidate.wat


def constant(number):
    return 1 + number * 2.0**-30


def score(function):
    total = 0.0
    for x, target in zip(POINTS, TARGETS):
        error = function(x) - target
        total += error * error
    return total


def expected(number):
    c = constant(number)
    return score(lambda x: c * (x * x) + (x * x * 0.375 - x / (x * x + 1.25)))


def python_text(number):
    return f"lambda x: {constant(number)!r} * (x * x) + (x * x * 0.375 - x / (x * x + 1.25))"


def javascript_text(number):
    return f"(function (x) {{ return {constant(number)!r} * (x * x) + (x * x * 0.375 - x / (x * x + 1.25)); }})"


def wasm_template(folder):
    return pathlib.Path(folder, "candidate.wasm").read_bytes()


def wasm(template, number):
    return template.replace(MARKER, struct.pack("<d", constant(number)))
