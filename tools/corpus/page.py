"""The table of the corpus, docs/reference/corpus.md."""


def count(number):
    return f"{number:,}"


def row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ").strip() for cell in cells) + " |"


def table(head, rows):
    return "\n".join([row(head), "|" + "---|" * len(head), *(row(cells) for cells in rows)]) + "\n"


def verdict(file):
    return f"accepted, `{file.bounds}`" if file.bounds else f"refused: it {file.refusal}"


def unknown(file):
    if not file.bounds:
        return ""
    if not file.unknown:
        return f"all {file.imports}" if file.imports else "none needed"
    return f"{file.imports - len(file.unknown)} of {file.imports}"


def module_rows(files):
    return [(f"`{file.package.name}` {file.package.version}", file.package.about, f"`{file.name}`", count(file.bytes),
             count(file.functions) if file.bounds else "", verdict(file), unknown(file)) for file in files]


def program_rows(ran):
    return [(one.about, count(one.bytes) if one.bytes else "", f"`{one.ends}`", f"`{one.shows.strip()}`" if one.shows else "",
             count(one.fuel) if one.ends not in ("deadline",) and one.fuel else "",
             "as expected" if not one.problem else f"not as expected: {one.problem.split(': ', 1)[-1]}") for one in ran]


def text(packages, files, ran, accepted):
    refused = sum(file.refused_features for file in files)
    gone = [package for package in packages if package.problem]
    lines = [
        "<!-- Made by `make corpus`. Edit tools/corpus/, then run it. -->",
        "# Corpus of real modules",
        "",
        "Modules that people have, from their registries, and programs of ordinary compilers. `make corpus` fetches them by",
        "name, version and hash (`tools/corpus/corpus.toml`), inspects them, builds and runs the programs, and writes this page.",
        "",
        f"{len(files)} modules of {len(packages)} packages: {refused} use proposals that petri does not accept; of the other "
        f"{len(files) - refused}, {accepted:.1f} %",
        "pass the gate by the [bounds](bounds.md) of the set `program`. Emscripten's modules and those of wasm-bindgen import",
        "functions of their own JavaScript; an embedder can offer these.",
        "",
        "## Programs",
        "",
        "Each runs in both tiers, with the same result and the same fuel.",
        "",
        table(("program", "bytes", "ends", "prints, returns or says", "fuel", "result"), program_rows(ran)),
        "## Modules",
        "",
        table(("package", "what it is", "file", "bytes", "functions", "gate", "imports that `petri run` offers"),
              module_rows(files)),
    ]
    if gone:
        lines += ["## Packages that could not be had", "", *(f"- {package.problem}" for package in gone), ""]
    return "\n".join(lines)
