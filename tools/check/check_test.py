#!/usr/bin/env python3
"""The checks themselves: each must see what it is there to see."""

import contextlib
import io
import pathlib
import unittest
import unittest.mock

import architecture
import host_functions
import ids
import includes
import lines
import messages
import mutants
import openings
import parsers
import paths
import private_names
import sleeps
import words

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
        self.assertTrue(sleeps.is_test(Path("engine/src/meter/mod.rs")))
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
        self.assertEqual(self.complain("host", "host/log.h", "engine/instance/instance.h", "petri/result.h"), [])

    def test_refuse_upwards_sideways_and_undeclared(self):
        self.assertEqual(len(self.complain("base", "engine/instance/instance.h")), 1)
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


class Layers(unittest.TestCase):
    TEXT = ("| layer | modules | what |\n|---|---|---|\n| 2 | `host`, `audit` | a; b |\n| 1 | `base` | c |\n| 0 | `engine/` (Rust) | d |\n\n"
            "| folder | internal headers of | why |\n|---|---|---|\n| `bench` | `base` | `host` |\n| `examples` | none | e |\n")

    def complain(self, folder, *included, allowed=()):
        text = "".join(f'#include "{i}"\n' for i in included)
        existing = {Path("tests/versions/fixture.h"), Path("tests/versions/a_test.cpp"), Path("src/host/functions/log.h")}
        return includes.check_beside(folder, [(Path(folder) / "versions" / "a_test.cpp", text)], list(allowed), existing)

    def test_are_read_from_the_architecture(self):
        self.assertEqual(includes.layers_of(self.TEXT), {"host": 2, "audit": 2, "base": 1})
        self.assertEqual(includes.beside_of(self.TEXT), {"bench": ["base"], "examples": []})

    def test_of_modules_that_are_not_there_are_seen(self):
        self.assertEqual(includes.check_tables({"base": 1, "bench": 3, "old": 2}, {"bench": ["base"]}, {"base": []}),
                         ["ARCHITECTURE.md has a layer for old, and there is no such module"])

    def test_beside_may_not_reach_upwards(self):
        self.assertEqual(includes.check_tables({"base": 1, "bench": 2, "cli": 3}, {"bench": ["cli"], "fuzz": ["cli"]}, {"base": [], "cli": []}),
                         ["ARCHITECTURE.md lets bench include cli, which is not below it"])

    def test_let_folders_beside_include_their_own_and_public_headers(self):
        self.assertEqual(self.complain("tests", "fixture.h", "versions/fixture.h", "tests/versions/fixture.h", "petri/run.h"), [])

    def test_refuse_folders_beside_what_no_table_names(self):
        self.assertEqual(self.complain("tests", "host/log.h"),
                         ['tests/versions/a_test.cpp:1: "host/log.h": tests may not include it, as ARCHITECTURE.md says'])
        self.assertEqual(self.complain("tests", "host/log.h", allowed=["host"]), [])
        self.assertEqual(len(self.complain("tests", "petri_engine.h")), 1)

    def test_name_nothing_that_is_not_included(self):
        self.assertEqual(self.complain("tests", allowed=["host"]), ["ARCHITECTURE.md lets tests include host, and it does not"])


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
        self.assertEqual(self.complain("::syscall(SYS_futex, a);", "src/host/guest/kill_flag.cpp"), [])

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
        self.assertTrue(host_functions.is_checked(Path("src/host/functions/log.cpp")))
        self.assertTrue(host_functions.is_checked(Path("src/process/process.h")))
        self.assertFalse(host_functions.is_checked(Path("src/host/functions/log_rate_test.cpp")))
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
                                              f"{verdict}\nlines: {cpp} statements in src/ without tests\n")

    def test_of_statements_leave_out_what_says_nothing(self):
        text = '// why\n#include "a.h"\nnamespace petri {\nint a() {\n  return 1;  // one\n}\n}  // namespace petri\n\n  });\n'
        self.assertEqual(lines.statements(text), 2)
        files = [(Path(name), "int a;\n") for name in ["src/base/a.h", "src/base/a_test.cpp", "src/base/a_fixture.h", "src/testing/a.cpp"]]
        self.assertEqual(lines.statements_of_modules(files), {"base": 1})


