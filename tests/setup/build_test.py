#!/usr/bin/env python3
"""tools/build where something is missing or in the way: one sentence, and a second try after mending works."""

import fcntl
import os
import re
import shutil
import subprocess
import time
import unittest

from stand_ins import ROOT, SYSTEM, TreeTest, drop_root

# A project that is quick to configure and to build, by the CMake and the Ninja of this system.
SMALL_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
add_custom_command(OUTPUT made.txt COMMAND ${CMAKE_COMMAND} -E echo "made in ${PROJECT_SOURCE_DIR} by ${MAKER}" VERBATIM
  COMMAND ${CMAKE_COMMAND} -E touch made.txt)
add_custom_target(made DEPENDS made.txt)
"""
# As CMake does where there is no compiler.
REMEMBERS_WHAT_WAS_MISSING = """
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/compiler)
  set(FORMAT Unknown CACHE INTERNAL "")
endif()
if(DEFINED FORMAT)
  message(FATAL_ERROR "nothing can be linked")
endif()
"""
# As sccache does, which keeps all of its descriptors but the standard ones.
LEAVES_A_SERVER = """flock "$STAND_INS/end" true </dev/null >/dev/null 2>&1 &
echo server >>"$STAND_INS/servers\""""
TELLS_OF_TOOLS = """
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF) # only the path of the test
include(cmake/petri_tools.cmake)
message(STATUS "with ${CCACHE_PROGRAM} and ${MOLD_PROGRAM}")
"""


