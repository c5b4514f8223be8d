"""What the gate says of each module of the corpus."""

import concurrent.futures
import dataclasses
import json
import re
import subprocess

TIME_MAX_S = 120


@dataclasses.dataclass
class File:
    package: object
    name: str
    bytes: int
    functions: int = 0
    bounds: str = ""  # the narrowest set of bounds that it keeps to
    refusal: str = ""  # of both sets
    refused_features: bool = False  # it uses a proposal that petri does not accept
    imports: int = 0
    unknown: list[str] = dataclasses.field(default_factory=list)  # imports that a bare `petri run` does not offer


def inspect(petri, path, bounds):
    command = [petri, "inspect", path, "--json", "--bounds", bounds, "--module_bytes_max", "100MiB"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIME_MAX_S, check=False)
    return json.loads(ended.stdout)


def inspect_file(petri, package, name, path):
    file = File(package, name, path.stat().st_size)
    answer = inspect(petri, path, "program")
    if "error" in answer:
        message = answer["error"]["message"].split(": ", 1)[-1]
        file.refused_features = message.startswith("the module uses ")
        file.refusal = re.sub(r" \(at byte \d+\)$", "", re.sub(r"^the module ", "", message))
        return file
    module = answer["module"]
    file.functions = module["functions"]
    file.imports = len(module["imports"])
    file.unknown = [f"{one['module']}.{one['name']}" for one in module["imports"]
                    if one["verdict"] != "offered" and "permission" not in one]
    file.bounds = "program" if "error" in inspect(petri, path, "candidate") else "candidate"
    return file


def inspect_all(petri, packages):
    wanted = [(package, name, path) for package in packages for name, path in sorted(package.files.items())]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda one: inspect_file(petri, *one), wanted))


def accepted_percent(files):
    """Of the modules that use accepted features alone."""
    counted = [file for file in files if not file.refused_features]
    accepted = [file for file in counted if file.bounds]
    return 100 * len(accepted) / len(counted) if counted else 0