class Architecture(unittest.TestCase):
    HEADER = "class Box final : public Lid {\n  void open();\n  mutable Mutex mutex_;\n};\nstruct Key {\n  int teeth;\n};\n"

    def complain(self, page):
        return architecture.complaints(page, [self.HEADER, "void Key::turn() {}\n"], [self.HEADER])

    def test_names_what_is_there(self):
        self.assertEqual(self.complain("`Box::open()`, `Key::teeth`, `Key::turn`\n## Locks\n| `Box::mutex_` |\n"), [])

    def test_is_refused_where_a_member_has_gone(self):
        self.assertEqual(self.complain("`Box::close` and `Lock::turn`\n\n## Locks\n`Box`\n## More\n"),
                         ["ARCHITECTURE.md: `Box::close` is named, and there is no such member",
                          "ARCHITECTURE.md: `Lock::turn` is named, and there is no such member"])

    def test_is_refused_without_the_place_of_a_lock(self):
        self.assertEqual(self.complain("`Box`\n\n## Locks\n\n## Threads\n`Box`\n"),
                         ["ARCHITECTURE.md: the table of locks does not say when the lock of `Box` is taken"])


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


class Ids(unittest.TestCase):
    BEHAVIOURS = "## L: lifecycle\n- L01 It starts.\n- L02 It ends.\n## B: batches\n- B07 Rows.\n## Not built yet\n- G01 to G03, C01: later.\n"
    HOSTILE = ("## A: time\n- A01 It loops: ended.\n## B: memory\n- B07 It grows: refused.\n## G: reload\n- G02 It hangs: killed.\n"
               "## Listed without a test\n- G02 nobody can hang that long\n")
    WELL = "int a;\n// L01, L02: both\nTEST(A, Starts) {\n}\nTEST_P(A, Rows) {  // B07\n  f();  // A01\n}\n// hostile B07\nTEST(A, Grows) {\n}\n"

    def setUp(self):
        self.lists = ids.Lists(self.BEHAVIOURS, self.HOSTILE)

    def complain(self, text, name="src/base/a_test.cpp"):
        return ids.complaints_of(self.lists, *ids.gather(self.lists, [(Path(name), text)]))

    def carried(self, name, text):
        return [(id_, test) for _, _, id_, test in ids.carried_by(Path(name), text)]

    def test_of_lists_and_tests_that_agree_are_well(self):
        self.assertEqual(self.complain(self.WELL), [])

    def test_that_no_list_has_are_seen(self):
        self.assertEqual(self.complain(self.WELL + "// L03\nTEST(A, B) {\n}\n"),
                         ["src/base/a_test.cpp:11: L03 is in no list; see docs/behaviours.md and docs/hostile-cases.md"])
        self.assertEqual(self.complain(self.WELL + "// M7: too much\nTEST(A, B) {\n}\n"),
                         ["src/base/a_test.cpp:11: M7 is in no list; see docs/behaviours.md and docs/hostile-cases.md"])

    def test_that_no_test_carries_are_seen(self):
        self.assertEqual(self.complain(self.WELL.replace(", L02", "").replace("hostile B07", "")),
                         ["docs/behaviours.md: no test carries L02; write one, or say why there is none",
                          "docs/hostile-cases.md: no test carries hostile B07; write one, or say why there is none"])

    def test_of_what_is_not_built_are_seen(self):
        self.assertEqual(self.complain(self.WELL + "// G02\nTEST(A, B) {\n}\n"),
                         ['src/base/a_test.cpp:11: G02 stands under "Not built yet"; move it up to its family, or write hostile G02'])

    def test_with_a_reason_and_a_test_are_seen(self):
        self.assertEqual(self.complain(self.WELL + "// hostile G02\nTEST(A, B) {\n}\n"),
                         ['src/base/a_test.cpp:11: hostile G02 has a test now; take it out of "Listed without a test"'])

    def test_are_hostile_by_folder_where_both_lists_have_the_family(self):
        self.assertEqual(self.lists.key(Path("tests/hostile/a_test.cpp"), "", "B07"), "hostile B07")
        self.assertEqual(self.lists.key(Path("tests/hostile/a_test.cpp"), "", "L01"), "L01")
        self.assertEqual(self.lists.key(Path("src/base/a_test.cpp"), "", "B07"), "B07")

    def test_belong_to_the_test_around_or_below_them(self):
        self.assertEqual(self.carried("src/base/a_test.cpp", "// X01: all of it\n\n// Y01\nint helper();\nTEST(A,\n     B) {\n  covers(\"A01 A02\");\n}\n"),
                         [("X01", ""), ("Y01", "A.B"), ("A01", "A.B"), ("A02", "A.B")])
        self.assertEqual(self.carried("engine/tests/a.rs", "//! All. X01\n#[test]\nfn one() {\n    // A01\n}\n"), [("X01", ""), ("A01", "one")])
        self.assertEqual(self.carried("tests/cli/a.txt", "# Rows. B07\n$ petri\n"), [("B07", "")])
        self.assertEqual(self.carried("src/a/CMakeLists.txt", "set(a)\n# B07\nadd_test(NAME a.b\n"), [("B07", "a.b")])

    def test_are_not_read_from_code(self):
        self.assertEqual(self.carried("engine/src/a.rs", "let a = Val::F64(X01); // of type F64\n"), [])

    def test_are_shown_with_their_tests(self):
        tests, _ = ids.gather(self.lists, [(Path("src/base/a_test.cpp"), self.WELL)])
        page = ids.page_of(self.lists, tests)
        self.assertIn("| L02 | It ends. | `src/base/a_test.cpp`: `A.Starts` |", page)
        self.assertIn("## Hostile B: memory", page)
        self.assertIn("| G02 | It hangs: killed. | none: nobody can hang that long |", page)

    def test_are_a_failure_where_the_page_is_of_before(self):
        test = Path("src/base/a_test.cpp")
        texts = {ids.BEHAVIOURS: self.BEHAVIOURS, ids.HOSTILE: self.HOSTILE, test: self.WELL}
        page = ids.page_of(self.lists, ids.gather(self.lists, [(test, self.WELL)])[0])
        for written, code, verdict in [(page, 0, "5 are carried by 3 tests, and each is listed"),
                                       (page + "x", 1, f"{ids.PAGE} is not what the tests say; write it with tools/check/ids.py --write")]:
            said = io.StringIO()
            with unittest.mock.patch("tree.files", lambda: [test]), unittest.mock.patch("tree.text", (texts | {ids.PAGE: written}).get), \
                    contextlib.redirect_stdout(said):
                self.assertEqual(ids.main([]), code)
            self.assertEqual(said.getvalue(), f"ids: {verdict}\n")


