#!/usr/bin/env python3
"""Installs petri once, into a staged prefix with a space in its name, and looks at what its users get."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

PREFIX = "/usr/a prefix"
NESTED = {"cache": ["show", "clear"], "population": ["list", "show", "lineage", "export", "import"], "audit": ["verify"]}
FIRST = ["run", "compile", "cache", "new", "inspect", "scan", "evaluate", "verify", "records", "show", "report", "population", "shell", "watch",
         "audit", "manual", "completion", "version", "help"]
COMMANDS = ["", *(f"-{name}" for name in FIRST), *(f"-{name}-{inner}" for name, all in NESTED.items() for inner in all)]
DOCUMENTS = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "fuzz/README.md",
             "tests/hostile/README.md", "guest/abi/abi.json", "guest/c/petri.h", "guest/c/petri_cpp.h", "guest/rust/src/lib.rs",
             "guest/assemblyscript/petri.ts"]
LINK = re.compile(r"\]\(([^)\s]+)\)")
BESIDE = ["testing", "wasm_builder", "report", "population_file"]  # libraries beside libpetri.a
PLAIN = ["-P-c", "-P-b", "-P-u"]  # for groff: nothing printed twice to look bold
options = None  # set by main()


def staged():
    """The prefix as it stands under DESTDIR, which is not where it says it is: all of it must work from there."""
    return Path(f"{options.work}/stage{PREFIX}")


def run(*command, check=True, **more):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def install(prefix, **environment):
    return run(options.source / "tools/install", "--from", options.build, prefix, check=False,
               env=os.environ | environment)


def tool(name, package):
    """A program the test needs; without it the test fails, and says what to install."""
    found = shutil.which(name)
    if not found:
        raise AssertionError(f"there is no {name}: install the Debian package {package} (tools/setup test does)")
    return found


def setUpModule():
    shutil.rmtree(options.work, ignore_errors=True)
    umask = os.umask(0o077)  # that of a careful user, whose installation is for all
    done = install(PREFIX, DESTDIR=f"{options.work}/stage")
    os.umask(umask)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


def tearDownModule():
    shutil.rmtree(options.work, ignore_errors=True)


def names_below(folder, pattern):
    return {str(file.relative_to(folder)) for file in folder.rglob(pattern) if file.is_file()}


class InstalledTree(unittest.TestCase):
    def test_has_every_file_a_user_needs_and_no_other(self):
        source = options.source
        expected = {"bin/petri", "bin/petri-compile-server", "bin/petri-compile-worker", "lib/libpetri.a", "lib/libpetri_engine.a", "lib/pkgconfig/petri.pc",
                    "share/petri/guest/c/petri.h", "share/petri/guest/c/petri_cpp.h",
                    "share/petri/guest/rust/Cargo.toml", "share/petri/guest/rust/src/lib.rs", "share/petri/guest/assemblyscript/petri.ts", "share/bash-completion/completions/petri",
                    "share/zsh/site-functions/_petri", "share/fish/vendor_completions.d/petri.fish"}
        expected |= {name for beside in BESIDE for name in (f"lib/libpetri_{beside}.a", f"lib/pkgconfig/petri_{beside}.pc")}
        expected |= {f"lib/cmake/petri/petri{name}.cmake" for name in ("Config", "ConfigVersion", "Targets")}
        expected |= {f"share/man/man1/petri{name}.1" for name in COMMANDS}
        expected |= {f"share/doc/petri/{name}" for name in DOCUMENTS}
        expected |= {f"share/doc/petri/docs/{name}" for kind in ("*.md", "*.svg", "*.py", "*.yml", "*.json") for name in names_below(source / "docs", kind)}
        expected |= {f"share/doc/petri/examples/{name}" for name in names_below(source / "examples", "*")}
        expected |= {f"include/petri/{name}" for name in names_below(source / "include/petri", "*.h")}
        found = {str(file.relative_to(staged())) for file in staged().rglob("*") if file.is_file()}
        build_type = {name for name in found if name.startswith("lib/cmake/petri/petriTargets-")}
        self.assertEqual(len(build_type), 1)
        self.assertEqual(sorted(found - build_type), sorted(expected))

    def test_can_be_read_by_all_whatever_the_umask(self):
        programs = {"bin/petri", "bin/petri-compile-server", "bin/petri-compile-worker"} | {f"share/doc/petri/examples/{name}" for name in
                                                                names_below(options.source / "examples", "*.sh")}
        for path in [staged(), *staged().rglob("*")]:
            wanted = 0o755 if path.is_dir() or str(path.relative_to(staged())) in programs else 0o644
            self.assertEqual(oct(path.stat().st_mode & 0o777), oct(wanted), path)

    def test_names_no_folder_of_the_build_but_sources_in_compiled_rust(self):
        """As docs/installing.md says. The engines' sources are named in what they say when they fail."""
        compiled = {"bin/petri", "bin/petri-compile-worker", "lib/libpetri_engine.a"}
        named = re.compile(re.escape(str(options.source).encode()) + rb"[^\0 :\"]{0,40}")
        for file in filter(Path.is_file, staged().rglob("*")):
            for found in named.findall(file.read_bytes()):
                self.assertIn(str(file.relative_to(staged())), compiled, found)
                self.assertTrue(found.startswith(f"{options.source}/build/engine/release/build/".encode()), (file, found))

    def test_has_pages_whose_links_hold(self):
        documents = staged() / "share/doc/petri"
        dead = []
        for page in documents.rglob("*.md"):
            for link in LINK.findall(page.read_text(encoding="utf-8")):
                target = (page.parent / link.partition("#")[0]).resolve()
                if "://" not in link and not (target.exists() and target.is_relative_to(documents)):
                    dead.append(f"{page.relative_to(documents)} links to {link}")
        self.assertEqual(dead, [])

    def test_has_no_debugging_information(self):
        sections = run("readelf", "--section-headers", "--wide", staged() / "bin/petri").stdout
        self.assertIn(".text", sections)
        self.assertNotIn(".symtab", sections)
        for archive in ("libpetri.a", "libpetri_engine.a", *(f"libpetri_{beside}.a" for beside in BESIDE)):
            self.assertNotIn(" .debug_info ", run("readelf", "--section-headers", "--wide", staged() / "lib" / archive).stdout)

    def test_has_a_command_that_runs(self):
        wat = Path(options.work) / "add.wat"
        wat.write_text('(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))')
        done = run(staged() / "bin/petri", "run", wat, "--call", "add", "--args", 2, 3, "--quiet")
        self.assertEqual(done.stdout, "5\n")


