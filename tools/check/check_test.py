#!/usr/bin/env python3
"""The checks themselves: each must see what it is there to see."""

import pathlib
import unittest

import includes
import lines
import parsers
import paths
import sleeps

Path = pathlib.PurePosixPath


class Sleeps(unittest.TestCase):
    def test_are_seen_in_each_language(self):
        for name, text in [("a_test.cpp", "std::this_thread::sleep_for(1ms);"), ("a_test.cpp", "\n::usleep(1);"),
                           ("a.rs", "std::thread::sleep(d)"), ("a.py", "time.sleep(1)"), ("a.sh", "  sleep 1")]:
            self.assertEqual(len(sleeps.sleeps_in(Path(name), text)), 1, text)

    def test_are_told_by_line(self):
        self.assertEqual(sleeps.sleeps_in(Path("a_test.cpp"), "int a;\nusleep(1);\n"), [2])

    def test_are_not_seen_where_there_are_none(self):
        for name, text in [("a_test.cpp", "clock.advance(1s); // asleep"), ("a.rs", "let sleepy = 1;"), ("a.sh", "echo sleep")]:
            self.assertEqual(sleeps.sleeps_in(Path(name), text), [])

    def test_matter_in_tests_only(self):
        self.assertTrue(sleeps.is_test(Path("src/base/clock_test.cpp")))
        self.assertTrue(sleeps.is_test(Path("engine/src/meter.rs")))
        self.assertFalse(sleeps.is_test(Path("src/base/clock.cpp")))
        self.assertFalse(sleeps.is_test(Path("tests/guests/napper.c")))


class Parsers(unittest.TestCase):
    def test_without_bounds_are_seen(self):
        for text in ["json::parse(text)", "nlohmann::json::accept(text)", "\nJson::from_cbor(bytes, true, false)"]:
            self.assertEqual(len(parsers.unbounded_in(text)), 1, text)

    def test_with_bounds_and_of_own_words_are_not(self):
        for text in ["parse_json(text)", "Json::parse(petri::to_json(event))", "Json::parse(to_json(info.tree))", "json parsed;"]:
            self.assertEqual(parsers.unbounded_in(text), [], text)

    def test_matter_outside_tests(self):
        self.assertTrue(parsers.is_looked_at(Path("src/cli/cases_file.cpp")))
        self.assertFalse(parsers.is_looked_at(Path("src/audit/entry_line_test.cpp")))
        self.assertFalse(parsers.is_looked_at(Path("tests/hostile/hostile_suite.cpp")))


class Includes(unittest.TestCase):
    DEPENDS = {"base": [], "engine": ["base"], "host": ["engine"], "resources": ["base"]}

    def complain(self, module, *included, name="x.cpp"):
        text = "".join(f'#include "{i}"\n' for i in included)
        found = includes.check_module(module, [(Path("src") / module / name, text)], self.DEPENDS)
        return [c for c in found if "includes nothing of it" not in c]

    def test_read_the_dependencies_of_a_module(self):
        text = "petri_module(host # a comment\n SOURCES a.cpp\n TESTS b.cpp\n DEPENDS base engine\n LIBRARIES fmt::fmt)"
        self.assertEqual(includes.parse_depends(text), {"host": ["base", "engine"]})

    def test_pass_downwards(self):
        self.assertEqual(self.complain("host", "host/log.h", "engine/instance.h", "petri/error.h"), [])

    def test_refuse_upwards_sideways_and_undeclared(self):
        self.assertEqual(len(self.complain("base", "engine/instance.h")), 1)
        self.assertEqual(len(self.complain("host", "resources/limits.h")), 1)
        self.assertEqual(len(self.complain("host", "base/clock.h")), 1)
        self.assertEqual(len(self.complain("base", "petri/run.h")), 1)

    def test_refuse_the_crate_outside_engine(self):
        self.assertEqual(self.complain("engine", "petri_engine.h"), [])
        self.assertEqual(len(self.complain("host", "petri_engine.h")), 1)

    def test_refuse_test_helpers_outside_tests(self):
        self.assertEqual(self.complain("host", "testing/guests.h", name="x_test.cpp"), [])
        self.assertEqual(len(self.complain("host", "testing/guests.h")), 1)

    def test_refuse_short_names(self):
        self.assertEqual(len(self.complain("host", "log.h")), 1)

    def test_refuse_dependencies_that_point_up_or_serve_nothing(self):
        found = includes.check_module("base", [], {"base": ["host"], "host": []})
        self.assertEqual(len(found), 2)

    def test_count_what_a_public_header_brings_along(self):
        headers = {"run.h": '#include "petri/limits.h"\n', "limits.h": ""}
        self.assertEqual(includes.behind_public("run.h", headers), {"run", "resources"})


class Lines(unittest.TestCase):
    def test_of_rust_are_told_from_its_tests(self):
        text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\n"
        self.assertEqual(lines.split_rust(Path("engine/src/a.rs"), text), (1, 4))
        self.assertEqual(lines.split_rust(Path("engine/tests/a.rs"), text), (0, 5))

    def test_of_cpp_are_told_from_its_tests(self):
        self.assertEqual(lines.split_cpp(Path("src/base/a.cpp"), "a\n\nb\n"), (2, 0))
        self.assertEqual(lines.split_cpp(Path("src/base/a_test.cpp"), "a\n\nb\n"), (0, 2))


class Paths(unittest.TestCase):
    def test_of_one_machine_are_seen(self):
        for text in ["/home/ann/petri", '"/root/.cargo"', "(/work/main)"]:
            self.assertEqual(len(paths.paths_in(text)), 1, text)

    def test_of_every_machine_pass(self):
        for text in ["/usr/bin/env", "/dev/null", "build/work/x", "https://a.org/home/x", "$HOME/.cargo/bin"]:
            self.assertEqual(paths.paths_in(text), [], text)


if __name__ == "__main__":
    unittest.main()
