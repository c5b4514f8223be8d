#!/usr/bin/env python3
"""The checks themselves: each must see what it is there to see."""

import contextlib
import io
import pathlib
import unittest
import unittest.mock

import host_functions
import includes
import lines
import mutants
import parsers
import paths
import private_names
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
        self.assertTrue(parsers.is_looked_at(Path("src/cli/commands/cases_file.cpp")))
        self.assertFalse(parsers.is_looked_at(Path("src/audit/entry_line_test.cpp")))
        self.assertFalse(parsers.is_looked_at(Path("tests/hostile/hostile_suite.cpp")))


class PrivateNames(unittest.TestCase):
    def test_of_libraries_are_seen(self):
        for text in ["nlohmann::detail::output_adapter<char>(bytes)", "\nfmt::v9::detail::dragonbox::to_decimal(x)"]:
            self.assertEqual(len(private_names.private_in(text)), 1, text)

    def test_of_ours_and_public_ones_are_not(self):
        for text in ["nlohmann::json::to_cbor(body, bytes)", "petri::detail::Slot", "fmt::format(text)"]:
            self.assertEqual(private_names.private_in(text), [], text)


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


class HostFunctions(unittest.TestCase):
    FAMILY = "HostFamily some_functions() { return {}; }\n"

    def complain(self, text, name="src/host/some.cpp"):
        return [what.split(";")[0] for _, what in host_functions.complaints_of(Path(name), self.FAMILY + text)]

    def test_that_wait_are_seen(self):
        for text in ["std::this_thread::sleep_for(ms);", "condition.wait_until(lock, time);", "::poll(&one, 1, 5);",
                     "::fsync(file);", "wait_for_kill(flag, until);", "reply->wait();".replace("->", ".")]:
            self.assertEqual(self.complain(text), ["waits by itself"], text)

    def test_may_wait_where_the_guest_can_be_woken(self):
        self.assertEqual(self.complain("if (!call.wait(shortest_ms)) return;"), [])
        self.assertEqual(self.complain("call.wait_until(sync->done());"), [])
        self.assertEqual(self.complain("::syscall(SYS_futex, a);", "src/host/kill_flag.cpp"), [])

    def test_that_parse_are_seen(self):
        for text in ["nlohmann::json::parse(text)", "Json::sax_parse(a, b, &c)", "json::from_cbor(x)"]:
            self.assertEqual(self.complain(text, "src/process/some.cpp"), ["parses by itself"], text)
        self.assertEqual(self.complain("parse_json(text, bounds)"), [])

    def test_that_reach_into_memory_are_seen(self):
        self.assertEqual(len(self.complain("call.unpaid_memory(pointer, length);")), 1)
        self.assertEqual(len(self.complain("const auto all = caller.memory();")), 1)
        self.assertEqual(self.complain("call.structure<8>(pointer); call.read(a, b);"), [])

    def test_that_loop_by_themselves_are_seen(self):
        for text in ["  for (char c : text) sum += c;\n", "  while (left > 0) {\n    --left;\n  }\n"]:
            self.assertEqual(self.complain(text), ["loops without a look at the clock"], text)

    def test_may_loop_at_a_pace_or_within_a_bound(self):
        for text in ["  for (auto& p : all) {\n    if (!pace.step(p.size())) return;\n  }\n",
                     "  while (more) {\n    if (!call.charge(1)) return;\n  }\n",
                     "  for (int i = 0; i < 64; ++i) f(i);  // bounded: 64\n"]:
            self.assertEqual(self.complain(text), [], text)

    def test_in_comments_are_none(self):
        self.assertEqual(self.complain("// it must not sleep_for(1) here"), [])

    def test_are_looked_for_where_they_are(self):
        self.assertTrue(host_functions.is_checked(Path("src/host/log.cpp")))
        self.assertTrue(host_functions.is_checked(Path("src/process/process.h")))
        self.assertFalse(host_functions.is_checked(Path("src/host/log_rate_test.cpp")))
        self.assertFalse(host_functions.is_checked(Path("src/supervisor/tree_json.cpp")))


class Lines(unittest.TestCase):
    def test_of_rust_are_told_from_its_tests(self):
        text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\n"
        self.assertEqual(lines.split_rust(Path("engine/src/a.rs"), text), (1, 4))
        self.assertEqual(lines.split_rust(Path("engine/tests/a.rs"), text), (0, 5))

    def test_of_cpp_are_told_from_its_tests(self):
        self.assertEqual(lines.split_cpp(Path("src/base/a.cpp"), "a\n\nb\n"), (2, 0))
        self.assertEqual(lines.split_cpp(Path("src/base/a_test.cpp"), "a\n\nb\n"), (0, 2))

    def test_of_rust_are_below_a_fifth(self):
        self.assertFalse(lines.is_too_much(199, 1000))
        self.assertTrue(lines.is_too_much(200, 1000))

    def test_are_a_failure_where_rust_is_a_fifth(self):
        texts = {Path("engine/src/a.rs"): "a\n" * 2, Path("src/base/a.cpp"): "a\n" * 10}
        for cpp, code, verdict in [(10, 1, "20 %, a fifth or more: move what is not about the engines to C++"),
                                   (11, 0, "18 %, below a fifth")]:
            texts[Path("src/base/a.cpp")] = "a\n" * cpp
            said = io.StringIO()
            with unittest.mock.patch("tree.files", lambda: list(texts)), unittest.mock.patch("tree.text", texts.get), \
                    contextlib.redirect_stdout(said):
                self.assertEqual(lines.main(), code)
            self.assertEqual(said.getvalue(), f"lines: 2 of Rust (and 0 of its tests) against {cpp} of C++ (and 0 of its tests): "
                                              f"{verdict}\n")