class Build(TreeTest):
    """With stand-ins for everything."""

    def setUp(self):
        super().setUp()
        self.stand_in("df", "rustc", "cargo", "c++", "cmake")

    def build(self, *words, **variables):
        return self.run_tool("tools/build", *(words or ("release", "petri_command", "evolve")), **variables)

    def test_asks_for_a_preset_and_a_target(self):
        self.assert_stops(self.build("release"), "build: name a preset of CMakePresets.json and what to build of it: "
                                                 "tools/build release petri_command")
        self.assert_stops(self.build("fast", "all"), 'build: there is no preset "fast"; CMakePresets.json has those there are')
        self.assert_stops(self.build("--fast"), 'build: there is no option "--fast"; tools/build --help tells which there are')
        self.assert_stops(self.build("-D"), "build: -D needs a NAME=VALUE after it: "
                                            "tools/build -D PETRI_TESTS=ON release petri_command")

    def test_builds_only_what_was_named(self):
        self.assert_works(self.build())
        self.assertIn("cmake --build --preset release --target petri_command evolve\n", self.calls())

    def test_says_which_cmake_is_needed(self):
        self.assert_stops(self.build(CMAKE="3.18.4"), f"build: petri needs CMake 3.25 or later and found 3.18.4 at {self.stand_ins}/cmake; "
                                                      "install it with tools/setup demo or from https://cmake.org/download")
        self.assert_works(self.build())

    def test_says_which_rust_is_needed(self):
        sentence = "build: petri needs Rust 1.93 or later and found {}; install it with tools/setup demo or from https://rustup.rs"
        self.assert_stops(self.build(RUST="1.63.0"), sentence.format(f"1.63.0 at {self.stand_ins}/rustc"))
        (self.stand_ins / "rustc").unlink()
        self.assert_stops(self.build(), sentence.format("none"))
        self.stand_in("rustc")
        self.assert_works(self.build())

    def test_says_where_a_newer_one_is(self):
        newer = self.folder / "newer"
        newer.mkdir()
        path = f"{self.stand_ins}:{self.programs}:{newer}"
        for name, said in {"cmake": ("CMake 3.25 or later and found 3.18.4", "cmake version 3.31.6"),
                           "rustc": ("Rust 1.93 or later and found 1.63.0", "rustc 1.95.0 (of another stand-in)")}.items():
            (newer / name).write_text(f"#!/bin/sh\necho '{said[1]}'\n", encoding="utf-8")
            (newer / name).chmod(0o755)
            self.assertEqual(self.build(PATH=path, **{"CMAKE" if name == "cmake" else "RUST": said[0].split()[-1]}),
                             (1, f"build: petri needs {said[0]} at {self.stand_ins}/{name}; {newer} has a newer one: put it first in PATH\n"))
        self.assert_works(self.build(PATH=path))

    def test_says_which_program_is_missing(self):
        for name, sentence in {"cargo": "petri needs cargo and found none; install it with tools/setup demo or from https://rustup.rs",
                               "ninja": "petri needs Ninja and found none; install it with tools/setup demo or from https://ninja-build.org",
                               "c++": "petri needs a C++ compiler and found none; install it with tools/setup demo"}.items():
            self.assertEqual(self.build(PATH=self.path_without(name)), (1, f"build: {sentence}\n"))
            self.assertNotIn("cmake --preset", self.calls())
            if name in SYSTEM:
                self.stand_in(name)
        self.assert_works(self.build())

    def test_takes_the_compiler_that_was_asked_for(self):
        (self.stand_ins / "c++").unlink()
        missing = "build: petri needs the C++ compiler {} and found none; install it, or ask for one that is there\n"
        self.assertEqual(self.build(CXX="other -m64"), (1, missing.format("other -m64")))
        self.assertEqual(self.build("-D", "CMAKE_CXX_COMPILER=another", "release", "evolve"), (1, missing.format("another")))
        self.assertEqual(self.build("tidy", "build.ninja"),
                         (1, "build: petri needs the C++ compiler clang++-22 and found none; install it with tools/setup dev\n"))
        self.stand_in(other="true", **{"clang++-22": "true"})
        self.assert_works(self.build(CXX="other -m64"))
        self.assert_works(self.build("-D", "CMAKE_CXX_COMPILER=other", "release", "evolve", CXX="another"))
        self.assert_works(self.build("tidy", "build.ninja"))

    def test_stops_while_another_build_runs(self):
        (self.tree / "build").mkdir()
        with open(self.tree / "build" / ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            print(4711, file=lock, flush=True)
            self.assert_stops(self.build(), f"build: another build is running in {self.tree} (process 4711); wait for it or stop "
                                            "it, then run this again")
        self.assertNotIn("--build", self.calls())
        self.assert_works(self.build())

    def test_of_two_at_once_the_second_names_the_first(self):
        self.stand_in(cmake="""[[ $1 != --version ]] || { echo "cmake version 3.25.1"; exit; }
[[ $1 != --build ]] || tools/build release evolve""")
        code, said = self.build()
        process = re.search(r"\(process (\d+)\)", said)
        self.assertTrue(process, said)
        self.assertEqual(process.group(1), (self.tree / "build" / ".lock").read_text(encoding="utf-8").strip())
        self.assertEqual(code, 1)

    def test_that_was_killed_holds_the_lock_until_what_it_started_has_ended(self):
        self.stand_in(cmake="""[[ $1 != --version ]] || { echo "cmake version 3.25.1"; exit; }
[[ $1 != --build || -n ${SECOND:-} ]] || { kill -KILL "$(cat build/.lock)"; SECOND=yes tools/build release evolve; }""")
        code, said = self.build()
        self.assertEqual(code, -9)
        self.assertRegex(said, rf"^build: another build is running in {self.tree} \(process \d+\); wait for it or stop it, then run this again\n$")
        with open(self.tree / "build" / ".lock", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # once it has ended
        self.stand_in("cmake")
        self.assert_works(self.build())

    def test_on_a_full_disk_says_how_much_is_needed(self):
        self.assert_stops(self.build(FREE="200"), f"build: the disk is too full: this build needs 1500 MB and {self.tree} has 200 MB "
                                                  "left; free some space, then run this again")
        self.assert_works(self.build())
        self.assert_works(self.build(FREE="400"))

    def test_on_a_disk_without_any_space_does_not_blame_the_tree(self):
        self.stand_in(mkdir='echo "mkdir: cannot create directory: No space left on device" >&2; exit 1')
        self.assertEqual(self.build(), (1, f"build: the disk is full: nothing can be written to {self.tree}; free some space, then run "
                                           "this again\n"))
        (self.stand_ins / "mkdir").unlink()
        self.assert_works(self.build())

    def test_that_fills_the_disk_says_so(self):
        self.stand_in(df="""echo Avail; [[ -e $STAND_INS/full ]] && echo 3 || echo 100000; touch "$STAND_INS/full\"""")
        self.assert_stops(self.build(BUILD_FAILS="1"), "build: the build ended because the disk is full: build has 3 MB left; free some "
                                                       "space, then run this again")
        self.stand_in("df")
        self.assert_works(self.build())

    def test_that_fails_otherwise_does_not_blame_the_disk(self):
        self.assert_stops(self.build(BUILD_FAILS="1"), "build: the build failed; the first error is above")
        self.assert_works(self.build())

    def test_without_network_says_that_the_crates_are_missing(self):
        self.stand_in(cargo="exit 101")
        self.assert_stops(self.build(), "build: the crates cannot be downloaded; check the network and the registry that cargo is "
                                        "configured for, then run this again")
        self.stand_in(cargo='[[ $* != *--offline* ]]')
        self.assertIn("build: downloading the crates", self.assert_works(self.build()))

    def test_whose_crates_fill_the_disk_of_cargo_does_not_blame_the_network(self):
        self.stand_in(cargo="exit 101", df='echo Avail; [[ $* == *home ]] && echo 2 || echo 100000')
        home = self.folder / "cargo home"
        self.assert_stops(self.build(CARGO_HOME=str(home)), f"build: the build ended because the disk is full: {home} has 2 MB left; free some "
                                                            "space, then run this again")
        self.stand_in("cargo", "df")
        self.assert_works(self.build(CARGO_HOME=str(home)))

    def test_whose_crates_have_no_folder_does_not_blame_the_network(self):
        self.stand_in(cargo='[[ $* != *--offline* ]]')
        (self.folder / "file").touch()
        for home in (self.folder / "file", "/proc/self/fdinfo/cargo"):
            self.assertEqual(self.build(CARGO_HOME=str(home)), (1, f"build: the crates cannot be downloaded into {home}, which cannot be written "
                                                                   "to; make it writable or set CARGO_HOME to another folder, then run this "
                                                                   "again\n"))
        self.assert_works(self.build(CARGO_HOME=str(self.folder / "a new folder")))
        self.assert_works(self.run_tool("tools/build", "release", "evolve", before=["env", "--unset=HOME"]))

    def test_needs_no_network_once_the_crates_are_there(self):
        self.assert_works(self.build())
        self.assertEqual(re.findall("^cargo .*", self.calls(), re.MULTILINE),
                         ["cargo fetch --quiet --locked --manifest-path engine/Cargo.toml --offline"])

    def test_configures_again_after_a_configuration_that_failed(self):
        self.assert_stops(self.build(CONFIGURE_FAILS="1"),
                          "build: the preset release cannot be configured; mend what CMake says above, then run this again")
        self.assertNotIn("--build", self.calls())
        self.assert_works(self.build())
        self.assertEqual(self.calls().count(" --preset release\n"), 2)

    def test_in_a_tree_that_cannot_be_written_to_says_so(self):
        self.tree.chmod(0o555)
        self.addCleanup(self.tree.chmod, 0o755)
        self.stand_ins.chmod(0o777)
        self.assert_stops(self.run_tool("tools/build", "release", "evolve", before=drop_root()),
                          f"build: {self.tree} cannot be written to, and everything is built in its folder build; make it writable or "
                          "clone petri to a folder of your own")
        self.tree.chmod(0o755)
        self.assert_works(self.build())


class RealBuild(TreeTest):
    """A small project in a path with spaces, built by the CMake of this system."""

    tree_name = "a tree with spaces"

    def setUp(self):
        super().setUp()
        self.stand_in("df", "rustc", "cargo", "c++")
        self.real("cmake")
        (self.tree / "CMakeLists.txt").write_text(SMALL_PROJECT, encoding="utf-8")

    def build(self, *options):
        return self.assert_works(self.run_tool("tools/build", *options, "release", "made"))

    def test_works_and_configures_once(self):
        self.assertIn(f"made in {self.tree} by", self.build())
        self.assertNotIn("Configuring", self.build())

    def test_keeps_options_of_earlier_builds(self):
        self.assertIn("by ann", self.build("-D", "MAKER=ann"))
        self.assertNotIn("Configuring", self.build())
        self.assertIn("Configuring", self.build("-D", "OTHER=bob"))
        self.assertIn("MAKER:UNINITIALIZED=ann", (self.tree / "build/release/CMakeCache.txt").read_text(encoding="utf-8"))

    def test_forgets_what_a_first_configuration_that_failed_has_found(self):
        (self.tree / "CMakeLists.txt").write_text(SMALL_PROJECT + REMEMBERS_WHAT_WAS_MISSING, encoding="utf-8")
        self.assert_stops(self.run_tool("tools/build", "release", "made"),
                          "build: the preset release cannot be configured; mend what CMake says above, then run this again")
        (self.tree / "compiler").touch()
        self.build()

    def test_configures_again_when_a_program_it_found_has_gone(self):
        for name, variable in {"clang++-19": "PETRI_GUEST_CLANGXX", "wasm-ld": "PETRI_GUEST_LINKER"}.items():
            program = self.folder / name
            program.touch()
            self.build("-D", f"{variable}={program}")
            self.assertNotIn("Configuring", self.build())
            program.unlink()
            self.assertIn("Configuring", self.build())
            program.touch()

    def test_says_that_a_compiler_is_too_old_and_takes_another_then(self):
        shutil.copytree(ROOT / "cmake", self.tree / "cmake")
        (self.tree / "CMakeLists.txt").write_text(SMALL_PROJECT.replace("NONE)", "CXX)\ninclude(cmake/petri_compile.cmake)"), encoding="utf-8")
        self.real("ar", "as", "ld", "ranlib")
        self.stand_in(**{"c++": f'exec {shutil.which("c++")} "$@" -std=c++20'})
        code, said = self.run_tool("tools/build", "release", "made")
        self.assertEqual((code, said.splitlines()[-1]),
                         (1, "build: the preset release cannot be configured; mend what CMake says above, then run this again"))
        self.assertRegex(" ".join(said.split()), r"petri needs a C\+\+ compiler with the header <expected> of C\+\+23 \(GCC 12, Clang 19 or later\) "
                         rf"and found [A-Za-z]+ [0-9.]+ at {self.stand_ins}/c\+\+; install it with tools/setup demo, or name another one in the "
                         "environment variable CXX ")
        self.stand_in(other=f'exec {shutil.which("c++")} "$@"')
        self.assertIn("made in", self.assert_works(self.run_tool("tools/build", "release", "made", CXX="other")))

    def test_works_with_another_ninja_when_the_first_has_gone(self):
        self.real("ninja")
        self.build()
        (self.stand_ins / "ninja").unlink()
        self.assertIn("Configuring", self.build())
        self.assertNotIn("Configuring", self.build())

    def test_builds_without_a_ccache_or_mold_that_has_gone(self):
        shutil.copytree(ROOT / "cmake", self.tree / "cmake")
        (self.tree / "CMakeLists.txt").write_text(SMALL_PROJECT + TELLS_OF_TOOLS, encoding="utf-8")
        self.stand_in(ccache="true", mold="true")
        self.assertIn(f"-- with {self.stand_ins}/ccache and {self.stand_ins}/mold\n", self.build())
        for name, told in {"ccache": f"CCACHE_PROGRAM-NOTFOUND and {self.stand_ins}/mold",
                           "mold": "CCACHE_PROGRAM-NOTFOUND and MOLD_PROGRAM-NOTFOUND"}.items():
            (self.stand_ins / name).unlink()
            self.assertIn(f"-- with {told}\n", self.build())
        self.assertNotIn("Configuring", self.build())

    def test_leaves_the_lock_to_no_server_that_it_starts(self):
        (self.tree / "CMakeLists.txt").write_text(SMALL_PROJECT.replace("-E touch", "-E env server && touch"), encoding="utf-8")
        self.stand_in(cargo=LEAVES_A_SERVER, server=LEAVES_A_SERVER)
        with open(self.stand_ins / "end", "w", encoding="utf-8") as end:
            fcntl.flock(end, fcntl.LOCK_EX)  # until this ends the servers run
            self.build()
            self.assertEqual((self.stand_ins / "servers").read_text(encoding="utf-8"), "server\nserver\n")
            self.build()

    def test_configures_again_when_the_presets_have_changed(self):
        self.build()
        self.assertNotIn("Configuring", self.build())
        later = time.time() + 1
        os.utime(self.tree / "CMakePresets.json", (later, later))
        self.assertIn("Configuring", self.build())

    def test_works_in_a_tree_that_was_moved(self):
        self.build()
        self.tree = self.tree.rename(self.folder / "another place")
        self.assertIn("made in " + str(self.tree), self.build())

    def test_works_in_a_shallow_clone(self):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.org", "-C", str(self.tree)]
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"],
                      ["commit", "--quiet", "--allow-empty", "-m", "two"]):
            subprocess.run(git + words, check=True)
        clone = self.folder / "a shallow clone"
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{self.tree}", str(clone)], check=True)
        self.tree = clone
        self.assertIn(f"made in {clone}", self.build())


class GuestClang(TreeTest):
    """What CMake says where no clang builds for WASI."""

    def configure(self):
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        (project / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES NONE)\ninclude("{ROOT}/cmake/petri_guest_clang.cmake")\n'
            'petri_need_guest_clang("these tests")\nmessage("found ${PETRI_GUEST_CLANGXX} for ${PETRI_WASI_PLATFORM}")\n', encoding="utf-8")
        # CMake would look beyond the path, into the folders of the system.
        return self.run_tool("cmake", "-S", str(project), "-B", str(project / "build"), "-D", "CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF")

    def test_missing_ends_the_configuration_and_is_found_once_it_is_there(self):
        self.real("cmake")
        code, said = self.configure()
        self.assertEqual(code, 1)
        self.assertIn("these tests need a clang that builds C++ for WASI (clang, lld, wasi-libc, and compiler-rt and libc++ for wasm32, "
                      "version 19 or later); install it with tools/setup test", " ".join(said.split()))
        for name in ("clang-19", "clang++-19"):
            self.stand_in(**{name: "true"})
        for name in ("clang-21", "clang++-21"):
            self.stand_in(**{name: "exit 1"})
        self.assertIn("clang++-19 for wasm32-wasip1", self.assert_works(self.configure()))

    def test_that_has_gone_is_looked_for_again(self):
        self.real("cmake")
        for gone in ("clang-22", "clang++-22"):
            for name in ("clang-20", "clang++-20", "clang-22", "clang++-22"):
                self.stand_in(**{name: "true"})
            shutil.rmtree(self.folder / "project" / "build", ignore_errors=True)
            self.assertIn("clang++-22 for", self.assert_works(self.configure()))
            (self.stand_ins / gone).unlink()
            self.assertIn("clang++-20 for", self.assert_works(self.configure()))

    def test_whose_linker_has_gone_is_not_taken(self):
        self.real("cmake")
        self.stand_in(**{"wasm-ld-22": "true", "clang-20": "true", "clang++-20": "true", "clang-22": "true", "clang++-22": """
[[ $* != *-print-prog-name=wasm-ld* ]] || { echo "$STAND_INS/wasm-ld-22"; exit; }
[[ -e $STAND_INS/wasm-ld-22 ]]"""})
        self.assertIn("clang++-22 for", self.assert_works(self.configure()))
        (self.stand_ins / "calls").unlink()
        self.assertIn("clang++-22 for", self.assert_works(self.configure()))
        self.assertEqual(self.calls(), "")  # all of it is still there
        (self.stand_ins / "wasm-ld-22").unlink()
        self.assertIn("clang++-20 for", self.assert_works(self.configure()))


if __name__ == "__main__":
    unittest.main()
