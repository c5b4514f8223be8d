#!/usr/bin/env python3
"""Holds every #include in src/ to the layers and to the DEPENDS of its module."""

import re
import sys

import tree

# Bottom to top. A module includes only modules of lower layers, and only those its petri_module() names.
LAYERS = [
    ["base"],
    ["telemetry", "resources", "wasm_builder"],
    ["security"],
    ["compiling"],
    ["engine"],
    ["audit", "compile_worker"],
    ["host"],
    ["run", "tiering"],
    ["evaluation", "process"],
    ["supervisor", "state", "modules", "report"],
    ["sandbox"],
    ["compiler", "watcher", "batch", "population"],
    ["runtime"],
    ["testing"],
    ["bench"],  # beside src/: it stands on the public headers alone
    ["cli", "bindings"],
    ["developer"],
]
LAYER_OF = {module: height for height, modules in enumerate(LAYERS) for module in modules}

# Which module stands behind a public header.
PUBLIC = {
    "error.h": "base", "outcome.h": "base", "result.h": "base", "tier.h": "base", "value.h": "base",
    "events.h": "telemetry", "usage.h": "telemetry",
    "event_logger.h": "telemetry", "event_sinks.h": "telemetry", "event_text.h": "telemetry",
    "limits.h": "resources", "sandbox_limits.h": "resources",
    "audit_level.h": "security", "containment.h": "security", "findings.h": "security",
    "permissions.h": "security", "profile.h": "security",
    "wasm_builder.h": "wasm_builder", "wasm_operators.h": "wasm_builder",
    "compile.h": "compiling",
    "artifact.h": "engine", "source.h": "engine",
    "audit.h": "audit",
    "guest_error.h": "host", "host_callable.h": "host", "host_functions.h": "host", "log_level.h": "host",
    "scan.h": "host",
    "run.h": "run",
    "evaluate.h": "evaluation", "records.h": "evaluation",
    "report.h": "report",
    "recovery.h": "supervisor", "tree.h": "supervisor",
    "state.h": "state",
    "versions.h": "modules",
    "sandbox.h": "sandbox", "reload.h": "sandbox", "snapshot.h": "sandbox", "module_archive.h": "sandbox",
    "runtime.h": "runtime",
    "testing.h": "testing",
}

# Folders beside src/ whose headers only tests may use.
FOR_TESTS = {"testing", "tests"}
CRATE_HEADER = "petri_engine.h"
CRATE_MODULE = "engine"


def parse_depends(cmake):
    """The modules a CMakeLists.txt declares: name -> DEPENDS."""
    cmake = re.sub(r"#.*", "", cmake)
    declared = {}
    for body in re.findall(r"petri_module\s*\(([^)]*)\)", cmake):
        words = body.split()
        keyword = None
        depends = []
        for word in words[1:]:
            if word in ("SOURCES", "TESTS", "DEPENDS", "LIBRARIES"):
                keyword = word
            elif keyword == "DEPENDS":
                depends.append(word)
        declared[words[0]] = depends
    return declared


def reachable(module, depends):
    """The module and all it stands on, directly or not."""
    seen, waiting = set(), [module]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += depends.get(current, [])
    return seen


def check_declaration(module, depends):
    """What is wrong with a module's DEPENDS themselves."""
    if module not in LAYER_OF:
        return [f"module {module} stands in no layer; add it to LAYERS in tools/check/includes.py"]
    upward = [d for d in depends[module] if LAYER_OF.get(d, len(LAYERS)) >= LAYER_OF[module]]
    return [f"module {module} depends on {d}, which is not below it" for d in upward]


def check_include(module, name, included, depends):
    """What is wrong with one include of a file in src/<module>, or None; and the module it reaches."""
    folder, _, rest = included.rpartition("/")
    folder = folder.split("/")[0]
    if rest == CRATE_HEADER:
        return (None if module == CRATE_MODULE else "only src/engine knows the Rust crate"), None
    if folder == "":
        return f'write it from src/: "{module}/{included}"', None
    if folder in FOR_TESTS:
        return (None if name.stem.endswith("_test") else f"only tests include {folder}/"), None
    if folder == "petri":
        owner = PUBLIC.get(rest)
        if owner is None:
            return "no module owns this header; add it to PUBLIC in tools/check/includes.py", None
        wrong = owner not in reachable(module, depends)
        return (f"it belongs to {owner}, which {module} does not stand on" if wrong else None), owner
    if folder != module and folder not in depends[module]:
        return f"{module} does not name {folder} in its DEPENDS", folder
    return None, folder


def includes_of(text):
    """(line, included file) of every include in quotes."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1))
            for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, re.MULTILINE)]


def behind_public(header, headers, seen=None):
    """The modules behind a public header and all the public headers it includes; `headers`: name -> text."""
    seen = set() if seen is None else seen
    if header not in seen:
        seen.add(header)
        for _, included in includes_of(headers.get(header, "")):
            behind_public(included.removeprefix("petri/"), headers, seen)
    return {PUBLIC[name] for name in seen if name in PUBLIC}


def check_module(module, sources, depends, headers=None):
    """What is wrong with the files of one module, given as (name, text)."""
    complaints = check_declaration(module, depends)
    used = set()
    for name, text in sources:
        for line, included in includes_of(text):
            wrong, reached = check_include(module, name, included, depends)
            used.add(reached)
            if included.startswith("petri/"):
                used |= behind_public(included.removeprefix("petri/"), headers or {})
            if wrong:
                complaints.append(f'{name}:{line}: "{included}": {wrong}')
    unused = [d for d in depends[module] if d not in used]
    return complaints + [f"module {module} names {d} in its DEPENDS and includes nothing of it" for d in unused]


def main():
    names = [name for name in tree.files() if name.parts[0] == "src" and len(name.parts) > 2]
    depends = {}
    for name in names:
        if name.name == "CMakeLists.txt":
            depends.update(parse_depends(tree.text(name)))
    headers = {n.name: tree.text(n) for n in tree.files() if n.parts[:2] == ("include", "petri")}
    complaints = []
    for module in sorted(depends):
        sources = [(n, tree.text(n)) for n in names if n.parts[1] == module and n.suffix in (".h", ".cpp")]
        complaints += check_module(module, sources, depends, headers)
    return tree.report("includes", complaints, f"all point downwards in {len(depends)} modules")


if __name__ == "__main__":
    sys.exit(main())
