// For tests of hostile guests: whatever they do, the oracle of every case holds for everyone else. V1 to V9.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include "hostile/hostile_facts.h"
#include "hostile/hostile_settings.h"
#include "hostile/oracle_watch.h"
#include "sandboxes/runtime_fixture.h"

namespace petri {

using namespace std::chrono_literals;

// Echoes its input, counts, and computes the same thing every time.
constexpr std::string_view kWellBehaved = R"((module
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1) (global $count (mut i32) (i32.const 0))
  (func (export "petri_handle") (result i32)
    (drop (call $read (i32.const 0) (i32.const 0) (call $size)))
    (drop (call $write (i32.const 0) (call $size))) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "compute") (result i64) (local $x i64) (local $n i32)
    (local.set $x (i64.const 88172645463325252)) (local.set $n (i32.const 100))
    (loop $again
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 13))))
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 7))))
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 17))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))))";

// How long this takes.
template <typename Act>
auto timed(Latency latency, const Act& act, std::chrono::nanoseconds allowed = std::chrono::nanoseconds(0)) {
  const auto from = std::chrono::steady_clock::now();
  auto result = act();
  HostileFacts::instance().note(latency, std::chrono::steady_clock::now() - from - allowed);
  return result;
}

// True if a path of this machine stands in the text, from the root on.
inline bool names_a_host_path(std::string_view text) {
  constexpr std::array<std::string_view, 10> kFolders{"work", "root", "home", "tmp", "usr",
                                                      "var",  "etc",  "proc", "dev", "build"};
  const auto belongs_to_a_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/';
  };
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
    if (at > 0 && belongs_to_a_word(text[at - 1])) continue;
    const std::string_view first = text.substr(at + 1, text.find('/', at + 1) - at - 1);
    if (std::ranges::find(kFolders, first) != kFolders.end()) return true;
  }
  return false;
}

// 0x and ten digits or more.
inline bool names_an_address(std::string_view text) {
  for (std::size_t at = text.find("0x"); at != std::string_view::npos; at = text.find("0x", at + 1)) {
    const std::string_view rest = text.substr(at + 2);
    if (std::min(rest.find_first_not_of("0123456789abcdefABCDEF"), rest.size()) >= 10) return true;
  }
  return false;
}

// The part of a text, visible to guest or caller, that reveals something of the host or of other sandboxes; empty if
// none. V8
inline std::string what_leaks(const std::string& text) {
  const bool paths =
      text.find(std::filesystem::current_path().string()) != std::string::npos || names_a_host_path(text);
  const bool others = text.find("canary-") != std::string::npos || text.find("neighbour-") != std::string::npos;
  if (paths || others || names_an_address(text)) return "tells what it must not: " + text;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "has a control character: " + text;
  }
  return {};
}

// The wrong answer of a well-behaved sandbox in its round-th round; empty if it is right.
inline std::string wrong_answer(Sandbox& sandbox, std::int32_t round) {
  static const std::int64_t computed = [] {
    std::uint64_t x = 88172645463325252;
    for (int n = 0; n < 100; ++n) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    return static_cast<std::int64_t>(x);
  }();
  std::string wrong = testing::not_value(sandbox.call("next"), round);
  if (wrong.empty()) wrong = testing::not_value(sandbox.call("compute"), Value(computed));
  const std::string word = "hello " + std::to_string(round);
  const auto echo = sandbox.call("", {}, {.input = word});
  if (wrong.empty() && (!echo || echo->output != word)) wrong = "no echo of " + word;
  return wrong.empty() ? "" : sandbox.id() + ": " + wrong;
}

// Asks a few well-behaved sandboxes the same questions again and again while it lives.
class Canaries {
 public:
  // A canary that answers later than this has missed its time.
  static constexpr std::chrono::seconds kPatience{1};

  Canaries(Runtime& runtime, Latency latency) : runtime_(runtime), latency_(latency) {
    for (const std::string id : {"canary-1", "canary-2", "canary-3"}) {
      sandboxes_.push_back(
          *runtime.create_sandbox({.id = id, .modules = {{"m", Source::wat(std::string(kWellBehaved))}}}));
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { ask(stop); });
  }
  // Waits until they have been asked this many times more.
  void wait_for_rounds(int rounds) {
    std::unique_lock lock(mutex_);
    const int wanted = rounds_ + rounds;
    changed_.wait(lock, [&] { return rounds_ >= wanted || !wrong_.empty(); });
  }
  // The wrong answers that they gave; empty if there are none.
  std::string end() {
    thread_.request_stop();
    thread_.join();
    for (const Sandbox& sandbox : sandboxes_) static_cast<void>(runtime_.destroy(sandbox.id()));
    return wrong_;
  }

