"""make_population.py COUNT FOLDER: writes so many candidates, the same ones every time, all meant to have f : (f64) -> f64. About
one in ten is hostile or broken in a way of its own, and one in ten comes twice."""
import sys
from pathlib import Path

COUNT_DOWN = "(local.set 1 (i32.const {})) (loop (br_if 0 (local.tee 1 (i32.sub (local.get 1) (i32.const 1)))))"


def module(body, before="", after=""):
    return f'(module {before} (func (export "f") (param f64) (result f64) (local i32) {body}) {after})'


def polynomial(number):
    return module(f"(f64.add (f64.mul (local.get 0) (f64.const {number % 7})) (f64.const {number}))")


def adding_up(turns):
    """Keeps a sum in memory from call to call, and is busy meanwhile."""
    return module(COUNT_DOWN.format(turns) + "(f64.store (i32.const 0) (f64.add (f64.load (i32.const 0)) (local.get 0)))"
                  "(f64.load (i32.const 0))", after="(memory 1)")


def candidate(number):
    """(contents, suffix)"""
    odd = {
        3: lambda: module(f"(drop (f64.const {number})) (loop (br 0)) (f64.const 0)"),
        5: lambda: module(f"(if (f64.gt (local.get 0) (f64.const {number % 3})) (then unreachable)) (local.get 0)"),
        9: lambda: polynomial(number - 1),
        11: lambda: module(f"(f64.add (f64.const {number}) (f64.convert_i64_s (call 0)))",
                           before='(import "petri" "random" (func (result i64)))'),
        13: lambda: adding_up(100_000 + number),
        17: lambda: f'(module (func (export "g") (result i32) (i32.const {number})))',
        19: lambda: polynomial(number - 2),
        23: lambda: f'(module (func (export "f") (param i32) (result i32) (i32.const {number})))',
        27: lambda: module("(call $deeper) (local.get 0)", after=f"(func $deeper (drop (i32.const {number})) (call $deeper))"),
        31: lambda: f"(module (func ;; {number}\n",
        37: lambda: module("(local.get 0)", after=f"(memory {17 + number // 40 % 50})"),
    }
    kind = number % 40
    if kind == 33:
        return b"\0asm no module " + str(number).encode(), "wasm"
    return odd.get(kind, lambda: polynomial(number))().encode(), "wat"


def write(count, folder):
    for number in range(count):
        contents, suffix = candidate(number)
        # A folder for each hundred, as larger populations have them.
        place = folder / f"{number // 100:04}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:06}.{suffix}").write_bytes(contents)


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