class Mutants(unittest.TestCase):
    MUTANT = {"what": "a: b", "file": "a.cpp", "line": "return 1;", "broken": "return 2;", "test": "a_tests"}

    def faults(self, text="  return 1;\n", **changed):
        return mutants.fault_of(self.MUTANT | changed, {"a.cpp": text}.get)

    def test_whose_line_is_there_once_are_well(self):
        self.assertEqual(self.faults(), "")

    def test_whose_line_has_gone_or_is_not_alone_are_seen(self):
        self.assertEqual(self.faults("return 3;\n"), "its line is there 0 times in a.cpp, not once: return 1;")
        self.assertEqual(self.faults("return 1;\nreturn 1;\n"), "its line is there 2 times in a.cpp, not once: return 1;")
        self.assertEqual(self.faults(file="b.cpp"), "there is no file b.cpp")

    def test_that_say_too_little_or_break_nothing_are_seen(self):
        self.assertEqual(self.faults(test=None, what=None), "it has no what, no test")
        self.assertEqual(self.faults(broken="return 1;"), "its broken line is the line as it is")

    def test_break_one_line_and_keep_its_place(self):
        text = "{\n  return 1;\n}\n"
        self.assertEqual(mutants.broken(self.MUTANT, text), "{\n  return 2;\n}\n")
        self.assertEqual(mutants.broken(self.MUTANT | {"broken": ""}, text), "{\n}\n")

    def page_faults(self, noticed, tests=frozenset({"ATest.Sees", "sees_it"})):
        return mutants.page_complaints([self.MUTANT], mutants.page_of([self.MUTANT], {"a: b": noticed}), tests)

    def test_have_a_row_with_tests_that_are_there(self):
        self.assertEqual(self.page_faults("`ATest.Sees`, `module::sees_it` and 2 more"), [])

    def test_that_nothing_is_known_to_notice_are_seen(self):
        self.assertEqual(self.page_faults(""), ["docs/mutants.md: nothing is known to notice: a: b; run tools/mutants 1"])
        self.assertEqual(len(mutants.page_complaints([self.MUTANT], "", set())), 1)

    def test_whose_test_has_gone_are_seen(self):
        self.assertEqual(self.page_faults("`ATest.Sees`, `ATest.Saw`"),
                         ["docs/mutants.md: there is no test ATest.Saw any more, which noticed: a: b; try that mutant again"])

    def test_that_are_not_in_the_list_any_more_are_seen_on_the_page(self):
        page = mutants.page_of([self.MUTANT, self.MUTANT | {"what": "c: d"}], {"a: b": "`ATest.Sees`", "c: d": "`ATest.Sees`"})
        self.assertEqual(mutants.page_complaints([self.MUTANT], page, {"ATest.Sees"}),
                         ["docs/mutants.md: it is not as tools/mutants writes it; run tools/mutants"])

    def test_name_tests_as_their_source_does(self):
        for name, plain in [("ATest.Sees", "ATest.Sees"), ("Both/ATest.Sees/compiled", "ATest.Sees"), ("m::sees_it", "m::sees_it")]:
            self.assertEqual(mutants.plain_name(name), plain)
        text = "TEST(A, B) {\nTEST_P(C, D) {\n#[test]\nfn e() {\n    def test_f(self):\n"
        self.assertEqual(mutants.tests_in(text), {"A.B", "C.D", "e", "test_f"})

    def test_are_read_in_their_order(self):
        self.assertEqual([m["file"] for m in mutants.read("[[mutant]]\nfile = 'a'\n[[mutant]]\nfile = 'b'\n")], ["a", "b"])
        self.assertEqual(mutants.read(""), [])


class Paths(unittest.TestCase):
    def test_of_one_machine_are_seen(self):
        for text in ["/home/ann/petri", '"/root/.cargo"', "(/work/main)"]:
            self.assertEqual(len(paths.paths_in(text)), 1, text)

    def test_of_every_machine_pass(self):
        for text in ["/usr/bin/env", "/dev/null", "build/work/x", "https://a.org/home/x", "$HOME/.cargo/bin"]:
            self.assertEqual(paths.paths_in(text), [], text)


if __name__ == "__main__":
    unittest.main()