 private:
  // Facts are noted at the end, because they have a lock that hostile threads hold as well.
  std::string ask_one(Sandbox& sandbox) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto asked = now();
    std::string wrong = wrong_answer(sandbox, rounds_ + 1);
    const auto answered = now();
    const SandboxInfo info = sandbox.info();
    const auto informed = now();
    if (wrong.empty() && info.status != SandboxStatus::running) wrong = sandbox.id() + " does not run";
    HostileFacts& facts = HostileFacts::instance();
    facts.note(latency_, answered - asked);
    facts.check(Oracle::neighbours, wrong.empty(), wrong);
    facts.check(Oracle::lost, wrong.empty(), wrong);
    facts.note(Latency::info, informed - answered);
    if (informed - asked > kPatience) facts.note_missed_canary();
    return wrong;
  }
  void ask(const std::stop_token& stop) {
    do {
      std::string wrong;
      for (Sandbox& sandbox : sandboxes_) {
        if (wrong.empty()) wrong = ask_one(sandbox);
      }
      if (!wrong.empty()) HostileFacts::instance().note_missed_canary();
      std::unique_lock lock(mutex_);
      ++rounds_;
      wrong_ = wrong;
      changed_.notify_all();
      if (!wrong.empty()) return;
      changed_.wait_for(lock, stop, std::chrono::milliseconds(2), [] { return false; });
    } while (!stop.stop_requested());
  }

  Runtime& runtime_;
  const Latency latency_;
  std::vector<Sandbox> sandboxes_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int rounds_ = 0;
  std::string wrong_;
  std::jthread thread_;
};

