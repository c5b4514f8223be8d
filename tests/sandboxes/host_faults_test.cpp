// Hostile HF: faults of the host, and of the program that petri is part of.
#include <sys/mman.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <thread>

#include "batches_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

class HostFaultTest : public BatchesTest {};

TEST_F(HostFaultTest, ARuntimeThatEndsUnderAThousandBusyGuestsLeavesAnotherAlone) {  // HF19
  constexpr int kBusy = 1'000;
  Sandbox other = create(counter("other"));
  auto busy = *Runtime::create({.workers = 2});
  for (const auto& row : busy->create_all(counters(kBusy))) ASSERT_TRUE(row) << row.error();
  for (const std::string& id : ids(kBusy)) ASSERT_TRUE(busy->find(id)->call_async("spin", {}, {}, {}));

  std::atomic<bool> ended{false};
  std::atomic<int> answered{0};
  const std::jthread caller([&] {
    while (!ended) {
      EXPECT_TRUE(other.call("next"));
      ++answered;
    }
  });
  const auto start = std::chrono::steady_clock::now();
  busy.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  const int before = answered;
  while (answered == before) std::this_thread::yield();
  ended = true;
}

sigjmp_buf after_fault;
std::atomic<int> faults{0};
char* own_page = nullptr;
struct sigaction before{};  // the handler in whose place this one is

// Takes the faults of its own page, and passes all others on: where it comes after petri's, guests have some.
void take_own_faults(int signal, siginfo_t* info, void* context) {
  const auto* const at = static_cast<const char*>(info->si_addr);
  if (at < own_page || at >= own_page + 4'096) {
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    std::_Exit(2);
  }
  ++faults;
  siglongjmp(after_fault, 1);
}

void install_handler() {
  struct sigaction own{};
  own.sa_sigaction = take_own_faults;
  own.sa_flags = SA_ONSTACK | SA_SIGINFO;
  ::sigaction(SIGSEGV, &own, &before);
}

// A fault of the program itself, which reaches its handler.
void fault() {
  if (sigsetjmp(after_fault, 1) == 0) *const_cast<volatile char*>(own_page) = 1;
}

// In a process of its own: handlers are the whole program's, and sanitizers have one.
void live_with_a_handler(bool handler_first) {
  own_page = static_cast<char*>(::mmap(nullptr, 4'096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const auto trap = [](Tier tier) {
    auto runtime = *Runtime::create({.workers = 1});
    auto sandbox = runtime->create_sandbox(
        {.id = "a",
         .modules = {{"m", Source::wat(R"((module (memory 1)
           (func (export "read") (result i32) (i32.load (i32.const -1)))
           (func (export "divide") (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))))")}},
         .tree = SupervisorSpec{.intensity = 9, .children = {ChildSpec{.id = "c", .module = "m"}}},
         .tier = tier});
    if (!sandbox) return false;
    const auto read = sandbox->call("read");
    const auto divided = sandbox->run("m", "divide", {0});
    return read && divided && read->trap == TrapCode::memory_out_of_bounds &&
           divided->trap == TrapCode::integer_divide_by_zero;
  };
  if (handler_first) install_handler();
  bool all_trapped = trap(Tier::interpreted) && trap(Tier::compiled);
  if (!handler_first) install_handler();
  all_trapped = all_trapped && trap(Tier::interpreted) && trap(Tier::compiled) && faults == 0;
  fault();
  std::_Exit(all_trapped && faults == 1 ? 0 : 1);
}

TEST(HostFaultDeathTest, AHandlerOfTheProgramGetsItsOwnFaultsAndNoTrapOfAGuest) {  // HF18
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(live_with_a_handler(true), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(live_with_a_handler(false), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace petri
