// For tests of compile workers: modules that are expensive to compile, and a look at the processes that do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"

namespace petri {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint64_t kMiB = 1 << 20;

// (module (func (export "f")))
inline const Bytes kModule{0, 'a', 's', 'm', 1, 0, 0,   0, 1, 4,  1, 0x60, 0, 0, 3,   2,
                           1, 0,   7,   5,   1, 1, 'f', 0, 0, 10, 4, 1,    2, 0, 0x0b};

inline void append_number(Bytes& bytes, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

inline void append_section(Bytes& module, std::uint8_t id, const Bytes& content) {
  module.push_back(id);
  append_number(module, static_cast<std::uint32_t>(content.size()));
  module.insert(module.end(), content.begin(), content.end());
}

// Functions with a branch over a table of nested blocks, and locals that are different behind each of them: what one
// costs to compile grows with the product.
inline Bytes branch_bomb(std::uint32_t targets, std::uint32_t locals, std::uint8_t functions = 1) {
  Bytes body;
  append_number(body, 1);
  append_number(body, locals);
  body.push_back(0x7f);
  for (std::uint32_t i = 0; i < targets; ++i) body.insert(body.end(), {0x02, 0x40});  // block
  body.insert(body.end(), {0x20, 0, 0x0e});                                           // local.get 0, br_table
  append_number(body, targets - 1);
  for (std::uint32_t i = 0; i < targets; ++i) append_number(body, i);
  for (std::uint32_t i = 0; i < targets; ++i) {
    body.insert(body.end(), {0x0b, 0x41});  // end, i32.const
    append_number(body, i % 64);
    body.push_back(0x21);  // local.set
    append_number(body, 1 + i % locals);
  }
  body.push_back(0x41);
  body.push_back(0);
  for (std::uint32_t i = 1; i <= locals; ++i) {
    body.push_back(0x20);  // local.get
    append_number(body, i);
    body.push_back(0x6a);  // i32.add
  }
  body.push_back(0x0b);
  Bytes types{functions}, code{functions};
  for (std::uint8_t i = 0; i < functions; ++i) {
    types.push_back(0);
    append_number(code, static_cast<std::uint32_t>(body.size()));
    code.insert(code.end(), body.begin(), body.end());
  }
  Bytes module{0, 'a', 's', 'm', 1, 0, 0, 0};
  append_section(module, 1, {1, 0x60, 1, 0x7f, 1, 0x7f});
  append_section(module, 3, types);
  append_section(module, 10, code);
  return module;
}

struct ThreadStatus {
  std::string filters;  // "2": only system calls that a filter allows
  std::string state;    // "S": it waits
  int nice = 0;
};

// Empty if there is no such thread any more.
inline ThreadStatus status_of(const std::filesystem::path& thread) {
  ThreadStatus status;
  std::ifstream lines(thread / "status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Seccomp:\t")) status.filters = line.substr(9);
    if (line.starts_with("State:\t")) status.state = line.substr(7, 1);
  }
  std::ifstream numbers(thread / "stat");
  std::string text;
  std::getline(numbers, text);
  std::istringstream behind_name(text.substr(text.rfind(')') + 1));
  constexpr int kNice = 17;  // the word that it is
  for (int word = 0; word < kNice && behind_name >> text; ++word) status.nice = std::atoi(text.c_str());
  return status;
}

inline std::vector<std::filesystem::path> compilations_of(pid_t worker) {
  const std::string process = std::to_string(worker);
  std::ifstream children("/proc/" + process + "/task/" + process + "/children");
  std::vector<std::filesystem::path> found;
  for (std::string child; children >> child;) found.push_back("/proc/" + child);
  return found;
}

// The process that compiles and never ends, once it is jailed and waits.
inline std::filesystem::path endless_compilation() {
  for (;;) {
    for (const WorkerIds& worker : live_workers()) {
      for (const auto& child : compilations_of(worker.process)) {
        const ThreadStatus status = status_of(child);
        if (status.filters == "2" && status.state == "S") return child;
      }
    }
    std::this_thread::yield();
  }
}

class CompileWorkersTest : public testing::Test {
 protected:
  ~CompileWorkersTest() override { inject_compile_fault(CompileFault::none, 0); }

  Result<Bytes> compile(const MachineCodeOptions& options = {}, const Bytes& module = kModule,
                        std::stop_token stop = {}) {
    return compile_in_worker(module, false, options, std::chrono::steady_clock::now() + options.time_max, stop);
  }
  Result<Bytes> compile_with(CompileFault fault, const MachineCodeOptions& options = {}) {
    inject_compile_fault(fault);
    return compile(options);
  }
  // Waits until no worker is left that was told to end, and none that is dead.
  static std::vector<pid_t> children() {
    EXPECT_TRUE(settle_compile_workers(std::chrono::seconds(10)));
    std::vector<pid_t> known;
    for (const WorkerIds& ids : live_workers()) known.push_back(ids.process);
    return known;
  }
  static bool has_zombies() {
    siginfo_t about{};
    return ::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid != 0;
  }
  static void wait_until_zombie(pid_t worker) {
    siginfo_t about{};
    ::waitid(P_PID, static_cast<id_t>(worker), &about, WEXITED | WNOWAIT);
  }
  // Waits until this many workers live. One of them is at work, the others are idle.
  static void wait_for_workers(std::size_t count) {
    while (live_workers().size() < count) std::this_thread::yield();
  }
};

}  // namespace petri