// Alone, or beside as many neighbours as PETRI_NEIGHBOURS says, or as many at once as PETRI_COPIES says: then this many
// threads run the body of the test on this one fixture. Afterwards everyone else is as before, and nothing is left of
// the guest.
class HostileFixture : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  explicit HostileFixture(Latency canaries = Latency::canary)
      : RuntimeFixture(hostile_options()), canary_latency_(canaries) {}

  void TestBody() override = 0;
  void SetUp() override {
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
      neighbours_.push_back(
          create({.id = "neighbour-" + std::to_string(i), .modules = {{"m", Source::wat(std::string(kWellBehaved))}}}));
    }
    expect_neighbours_answer();
    watch_.emplace(*runtime_, [](const std::string& text) { return what_leaks(text); });
    before_ = runtime_->info();
    leaks_.emplace(runtime_.get());
    canaries_.emplace(*runtime_, canary_latency_);
    for (std::size_t copy = 1; copy < copy_count(); ++copy) {
      copies_.emplace_back([this, copy] {
        copy_ = copy;
        TestBody();
      });
    }
  }
  void TearDown() override {
    for (std::jthread& copy : copies_) copy.join();
    canaries_->wait_for_rounds(1);
    expect_neighbours_answer();
    for (const std::string& id : hostile_) destroy(id);
    EXPECT_EQ(canaries_->end(), "");  // V3, V4, V6
    const std::string left = what_is_left();
    HostileFacts::instance().check(Oracle::left, left.empty(), left);
    EXPECT_EQ(left, "");
    EXPECT_EQ(watch_->end(), "");                             // V1, V7, V8
    EXPECT_EQ(HostileFacts::instance().much_too_late(), "");  // V2
  }
  // Notes the time taken beyond the time that its guests have to end in order.
  void destroy(const std::string& id) {
    const auto info = runtime_->info(id);
    if (!info) return;  // the case has done it
    const std::chrono::nanoseconds allowed(info->limits.shutdown_max);
    static_cast<void>(timed(Latency::destroy, [&] { return runtime_->destroy(id); }, busy_ends_ ? allowed : 0ns));
  }
  // V5
  std::string what_is_left() {
    return testing::eventually(*runtime_, [&]() -> std::string {
      const RuntimeInfo now = runtime_->info();
      if (now.sandboxes != before_.sandboxes) return std::to_string(now.sandboxes) + " sandboxes";
      if (now.artifacts > before_.artifacts) return std::to_string(now.artifacts) + " artifacts";
      // A young neighbour remembers what it was sent, for its backtrace, and forgets it as it ages
      // (process/history/history.h).
      const std::uint64_t remembered_max = neighbours_.size() * 24 * 1'024;
      const bool as_before = now.memory_bytes + remembered_max >= before_.memory_bytes &&
                             now.memory_bytes <= before_.memory_bytes + remembered_max;
      if (!as_before) return std::to_string(now.memory_bytes) + " bytes";
      return leaks_->leaks();
    });
  }
  void expect_neighbours_answer() {
    const std::lock_guard lock(mutex_);
    ++round_;
    for (Sandbox& neighbour : neighbours_) {
      const std::string wrong = wrong_answer(neighbour, round_);
      HostileFacts::instance().check(Oracle::lost, wrong.empty(), wrong);
      EXPECT_EQ(wrong, "");
    }
  }

  // The cases of the list that this is about.
  static void covers(std::string_view ids) { HostileFacts::instance().covers(ids); }
  // The number of repetitions: more in the longer suite, and fewer where there are a hundred copies of the case.
  static int times(int quick, int long_run) {
    if (copy_count() > 1) return std::max(1, quick / 10);
    return count_from_environment("PETRI_LONG", 0) == 0 ? quick : long_run;
  }
  // True if this copy is to try the i-th of a long list: a crowd shares it.
  static bool is_mine(std::size_t i) { return i % copy_count() == copy_; }
  // Another for each seed and copy, the same for the same.
  static std::mt19937_64 random_engine() { return std::mt19937_64(hostile_seed() * 1'000 + copy_); }
  static std::uint64_t fuel() { return 1'000'000 + random_engine()() % 10'000; }

  SandboxSpec hostile_spec(std::string_view wat, const LimitChanges& limits = {}) {
    SandboxSpec spec{.id = testing::unique_id("hostile"), .seed = hostile_seed(), .tier = GetParam()};
    spec.modules = {{"m", Source::wat(std::string(wat))}};
    spec.tree = SupervisorSpec{.intensity = 1'000'000, .children = {ChildSpec{.id = "m", .module = "m"}}};
    const std::uint64_t seconds = copy_count() == 1 ? 1 : 60;  // in a crowd it is long until it is one's turn
    spec.limits = limits;
    fill_in(spec.limits, {.execution_time_max = std::chrono::seconds(seconds), .memory_bytes_max = 16 << 20});
    const std::lock_guard lock(mutex_);
    hostile_.push_back(spec.id);
    return spec;
  }
  Sandbox attack(std::string_view wat, const LimitChanges& limits = {}) { return create(hostile_spec(wat, limits)); }
  // Another child of the only module, beside the first.
  static void add_child(SandboxSpec& spec, std::string id, Shutdown shutdown = {}) {
    spec.tree->children.emplace_back(ChildSpec{.id = std::move(id), .module = "m", .shutdown = shutdown});
  }
  static std::int32_t number(const Result<Outcome>& result) {
    EXPECT_TRUE(result) << result.error().message;
    if (!result || result->values.empty() || result->values[0].type() != ValueType::i32) return INT32_MIN;
    return result->values[0].i32();
  }
  static std::int32_t status(GuestError error) { return static_cast<std::int32_t>(error); }
  std::uint64_t met(const Sandbox& sandbox, const std::string& limit) { return sandbox.info().limits_met[limit]; }

  static inline thread_local std::size_t copy_ = 0;
  const Latency canary_latency_;
  std::mutex mutex_;
  std::vector<Sandbox> neighbours_;
  std::vector<std::string> hostile_;  // ids
  std::optional<Canaries> canaries_;
  std::optional<testing::LeakCheck> leaks_;
  RuntimeInfo before_;
  std::int32_t round_ = 0;
  std::vector<std::jthread> copies_;
  std::optional<OracleWatch> watch_;
  bool busy_ends_ = false;  // its guests use all the time they have to end
};

#define PETRI_HOSTILE_IN_BOTH_TIERS(name)                                         \
  INSTANTIATE_TEST_SUITE_P(BothTiers, name, ::testing::ValuesIn(hostile_tiers()), \
                           [](const auto& tier) { return std::string(name_of(tier.param)); })

}  // namespace petri