class Messages(unittest.TestCase):
    def found(self, text, name="src/base/x.cpp"):
        return [complaint.split(": ", 1)[1] for complaint in messages.complaints_of(Path(name), text)]

    def test_that_start_with_a_capital_or_end_with_a_full_stop_are_seen(self):
        for text in ['fail(code, "The module is too large")', 'fail(code, "A log needs a logger")', 'add("queue_max is at least 1.")',
                     'fmt::format("it has {} "\n  "fields.", n)', 'fail(code, "it is full. Try again later")', "error.message += '.';"]:
            self.assertEqual(len(self.found(text)), 1, text)
        self.assertEqual(len(self.found('Failure::fault("An export has vanished")', "engine/src/compiled/mod.rs")), 1)

    def test_are_told_with_line_and_what_to_do(self):
        self.assertEqual(messages.complaints_of(Path("src/base/x.cpp"), '\nadd("The end");'),
                         ['src/base/x.cpp:2: the message "The end" starts with "The"; start in lower case'])

    def test_in_lower_case_and_names_pass(self):
        for text in ['fail(code, "the module is too large; raise module_bytes_max")', 'add("WebAssembly text does not parse")',
                     '"JSON is expected"', '"UTF-8 is expected"', '"Word"', '// "A comment."', "char c = '\"'; // \"The end\"",
                     'R"((module (func)) The end.)"', '"and so on ..."']:
            self.assertEqual(self.found(text), [], text)

    def test_of_tests_and_of_tables_are_not_looked_at(self):
        self.assertTrue(messages.is_looked_at(Path("src/base/files/file.cpp")))
        self.assertTrue(messages.is_looked_at(Path("include/petri/logging/event_logger.h")))
        for name in ["src/base/value_test.cpp", "src/cli/commands/run.cpp", "src/telemetry/event_rules.cpp", "tests/a.cpp", "docs/x.md"]:
            self.assertFalse(messages.is_looked_at(Path(name)), name)
        self.assertEqual(self.found('#[cfg(test)]\nmod tests {\n  "A test name"\n}', "engine/src/text.rs"), [])


