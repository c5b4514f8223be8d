#!/usr/bin/env python3
"""Holds every #include to the tables of ARCHITECTURE.md, and those of src/ to the DEPENDS of their module too."""

import re
import sys

import tree

ARCHITECTURE = "ARCHITECTURE.md"


def rows_below(text, heading):
    """The cells of every row of the table whose first heading is this."""
    rows, inside = [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        inside = bool(cells) and (inside or cells[0] == heading)
        if inside and cells[0] != heading and not cells[0].startswith("---"):
            rows.append(cells)
    return rows


def names_in(cell):
    """The modules of a cell; `engine/` is the crate, and no module."""
    return re.findall(r"`(\w+)`", cell)


def layers_of(text):
    """module -> its layer, as the table in ARCHITECTURE.md says; a module includes only modules of lower layers."""
    return {module: int(cells[0]) for cells in rows_below(text, "layer") for module in names_in(cells[1])}


def beside_of(text):
    """folder beside src/ -> the modules whose internal headers it may include."""
    return {names_in(cells[0])[0]: names_in(cells[1]) for cells in rows_below(text, "folder")}


LAYER_OF = layers_of(tree.text(ARCHITECTURE))

# Which module stands behind a public header: where several have a part of it, the lowest.
PUBLIC = {
    "outcome.h": "base", "result.h": "base", "tier.h": "base", "value.h": "base", "format.h": "base",
    "events.h": "telemetry", "event_logger.h": "telemetry", "event_sinks.h": "telemetry",
    "limits.h": "resources", "population.h": "population", "batch.h": "batch",
    "policy.h": "security", "scan.h": "security",
    "wasm_builder.h": "wasm_builder", "wasm_operators.h": "wasm_builder",
    "artifact.h": "engine", "source.h": "engine", "compile_report.h": "engine",
    "audit.h": "audit",
    "host_functions.h": "host", "host_callable.h": "host",
    "run.h": "run",
    "evaluate.h": "evaluation", "records.h": "evaluation",
    "report.h": "report", "population_report.h": "report",
    "tree.h": "supervisor",
    "state.h": "state",
    "versions.h": "modules",
    "sandbox.h": "sandbox", "reload.h": "sandbox", "snapshot.h": "sandbox", "watch.h": "sandbox",
    "compile.h": "compiler",
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


def included_modules(module, sources):
    """What a program without petri_module() includes; `sources`: its files as (name, text)."""
    folders = {included.split("/")[0] for _, text in sources for _, included in includes_of(text)}
    return sorted(folders - {module, "petri"})


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
        return [f"module {module} stands in no layer; add it to the layers of {ARCHITECTURE}"]
    upward = [d for d in depends[module] if LAYER_OF.get(d, LAYER_OF[module]) >= LAYER_OF[module]]
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
            behind_public(included.rpartition("/")[2], headers, seen)
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
                used |= behind_public(included.rpartition("/")[2], headers or {})
            if wrong:
                complaints.append(f'{name}:{line}: "{included}": {wrong}')
    unused = [d for d in depends[module] if d not in used]
    return complaints + [f"module {module} names {d} in its DEPENDS and includes nothing of it" for d in unused]


def is_cpp(name):
    """Whether a file is C++ of the host; what guests are made of includes the guest's side of the ABI."""
    if name.parent == type(name)("tests/guests") and not name.stem.endswith("_test"):
        return False
    return name.suffix in (".h", ".cpp") or name.name.endswith(".cpp.in")


def check_beside(folder, sources, allowed, existing):
    """What is wrong with the files of a folder beside src/, given as (name, text); `existing`: the names of all files."""
    complaints, used = [], set()
    for name, text in sources:
        for line, included in includes_of(text):
            first = included.split("/")[0]
            own = {name.parent / included, type(name)(folder) / included}
            if first in (folder, "petri") or own & existing:
                continue
            used.add(first)
            if included == CRATE_HEADER or first not in allowed:
                complaints.append(f'{name}:{line}: "{included}": {folder} may not include it, as {ARCHITECTURE} says')
    return complaints + [f"{ARCHITECTURE} lets {folder} include {module}, and it does not" for module in allowed if module not in used]


def check_tables(layers, beside, modules):
    """What is wrong with the tables themselves; `modules`: those that petri_module() declares."""
    complaints = [f"{ARCHITECTURE} has a layer for {module}, and there is no such module"
                  for module in layers if module not in modules and module not in beside]
    for folder, allowed in beside.items():
        above = [module for module in allowed if layers.get(module, 0) >= layers.get(folder, float("inf"))]
        complaints += [f"{ARCHITECTURE} lets {folder} include {module}, which is not below it" for module in above]
    return complaints


def main():
    files = tree.files()
    names = [name for name in files if name.parts[0] == "src" and len(name.parts) > 2]
    depends = {}
    for name in names:
        if name.name == "CMakeLists.txt":
            depends.update(parse_depends(tree.text(name)) or
                           {name.parts[1]: included_modules(name.parts[1], [(n, tree.text(n)) for n in names
                                                                            if n.parts[1] == name.parts[1] and is_cpp(n)])})
    headers = {n.name: tree.text(n) for n in files if n.parts[:2] == ("include", "petri") and n.parts[2] != "compat"}
    beside = beside_of(tree.text(ARCHITECTURE))
    complaints = check_tables(LAYER_OF, beside, depends)
    for module in sorted(depends):
        sources = [(n, tree.text(n)) for n in names if n.parts[1] == module and is_cpp(n)]
        complaints += check_module(module, sources, depends, headers)
    for folder, allowed in sorted(beside.items()):
        sources = [(n, tree.text(n)) for n in files if n.parts[0] == folder and is_cpp(n)]
        complaints += check_beside(folder, sources, allowed, set(files))
    return tree.report("includes", complaints,
                       f"all point downwards in {len(depends)} modules and keep to their rule in {len(beside)} folders beside them")


if __name__ == "__main__":
    sys.exit(main())
