"""Programs of the corpus: built from source or found in a package, run in both tiers."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TIME_MAX_S = 600


class Failed(Exception):
    """A program that cannot be built or does something else, with the sentence why."""


@dataclasses.dataclass
class Run:
    about: str
    bytes: int = 0
    ends: str = ""
    shows: str = ""
    fuel: int = 0
    tiers: str = ""
    problem: str = ""


def call(command, **options):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIME_MAX_S, check=False, **options)
    if ended.returncode != 0:
        last = (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Failed(f"{' '.join(str(word) for word in command[:2])} failed: {last}")


def need(program, what):
    found = shutil.which(program)
    if found is None and program == "go" and os.access("/usr/local/go/bin/go", os.X_OK):
        return "/usr/local/go/bin/go"
    if found is None:
        raise Failed(f"there is no {program} to build {what} with; install it")
    return found


def build_go(source, out):
    environment = {**os.environ, "GOOS": "wasip1", "GOARCH": "wasm", "GOFLAGS": "-mod=readonly"}
    call([need("go", "the Go program"), "build", "-trimpath", "-o", out, "."], cwd=source, env=environment)


def build_rust(source, out):
    target = "wasm32-wasip1"
    if shutil.which("rustup"):
        call(["rustup", "target", "add", target])
    folder = out.parent / "target"
    call([need("cargo", "the Rust program"), "build", "--release", "--locked", "--target", target, "--target-dir", folder],
         cwd=source)
    shutil.copyfile(folder / target / "release/corpus.wasm", out)


def build_assemblyscript(source, out):
    folder = out.parent / "assemblyscript"
    shutil.copytree(source, folder, dirs_exist_ok=True)
    call([need("npm", "the AssemblyScript program"), "ci", "--silent"], cwd=folder)
    call([folder / "node_modules/.bin/asc", "main.ts", "--outFile", out, "--optimize"], cwd=folder)


BUILDERS = {"go": build_go, "rust": build_rust, "assemblyscript": build_assemblyscript}


def built(name, folder):
    """The built program; C++ is compiled by petri itself."""
    if name == "cpp":
        return HERE / "programs/cpp/main.cpp"
    out = (folder / "programs" / name / "main.wasm").resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    BUILDERS[name](HERE / "programs" / name, out)
    return out


def found(program, packages):
    for package in packages:
        if package.name == program["package"] and program["file"] in package.files:
            return package.files[program["file"]]
    raise Failed(f"{program['package']} was not fetched")


def outcome_of(petri, program, path, tier, folder):
    given = folder / "input"
    given.write_text(program.get("input", ""))
    command = [petri, "run", path, "--json", "--tier", tier, "--input", given, "--code-cache", folder / "code",
               "--compile-time-max", "10min",
               *program.get("arguments", [])]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIME_MAX_S, check=False)
    answer = json.loads(ended.stdout)
    if "error" in answer:
        raise Failed(answer["error"]["message"])
    return answer["outcome"], ended.stderr


def check(program, outcome, said, tier):
    ends = program.get("ends", "")
    well = outcome["kind"] == ends if ends else outcome["kind"] in ("ok", "exited") and outcome.get("exit_code", 0) == 0
    if not well:
        raise Failed(f"{tier}, it ends with {outcome['kind']} instead of {ends or 'well'}")
    if "prints" in program and outcome.get("output", "") != program["prints"]:
        raise Failed(f"{tier}, it prints {outcome.get('output', '')!r} instead of {program['prints']!r}")
    if "returns" in program and [str(value) for value in outcome["values"]] != [program["returns"]]:
        raise Failed(f"{tier}, it returns {outcome['values']} instead of {program['returns']}")
    if program.get("says", "") not in said:
        raise Failed(f"{tier}, it says {said!r} without {program['says']!r}")


def run(petri, program, packages, folder):
    ran = Run(program["about"], ends=program.get("ends", "ok"))
    ran.shows = program.get("says") or program.get("prints") or program.get("returns") or ""
    try:
        path = built(program["build"], folder) if "build" in program else found(program, packages)
        ran.bytes = path.stat().st_size if path.suffix == ".wasm" else 0
        fuel = []
        for tier in ("interpreted", "compiled"):
            outcome, said = outcome_of(petri, program, path, tier, folder)
            check(program, outcome, said, tier)
            fuel.append(outcome["fuel_used"])
        if fuel[0] != fuel[1] and ran.ends != "deadline":
            raise Failed(f"it used {fuel[0]} fuel interpreted and {fuel[1]} compiled")
        ran.fuel, ran.tiers = fuel[0], "both"
    except (Failed, OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as why:
        ran.problem = f"{program['about']}: {why}"
    return ran