class Consumers(unittest.TestCase):
    """Programs built against the package from where it is now."""
    consumer = Path(__file__).resolve().parent / "consumer"

    def test_find_it_with_cmake(self):
        build = f"{options.work}/consumer"
        said = run(options.cmake, "-S", self.consumer, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={staged()}",
                   f"-DCMAKE_CXX_COMPILER={options.compiler}", f"-DCMAKE_EXE_LINKER_FLAGS={options.linker_flags}").stdout
        self.assertIn(f"guests include {staged()}/share/petri/guest/c", said)
        run(options.cmake, "--build", build)
        self.assertEqual(run(f"{build}/five_lines").stdout, "5\n")
        self.check_all_libraries(f"{build}/all_libraries")

    def check_all_libraries(self, program):
        """What a program says that uses each library beside petri."""
        lines = run(program, cwd=options.work).stdout.splitlines()
        self.assertEqual([lines[0], lines[-1]], ["ok: 42", "logged"])
        self.assertRegex(lines[1], "^(not_found|io_error): .*no records")

    def test_are_told_of_each_header_and_name_that_has_moved(self):
        old = staged() / "include/petri/compat/petri"
        source = self.consumer / "old_headers.cpp"
        included = re.findall(r"#include <(petri/.*)>", source.read_text(encoding="utf-8"))
        self.assertEqual(included, sorted(f"petri/{header.name}" for header in old.glob("*.h")))
        said = run(options.compiler, "-std=c++23", "-fsyntax-only", "-I", staged() / "include", "-I", old.parent, source).stderr
        for header in included:
            self.assertRegex(said, rf"note: .#pragma message: {header} has moved: include petri/\S+")
        for name in ("Digest", "AuditHash", "VersionTime", "AuditTime", "SandboxLimitRule", "limit_changes"):
            self.assertRegex(said, rf"warning: .*{name}.* is deprecated: write ")

    def test_build_the_first_steps_of_the_readme(self):
        build = f"{options.work}/first_steps"
        run(options.cmake, "-S", f"{options.source}/examples/first_steps", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={staged()}",
            f"-DCMAKE_CXX_COMPILER={options.compiler}", f"-DCMAKE_EXE_LINKER_FLAGS={options.linker_flags}")
        run(options.cmake, "--build", build)
        self.assertIn("reloaded: version 1 to 2", run(f"{build}/live_counter", cwd=options.source).stdout)
        self.assertTrue(Path(f"{build}/petri-compile-worker").is_file())

    def run_line_of_page(self, words, functions):
        """What the line of docs/installing.md with these words says; functions of bash stand in for compilers."""
        lines = [line for line in (options.source / "docs/installing.md").read_text(encoding="utf-8").splitlines() if words in line]
        self.assertEqual(len(lines), 1, lines)
        tool("pkg-config", "pkgconf")
        return run("bash", "--norc", "-c", f"set -e; {functions}\n{lines[0]}", cwd=options.work,
                   env=os.environ | {"PKG_CONFIG_PATH": f"{staged()}/lib/pkgconfig"}).stdout

    def test_find_it_with_pkg_config_as_the_page_says(self):
        shutil.copy(self.consumer / "five_lines.cpp", f"{options.work}/program.cpp")
        self.run_line_of_page("$(pkg-config --cflags", f'g++() {{ {shlex.quote(options.compiler)} "$@" {options.linker_flags}; }}')
        self.assertEqual(run(f"{options.work}/program").stdout, "5\n")

    def test_find_the_libraries_beside_it_with_pkg_config(self):
        tool("pkg-config", "pkgconf")
        packages = [f"petri_{beside}" for beside in BESIDE] + ["spdlog", "fmt"]
        flags = run("pkg-config", "--cflags", "--libs", *packages,
                    env=os.environ | {"PKG_CONFIG_PATH": f"{staged()}/lib/pkgconfig"}).stdout
        program = f"{options.work}/all_libraries"
        run(options.compiler, "-std=c++23", self.consumer / "all_libraries.cpp", "-o", program, *shlex.split(flags),
            *shlex.split(options.linker_flags))
        self.check_all_libraries(program)

    def test_find_the_header_of_guests_as_the_page_says(self):
        words = self.run_line_of_page("$(pkg-config --variable=guest_includedir", """clang() { printf '%s\\n' "$@"; }""").splitlines()
        guests = Path(words[words.index("-I") + 1])
        self.assertTrue((guests / "petri.h").is_file(), guests)


