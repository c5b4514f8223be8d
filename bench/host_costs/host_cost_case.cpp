#include "bench/host_costs/host_cost_case.h"

#include <fmt/format.h>

#include "host/host_table.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kHalf = std::uint64_t{16} << 20;

// A file that has 16 MiB in it.
constexpr std::string_view kFile = R"(
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 600) (i32.const 1) (i32.const 1) (i64.const 0x400066)
      (i64.const 0) (i32.const 0) (i32.const 640)))
    (global.set $file (i32.load (i32.const 640)))
    (drop (call $fill (global.get $file) (i32.const 512) (i32.const 1) (i64.const 0) (i32.const 640))))";

std::vector<HostCostCase> petri_cases() {
  return {
      {"petri", "input_size", "", ""},
      {"petri", "input_read", "16 MiB", "(i32.const 0x1000000) (i32.const 0) (i32.const 0x1000000)", kHalf},
      {"petri", "output_write", "16 MiB", "(i32.const 0x1000000) (i32.const 0x1000000)", kHalf},
      {"petri", "output_write", "one byte", "(i32.const 0) (i32.const 1)"},
      {"petri", "log", "a line of 16 MiB", "(i32.const 2) (i32.const 0x1000000) (i32.const 0x1000000)", kHalf},
      {"petri", "log", "an empty line", "(i32.const 2) (i32.const 0) (i32.const 0)"},
      {"petri", "clock_ms", "", ""},
      {"petri", "random", "", ""},
      {"petri", "exit", "ends the guest", "(i32.const 0)", 0, {}, true},
      {"petri", "message_kind", "", ""},
      {"petri", "message_tag", "", ""},
      {"petri", "sender", "", "(i32.const 0) (i32.const 64)"},
      {"petri", "self", "", "(i32.const 0) (i32.const 64)"},
      {"petri", "send", "16 MiB to itself", "(i32.const 608) (i32.const 1) (i32.const 0x1000000) (i32.const 0x1000000)",
       kHalf},
      {"petri", "send", "nothing, to itself", "(i32.const 608) (i32.const 1) (i32.const 0) (i32.const 0)"},
      {"petri", "send", "to a name of 16 MiB",
       "(i32.const 0x1000000) (i32.const 0x1000000) (i32.const 0) (i32.const 0)", kHalf},
      {"petri", "call", "16 MiB, to itself",
       "(i32.const 608) (i32.const 1) (i32.const 0x1000000) (i32.const 0x1000000) (i32.const 0)", kHalf},
      {"petri", "call", "another, which answers at once",
       "(i32.const 609) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)"},
      {"petri", "reply_read", "no reply", "(i32.const 0x1000000) (i32.const 0) (i32.const 0x1000000)", 0},
      {"petri", "spawn", "a text of 1 MiB without an end", "(i32.const 0x1000000) (i32.const 0x100000)",
       std::uint64_t{1} << 20,
       "(memory.fill (i32.const 0x1000000) (i32.const 120) (i32.const 0x100000)) (i32.store8 (i32.const 0x1000000) "
       "(i32.const 34))"},
      {"petri", "spawn", "16 MiB", "(i32.const 0x1000000) (i32.const 0x1000000)", kHalf},
      {"petri", "spawn", "a child that is there", "(i32.const 700) (i32.const 23)"},
      {"petri", "stop", "a name of 16 MiB", "(i32.const 0x1000000) (i32.const 0x1000000)", kHalf},
      {"petri", "stop", "nobody", "(i32.const 600) (i32.const 1)"},
      {"petri", "timer", "until timers_max", "(i32.const 3600000) (i64.const 0)"},
  };
}