class Words(unittest.TestCase):
    LIST = words.parse_words('[[word]]\nfind = "(go|goes) on"\nwrite = "continue"\n'
                             '[[word]]\nfind = "letters?"\nwrite = "message"\nunless = "letters?,? (or|and) digits?"\n')

    def found(self, text, name="src/base/a.cpp"):
        return [(line, what) for line, what, _ in words.found_in(Path(name), text, self.LIST)]

    def test_are_seen_in_comments_and_names(self):
        self.assertEqual(self.found("// It goes on.\nvoid go_on();\nTEST(A, GoesOn) {\n"), [(1, "goes on"), (2, "go on"), (3, "goes on")])
        self.assertEqual(self.found("", "src/process/letter_box.h"), [(0, "letter")])

    def test_are_not_seen_in_text_for_users(self):
        self.assertEqual(self.found('f("it goes on");  // as "it goes on" says\n'), [(1, "goes on")])
        self.assertEqual(self.found('f(R"(it\ngoes on)");\n// goes on\n'), [(3, "goes on")])
        self.assertEqual(self.found('f("http://goes on");\n'), [])
        self.assertEqual(self.found('f(r#"it\ngoes on"#);\n', "engine/src/a.rs"), [])

    def test_are_seen_in_the_prose_of_pages(self):
        self.assertEqual(self.found("It goes on with `go on`.\n```\ngo on\n```\ngo on\n", "docs/a.md"), [(1, "goes on"), (5, "go on")])

    def test_are_seen_in_the_comments_of_scripts(self):
        self.assertEqual(self.found("letters = 1  # letters\n# go on\n", "tools/a.py"), [(1, "letters"), (2, "go on")])

    def test_in_their_ordinary_sense_pass(self):
        self.assertEqual(self.found("// letters or digits, letter and digit, sirens go one by one"), [])

    def test_are_complaints_that_say_what_to_write(self):
        self.assertEqual(words.complaints([(Path("src/base/a.cpp"), "// go on\n// a letter\n")], self.LIST),
                         ['src/base/a.cpp:1: "go on"; write continue', 'src/base/a.cpp:2: "letter"; write message'])


class Openings(unittest.TestCase):
    def test_without_a_noun_are_seen(self):
        for text in ["// Of the last one.", "// What it has.", "  // The same for modules.", "// Whether it ran.", "// None: all of them.",
                     "// nullptr: there is none.", "/// Those that wait.", "//! Whoever asks.", "// The same, later.", "// Whose turn it is."]:
            self.assertEqual(len(openings.openings_in(text)), 1, text)

    def test_with_a_noun_or_a_verb_pass(self):
        for text in ["// Often it waits.", "// Waits until it ran.", "// The same results as before.", "// nullptr if there is none.",
                     "// Those modules wait.", "f();  // of the last one", "// The module: none of them.", "// NOLINT: what it is for",
                     "// Nothing follows."]:
            self.assertEqual(openings.openings_in(text), [], text)

    def test_count_at_the_first_line_of_a_block_only(self):
        self.assertEqual(openings.openings_in("// The modules\n// of the last one.\nf();\n// Of all\n"), [(4, "Of all")])

    def test_are_complaints_that_say_where(self):
        self.assertEqual(openings.complaints([(Path("src/base/a.h"), "// Of it\n")]),
                         ['src/base/a.h:1: the comment opens with "Of it"; give it a noun or a verb'])


class Paths(unittest.TestCase):
    def test_of_one_machine_are_seen(self):
        for text in ["/home/ann/petri", '"/root/.cargo"', "(/work/main)"]:
            self.assertEqual(len(paths.paths_in(text)), 1, text)

    def test_of_every_machine_pass(self):
        for text in ["/usr/bin/env", "/dev/null", "build/work/x", "https://a.org/home/x", "$HOME/.cargo/bin"]:
            self.assertEqual(paths.paths_in(text), [], text)


if __name__ == "__main__":
    unittest.main()