class ManualPages(unittest.TestCase):
    def test_render_without_warnings(self):
        groff = tool("groff", "groff-base")
        for name in COMMANDS:
            page = staged() / f"share/man/man1/petri{name}.1"
            done = run(groff, "-man", "-Tutf8", "-ww", *PLAIN, page)
            self.assertEqual(done.stderr, "", page)
            for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                self.assertIn(f"\n{section}\n", done.stdout, page)

    def test_name_every_option_of_the_help(self):
        page = run(tool("groff", "groff-base"), "-man", "-Tascii", *PLAIN, staged() / "share/man/man1/petri-run.1").stdout
        for word in run(staged() / "bin/petri", "run", "--help").stdout.split():
            if word.startswith("--") and word.strip("-"):
                for name in word.split(","):
                    self.assertIn(name, page)


class BashCompletion(unittest.TestCase):
    def complete(self, *words):
        """What bash proposes for the last of these words."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _petri; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = run("bash", "--norc", "-c", script, "bash", staged() / "share/bash-completion/completions/petri", *words,
                   cwd=self.consumer_folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    consumer_folder = Path(__file__).resolve().parent / "consumer"

    def test_knows_the_commands(self):
        self.assertEqual(self.complete("petri", ""), FIRST)
        self.assertEqual(self.complete("petri", "ve"), ["verify", "version"])
        for name, inner in NESTED.items():
            self.assertEqual(self.complete("petri", name, ""), inner)

    def test_knows_the_options_of_each_command(self):
        self.assertEqual(self.complete("petri", "run", "f.wat", "--me"), ["--memory", "--memory-bytes-max"])
        self.assertEqual(self.complete("petri", "audit", "verify", "--"), ["--help", "--contains", "--json"])
        self.assertEqual(self.complete("petri", "--v"), ["--version"])
        self.assertEqual(self.complete("petri", "verify", "--fu"), ["--fuel-max"])

    def test_knows_the_values_of_closed_lists(self):
        self.assertEqual(self.complete("petri", "run", "--tier", ""), ["interpreted", "compiled", "automatic"])
        self.assertEqual(self.complete("petri", "run", "--tier", "=", "com"), ["compiled"])
        self.assertEqual(self.complete("petri", "run", "--tier", "="), ["interpreted", "compiled", "automatic"])
        self.assertEqual(self.complete("petri", "scan", "--fail-on", "h"), ["high"])
        self.assertEqual(self.complete("petri", "run", "--allow", "log,cl"), ["log,clock"])
        self.assertEqual(self.complete("petri", "report", "--best", "l"), ["largest"])
        self.assertEqual(self.complete("petri", "completion", "f"), ["fish"])

    def test_proposes_files_where_files_belong(self):
        for words in (["run"], ["evaluate"], ["run", "--input"], ["evaluate", "--cases"], ["run", "x", "--"], ["shell"]):
            self.assertEqual(self.complete("petri", *words, "five"), ["five_lines.cpp"], words)
        self.assertEqual(self.complete("petri", "run", "--folder", "five"), [])
        self.assertEqual(self.complete("petri", "run", "--fuel", "five"), [])
        self.assertEqual(self.complete("petri", "version", "five"), [])


class OtherCompletions(unittest.TestCase):
    """The unit tests of cli compare the text of small scripts."""

    def setUp(self):
        for shell in ("zsh", "fish"):
            if not shutil.which(shell):
                self.fail(f"{shell} is missing; tools/setup test installs it")

    def test_are_scripts_the_shells_can_read(self):
        for shell, script in (("zsh", "zsh/site-functions/_petri"), ("fish", "fish/vendor_completions.d/petri.fish")):
            self.assertEqual(run(shell, "-n", staged() / "share" / script).stderr, "")

    def test_answer_in_fish(self):
        script = staged() / "share/fish/vendor_completions.d/petri.fish"
        for line, answer in (("petri run --tier c", "compiled"), ("petri run --allow log,c", "log,clock"),
                             ("petri audit v", "verify"), ("petri scan --fail-on h", "high")):
            said = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line).stdout
            self.assertEqual([row.split("\t")[0] for row in said.splitlines()], [answer])

    def test_answer_in_zsh(self):
        ask = Path(__file__).resolve().parent / "ask_zsh.zsh"
        for line, whole in (("petri run --tier c", "petri run --tier compiled "), ("petri run --allow log,c", "petri run --allow log,clock,"),
                            ("petri audit v", "petri audit verify "), ("petri scan --fail-on h", "petri scan --fail-on high ")):
            self.assertEqual(run("zsh", "-f", ask, staged() / "share/zsh/site-functions", line, timeout=60).stdout, f"{whole}\n")


class BadInput(unittest.TestCase):
    def refusal(self, prefix, **environment):
        done = install(prefix, **environment)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_help_is_no_prefix(self):
        done = run(options.source / "tools/install", "--help")
        self.assertIn("tools/install [PREFIX]", done.stdout)

    def test_words_that_make_no_sense_are_refused(self):
        for words, sentence in {
                ("--from",): "--from needs a build folder after it: tools/install --from build/dev /usr/local",
                ("--prefix=/usr",): 'there is no option "--prefix=/usr"; tools/install --help tells which there are',
                ("/a", "b"): 'there are two prefixes, "/a" and "b"; name one, in quotes if it has spaces'}.items():
            done = run(options.source / "tools/install", *words, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"install: {sentence}\n"))

    def test_a_relative_prefix_is_refused(self):
        self.assertIn('install: PREFIX is "out", which is a relative path', self.refusal("out"))
        self.assertIn('install: DESTDIR is "out", which is a relative path', self.refusal("/usr", DESTDIR="out"))

    def test_a_prefix_inside_a_file_is_refused(self):
        self.assertIn(f"install: {options.build}/CMakeCache.txt is not a folder",
                      self.refusal(f"{options.build}/CMakeCache.txt/usr"))

    def test_a_prefix_that_cannot_be_written_is_refused(self):
        self.assertIn("install: /proc/self/fdinfo cannot be written", self.refusal("/proc/self/fdinfo/petri"))

    def path_with(self, **programs):
        """A path that begins with these scripts."""
        folder = Path(options.work) / "stand-ins"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, script in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def test_a_full_disk_is_seen_before_anything_is_copied(self):
        prefix = f"{options.work}/full"
        said = self.refusal(prefix, PATH=self.path_with(df="echo Avail; echo 7"), CARGO_HOME="/nonexistent")
        found = re.fullmatch(rf"install: the disk is too full: installing needs (\d+) MB and {prefix} has 7 MB left; free some space "
                             r"or choose another PREFIX, then run this again\n", said)
        self.assertTrue(found, said)
        # The archive of the engines once more: strip takes it apart beside it.
        engine = options.source / "build/engine/release/libpetri_engine.a"
        files = [options.build / name for name in ("bin/petri", "bin/petri-compile-worker", "lib/libpetri.a")] + [engine, engine]
        self.assertGreater(int(found.group(1)), sum(file.stat().st_size for file in files) >> 20)
        self.assertFalse(Path(prefix).exists())

    def test_a_disk_without_any_space_is_blamed(self):
        full = 'echo "mkdir: cannot create directory: No space left on device" >&2; exit 1'
        self.assertEqual(self.refusal(f"{options.work}/full", PATH=self.path_with(mkdir=full)),
                         f"install: the disk is full: nothing can be written to {options.work}; free some space, then run this again\n")

    def test_a_disk_that_fills_up_is_blamed(self):
        full = 'echo "file INSTALL cannot copy file: No space left on device." >&2; exit 1'
        said = self.refusal(f"{options.work}/full", PATH=self.path_with(cmake=full, df="echo Avail; echo 4000"), CARGO_HOME="/nonexistent")
        self.assertEqual(said, f"install: the installation ended because the disk is full: {options.work}/full has 4000 MB left; free "
                               "some space, then run this again, which overwrites what is there\n")

    def test_a_folder_that_is_no_build_is_refused(self):
        done = run(options.source / "tools/install", "--from", options.work, options.work, check=False)
        self.assertIn("is not a build folder of petri", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_a_failed_installation_leaves_no_empty_folders(self):
        prefix = Path(options.work) / "not there" / "usr"
        run(options.source / "tools/install", "--from", options.work, prefix, check=False)
        self.assertFalse(prefix.parent.exists())


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("work", "cmake", "compiler", "linker-flags"):
        parser.add_argument(f"--{name}", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