std::vector<HostCostCase> wasi_cases() {
  const std::string file(kFile), many = "(i32.const 8192) (i32.const 1024)", large = "(i32.const 512) (i32.const 1)";
  const std::string path = "(i32.const 20480) (i32.const 4000)";
  const auto wasi = [](std::string name, std::string what, std::string arguments, std::uint64_t bytes = 0,
                       std::string prepare = {}) {
    return HostCostCase{"wasi_snapshot_preview1", std::move(name), std::move(what),
                        std::move(arguments),     bytes,           std::move(prepare)};
  };
  std::vector<HostCostCase> cases{
      wasi("args_sizes_get", "1,000 arguments", "(i32.const 0) (i32.const 4)"),
      wasi("args_get", "1,000 arguments", "(i32.const 0x1000000) (i32.const 0x1100000)", 11'000),
      wasi("environ_sizes_get", "1,000 variables", "(i32.const 0) (i32.const 4)"),
      wasi("environ_get", "1,000 variables", "(i32.const 0x1000000) (i32.const 0x1100000)", 11'000),
      wasi("sched_yield", "", ""),
      wasi("clock_res_get", "", "(i32.const 0) (i32.const 0)"),
      wasi("clock_time_get", "", "(i32.const 0) (i64.const 0) (i32.const 0)"),
      wasi("poll_oneoff", "64 subscriptions, all ready",
           "(i32.const 0x1e00000) (i32.const 0x1f00000) (i32.const 64) (i32.const 0)", 64 * 80,
           "(memory.fill (i32.const 0x1e00000) (i32.const 0) (i32.const 65536))"),
      wasi("poll_oneoff", "a sleep without an end",
           "(i32.const 0x1e00000) (i32.const 0x1f00000) (i32.const 1) (i32.const 0)", 80,
           "(memory.fill (i32.const 0x1e00000) (i32.const 0) (i32.const 65536)) (i64.store (i32.const 0x1e00018) "
           "(i64.const -1))"),
      wasi("random_get", "16 MiB", "(i32.const 0x1000000) (i32.const 0x1000000)", kHalf),
      wasi("fd_read", "16 MiB of input", "(i32.const 0) " + large + " (i32.const 0)", kHalf),
      wasi("fd_read", "1,024 buffers of one byte", "(i32.const 0) " + many + " (i32.const 0)", 1'024),
      wasi("fd_pread", "16 MiB of a file", "(global.get $file) " + large + " (i64.const 0) (i32.const 0)", kHalf, file),
      wasi("fd_pread", "1,024 buffers of one byte", "(global.get $file) " + many + " (i64.const 0) (i32.const 0)",
           1'024, file),
      wasi("fd_write", "16 MiB to standard output", "(i32.const 1) " + large + " (i32.const 0)", kHalf),
      wasi("fd_write", "1,024 buffers of one byte to standard output", "(i32.const 1) " + many + " (i32.const 0)",
           1'024),
      wasi("fd_write", "16 MiB of empty lines to standard error", "(i32.const 2) " + large + " (i32.const 0)", kHalf),
      wasi("fd_write", "1,024 empty lines to standard error", "(i32.const 2) " + many + " (i32.const 0)", 1'024),
      wasi("fd_pwrite", "16 MiB to a file", "(global.get $file) " + large + " (i64.const 0) (i32.const 0)", kHalf,
           file),
      wasi("fd_pwrite", "1,024 buffers of one byte", "(global.get $file) " + many + " (i64.const 0) (i32.const 0)",
           1'024, file),
      wasi("fd_close", "what is not open", "(i32.const 60)"),
      wasi("fd_seek", "to the end", "(global.get $file) (i64.const 0) (i32.const 2) (i32.const 0)", 0, file),
      wasi("fd_tell", "", "(global.get $file) (i32.const 0)", 0, file),
      wasi("fd_fdstat_get", "", "(i32.const 3) (i32.const 0)"),
      wasi("fd_fdstat_set_flags", "", "(i32.const 3) (i32.const 0)"),
      wasi("fd_filestat_get", "", "(global.get $file) (i32.const 0)", 0, file),
      wasi("fd_filestat_set_size", "the same size", "(global.get $file) (i64.const 0x1000000)", 0, file),
      wasi("fd_sync", "after 16 MiB", "(global.get $file)", 0, file),
      wasi("fd_datasync", "after 16 MiB", "(global.get $file)", 0, file),
      wasi("fd_prestat_get", "", "(i32.const 3) (i32.const 0)"),
      wasi("fd_prestat_dir_name", "", "(i32.const 3) (i32.const 0) (i32.const 1)"),
      wasi("fd_readdir", "a folder of many files, listed anew",
           "(i32.const 3) (i32.const 0x1000000) (i32.const 0x1000000) (i64.const 0) (i32.const 0)", kHalf),
      wasi("fd_readdir", "the same listing again",
           "(i32.const 3) (i32.const 0x1000000) (i32.const 0x1000000) (i64.const 1) (i32.const 0)", kHalf),
      wasi("path_open", "a path of 2,000 folders",
           "(i32.const 3) (i32.const 0) " + path +
               " (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 0)",
           4'000),
      wasi("path_open", "a new file, in a folder not yet counted",
           "(i32.const 3) (i32.const 0) (i32.const 604) (i32.const 1) (i32.const 9) (i64.const 0x40) (i64.const 0) "
           "(i32.const 0) (i32.const 0)"),
      wasi("path_filestat_get", "a path of 2,000 folders", "(i32.const 3) (i32.const 0) " + path + " (i32.const 0)",
           4'000),
  };
  for (const char* name : {"path_create_directory", "path_remove_directory", "path_unlink_file"}) {
    cases.push_back(wasi(name, "a path of 2,000 folders", "(i32.const 3) " + path, 4'000));
  }
  cases.push_back(
      wasi("path_rename", "two paths of 2,000 folders", "(i32.const 3) " + path + " (i32.const 3) " + path, 8'000));
  cases.push_back(wasi("path_filestat_set_times", "a path of 2,000 folders",
                       "(i32.const 3) (i32.const 0) " + path + " (i64.const 0) (i64.const 0) (i32.const 10)", 4'000));
  cases.push_back(wasi("path_link", "two paths of 2,000 folders",
                       "(i32.const 3) (i32.const 0) " + path + " (i32.const 3) " + path, 8'000));
  cases.push_back(wasi("path_readlink", "a path of 2,000 folders",
                       "(i32.const 3) " + path + " (i32.const 0x1000000) (i32.const 4096) (i32.const 0)", 4'000));
  cases.push_back(
      wasi("path_symlink", "a path of 2,000 folders", "(i32.const 0) (i32.const 1) (i32.const 3) " + path, 4'000));
  cases.push_back(wasi("fd_advise", "", "(global.get $file) (i64.const 0) (i64.const 0) (i32.const 0)", 0, file));
  cases.push_back(
      wasi("fd_allocate", "what the file has", "(global.get $file) (i64.const 0) (i64.const 0x1000000)", 0, file));
  cases.push_back(wasi("fd_renumber", "what is not open", "(i32.const 60) (i32.const 61)"));
  cases.push_back(
      wasi("fd_filestat_set_times", "", "(global.get $file) (i64.const 0) (i64.const 0) (i32.const 10)", 0, file));
  cases.push_back(wasi("sock_accept", "", "(i32.const 0) (i32.const 0) (i32.const 0)"));
  cases.push_back(
      wasi("sock_recv", "", "(i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)"));
  cases.push_back(wasi("sock_send", "", "(i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)"));
  cases.push_back(wasi("sock_shutdown", "", "(i32.const 0) (i32.const 0)"));
  cases.push_back({"env", "abort", "two long texts",
                   "(i32.const 0x1000004) (i32.const 0x1000004) (i32.const 1) (i32.const 1)", 2'048,
                   "(i32.store (i32.const 0x1000000) (i32.const 4096))"});
  HostCostCase exit = wasi("proc_exit", "ends the guest", "(i32.const 0)");
  exit.ends_the_guest = true;
  cases.push_back(std::move(exit));
  return cases;
}

std::vector<HostCostCase> math_cases() {
  std::vector<HostCostCase> cases;
  for (const HostFunction& function : builtin_functions()) {
    if (function.module != "math") continue;
    std::string arguments;
    for (std::size_t i = 0; i < function.signature.params.size(); ++i) {
      arguments += i == 0 ? "(f64.const 1e300)" : "(f64.const 3.7e-300)";
    }
    cases.push_back({function.module, function.name, "", arguments});
  }
  return cases;
}

std::string type_of(const HostFunction& function) {
  std::string text;
  for (const ValueType type : function.signature.params) text += fmt::format(" (param {})", name_of(type));
  for (const ValueType type : function.signature.results) text += fmt::format(" (result {})", name_of(type));
  return text;
}

}  // namespace

const std::vector<HostCostCase>& host_cost_cases() {
  static const std::vector<HostCostCase> all = [] {
    std::vector<HostCostCase> cases = petri_cases();
    for (auto* more : {&math_cases, &wasi_cases}) {
      for (HostCostCase& one : more()) cases.push_back(std::move(one));
    }
    return cases;
  }();
  return all;
}

std::string guest_of(const HostCostCase& one) {
  const HostFunction& function = *find_builtin(one.module, one.name);
  const std::string call = fmt::format("(call $f {})", one.arguments);
  const std::string statement = function.signature.results.empty() ? call : fmt::format("(drop {})", call);
  return fmt::format(R"((module
  (import "{}" "{}" (func $f{}))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_pwrite" (func $fill (param i32 i32 i32 i64 i32) (result i32)))
  (memory 512)
  (global $file (mut i32) (i32.const 0))
  (data (i32.const 512) "\00\00\00\01\00\00\00\01")
  (data (i32.const 600) "f   n   ab")
  (data (i32.const 700) "{{\22id\22:\22a\22,\22module\22:\22m\22}}")
  (func $prepare (local $i i32)
    (memory.fill (i32.const 0x1000000) (i32.const 10) (i32.const 0x1000000))
    (loop $l
      (i32.store (i32.add (i32.const 8192) (i32.mul (local.get $i) (i32.const 8))) (i32.const 0x1000000))
      (i32.store (i32.add (i32.const 8196) (i32.mul (local.get $i) (i32.const 8))) (i32.const 1))
      (i32.store (i32.add (i32.const 20480) (i32.mul (local.get $i) (i32.const 4))) (i32.const 0x2f2e2f2e))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1024))))
    {})
  (func (export "ready") (call $prepare))
  (func (export "once") {})
  (func (export "go") (loop $l {} (br $l)))
  (func (export "petri_handle") (result i32) (i32.const 0))))",
                     one.module, one.name, type_of(function), one.prepare, statement, statement);
}

}  // namespace petri::bench
