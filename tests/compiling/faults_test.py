#!/usr/bin/env python3
"""petri compile while the machine is against it: a full disk, a cache that may not be written, a source that may not be read,
and a cache that somebody damages in the middle of builds. C13 C16
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

options = None  # set by main()
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def be_held_to_permissions():
    """Root may read and write everything; a program that it starts after this may not."""
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def has_own_mounts():
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petri_faults_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path("sources").mkdir()
        self.path("cache").mkdir()
        for number in range(6):
            self.path(f"sources/m{number}.c").write_text(f"int f(int a) {{ return a * {number + 3}; }}\n", encoding="utf-8")
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.path("cache"))}

    def path(self, name):
        return Path(self.folder, name)

    def run_petri(self, *words, **further):
        return subprocess.run([options.petri, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              check=False, **further)

    def modules(self, folder="out"):
        return {path.name: path.read_bytes() for path in sorted(self.path(folder).iterdir())}

    def compile_all(self, folder="out", **further):
        done = self.run_petri("compile", "sources", "-o", folder, **further)
        self.assertEqual(done.returncode, 0, done.stderr)
        modules = self.modules(folder)
        self.assertEqual(len(modules), 6)
        return modules

    def in_small_disk(self, script):
        """Runs a script whose cache and folder `full` are a disk of 64 KiB, of which `full` is all used."""
        setup = "mount -t tmpfs -o size=64k tmpfs cache && mkdir cache/full && (dd if=/dev/zero of=cache/filler bs=1k 2>/dev/null || :) && "
        return subprocess.run(["unshare", "-rm", "sh", "-c", setup + script, options.petri], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)

    def test_a_full_disk_keeps_no_result_and_costs_none(self):
        if not has_own_mounts():
            self.skipTest("this machine does not let a user mount; a small disk cannot be made")
        wanted = self.compile_all("wanted")
        done = self.in_small_disk('"$0" compile sources -o out && "$0" compile sources -o out && find cache -type f')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.modules(), wanted)
        self.assertEqual(done.stdout, "cache/filler\n")

    def test_a_result_that_does_not_fit_is_an_error_and_leaves_nothing(self):
        if not has_own_mounts():
            self.skipTest("this machine does not let a user mount; a small disk cannot be made")
        done = self.in_small_disk('"$0" compile sources/m0.c -o cache/full/m0.wasm; echo $?; ls cache/full')
        self.assertEqual(done.stdout, "4\n")
        self.assertIn("cache/full/m0.wasm", done.stderr)
        self.assertIn("No space left on device", done.stderr)

    def test_a_cache_that_may_not_be_used_any_more_is_left_alone(self):
        wanted = self.compile_all()
        self.path("cache").chmod(0)
        self.addCleanup(self.path("cache").chmod, 0o700)
        self.assertEqual(self.compile_all("again", preexec_fn=be_held_to_permissions), wanted)

    def test_a_source_that_may_not_be_read_any_more_is_named(self):
        self.compile_all()
        self.path("sources/m3.c").chmod(0)
        done = self.run_petri("compile", "sources", preexec_fn=be_held_to_permissions)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stderr, "error: sources/m3.c: you may not read this file\n")

    def test_a_cache_that_is_damaged_in_the_middle_gives_no_wrong_module(self):
        wanted = self.compile_all()
        done = threading.Event()

        def damage():
            while not done.is_set():
                for path in self.path("cache").rglob("*"):
                    try:
                        if path.is_file():
                            with path.open("r+b") as file:
                                file.seek(-1, os.SEEK_END)
                                file.write(b"\x55")
                    except OSError:
                        pass  # it was removed or replaced meanwhile

        thread = threading.Thread(target=damage)
        thread.start()
        try:
            for _ in range(5):
                self.assertEqual(self.compile_all(), wanted)
        finally:
            done.set()
            thread.join()

    def test_a_record_under_the_name_of_another_is_a_miss(self):
        wanted = self.compile_all()
        records = sorted(path for path in self.path("cache/petri/compile/records").rglob("*") if path.is_file())
        for path, other in zip(records, records[1:] + records[:1]):
            path.with_suffix(".new").write_bytes(other.read_bytes())
        for path in records:
            path.with_suffix(".new").replace(path)
        self.assertEqual(self.compile_all(), wanted)

    def test_a_cache_that_others_can_write_to_is_not_used(self):
        wanted = self.compile_all()
        self.path("cache/petri/compile").chmod(0o777)
        self.assertEqual(self.compile_all(), wanted)
        self.assertNotIn("cache", self.run_petri("compile", "sources").stderr)
        shown = self.run_petri("cache", "show")
        self.assertEqual(shown.returncode, 4)
        self.assertIn("make it yours alone with chmod 700", shown.stderr)

    def test_processes_share_a_cache(self):
        programs = [subprocess.Popen([options.petri, "compile", "sources", "-o", f"out{number}"], cwd=self.folder, env=self.environment,
                                     stderr=subprocess.PIPE, text=True) for number in range(3)]
        for program in programs:
            _, said = program.communicate()
            self.assertEqual(program.returncode, 0, said)
        self.assertEqual(self.modules("out0"), self.modules("out1"))
        self.assertEqual(self.modules("out0"), self.modules("out2"))

    def test_the_sources_stay_as_they_are(self):
        def facts():
            return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.path("sources").iterdir()}
        before = facts()
        self.compile_all()
        self.path("sources/bad.c").write_text("int f( {", encoding="utf-8")
        before["bad.c"] = facts()["bad.c"]
        self.assertEqual(self.run_petri("compile", "sources").returncode, 4)
        self.assertEqual(facts(), before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--petri", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
