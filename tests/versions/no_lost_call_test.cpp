// M16, hostile G14: numbered messages across reloads, failed ones, crashes of new code and rollbacks. What the guests
// got is recorded by a function of the host's, and checked: nothing lost, doubled or out of order.
#include <stdexcept>

#include "sandboxes/environment.h"
#include "state_guests.h"

namespace petri {
namespace {

// The host's record of what arrived, in the order in which it did.
class Record {
 public:
  explicit Record(std::size_t senders) : next_(senders) {}

  void got(std::uint32_t sender, std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    ++total_;
    if (sender >= next_.size()) return complain(fmt::format("there is no sender {}", sender));
    std::uint32_t& expected = next_[sender];
    if (number != expected) complain(fmt::format("sender {}: {} came where {} was due", sender, number, expected));
    expected = number + 1;
  }
  // The fault, or empty.
  std::string verdict(std::uint32_t each) {
    const std::lock_guard lock(mutex_);
    for (std::size_t sender = 0; sender < next_.size(); ++sender) {
      if (next_[sender] != each) complain(fmt::format("sender {}: {} of {} came", sender, next_[sender], each));
    }
    return complaints_;
  }
  std::uint64_t total() {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  void complain(std::string_view what) {
    if (complaints_.size() < 2'000) complaints_ += fmt::format("{}; ", what);
  }
  std::mutex mutex_;
  std::vector<std::uint32_t> next_;
  std::string complaints_;
  std::uint64_t total_ = 0;
};

// Records what it got and echoes it; `after` may be a trap.
Source receiver(int version, std::string_view after = "", std::string_view fields = "") {
  return guest(version, fmt::format(R"({} {} (import "test" "got" (func $got (param i32 i32)))
    (memory 1) {} {}
    (func (export "petri_handle") (result i32)
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 8)))
      (call $got (i32.load (i32.const 0)) (i32.load (i32.const 4)))
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      {}
      (drop (call $write (i32.const 0) (i32.const 8)))
      (i32.const 0)))",
                                    kInput, kOutput, field("count", "i32"), fields, after));
}

// Hands on what it gets, and waits for the answer.
constexpr std::string_view kRelay = R"((module
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 100) "service")
  (func (export "petri_handle") (result i32)
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 8)))
    (drop (call $call (i32.const 100) (i32.const 7) (i32.const 0) (i32.const 8) (i32.const 0)))
    (i32.const 0))
  (func (export "version") (result i32) (i32.const 1))))";

std::string message(std::uint32_t sender, std::uint32_t number) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &sender, 4);
  std::memcpy(bytes.data() + 4, &number, 4);
  return bytes;
}

class NoLostCallTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSenders = 4;  // the last two by way of another process

  NoLostCallTest() {
    RuntimeOptions options = in_tier_under_test({.workers = 4});
    EXPECT_TRUE(options.host.define("test", "got", [this](std::int32_t sender, std::int32_t number) {
      record_.got(static_cast<std::uint32_t>(sender), static_cast<std::uint32_t>(number));
    }));
    runtime_ = std::move(*Runtime::create(std::move(options)));
    SandboxSpec spec{.id = "a", .modules = {{"service", receiver(1)}, {"relay", Source::wat(std::string(kRelay))}}};
    spec.tree = SupervisorSpec{
        .intensity = 1'000'000,
        .children = {ChildSpec{.id = "service", .module = "service"}, ChildSpec{.id = "relay2", .module = "relay"},
                     ChildSpec{.id = "relay3", .module = "relay"}}};
    spec.limits = {.execution_time_max = std::chrono::minutes(1), .cpu_percent_max = 200, .message_queue_max = 2'000};
    spec.tier = tier_under_test_or(Tier::interpreted);
    auto sandbox = runtime_->create_sandbox(std::move(spec));
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(*sandbox);
  }

  static std::string way_of(std::uint32_t sender) { return sender < 2 ? "service" : fmt::format("relay{}", sender); }
  void tell_sent(std::uint64_t count) {
    sent_.fetch_add(count);
    sent_.notify_all();
  }
  void wait_for_sent(std::uint64_t wanted) {
    for (std::uint64_t now = sent_; now < wanted; now = sent_) sent_.wait(now);
  }

  // Every tenth is a call, whose caller has an answer, be it that the guest crashed over it.
  std::string send_all(std::uint32_t sender, std::uint32_t each) {
    const std::string way = way_of(sender);
    for (std::uint32_t number = 0; number < each;) {
      const std::string bytes = message(sender, number);
      if (number % 10 == 9) {
        const auto outcome = sandbox_->call("", {}, {.process = way, .input = bytes});
        if (!outcome && outcome.error().code == ErrorCode::queue_full) continue;
        if (!outcome) return fmt::format("call {}: {}", number, outcome.error().message);
        const bool answered = outcome->kind == OutcomeKind::ok && (sender >= 2 || outcome->output == bytes);
        if (!answered && outcome->kind != OutcomeKind::trapped)
          return fmt::format("call {}: {}", number, name_of(outcome->kind));
      } else if (const auto sent = sandbox_->send(bytes, way); !sent) {
        if (sent.error().code != ErrorCode::queue_full) return fmt::format("send {}: {}", number, sent.error().message);
        // A caller that wants an answer waits until there is room again.
        static_cast<void>(sandbox_->call("version", {}, {.process = "service"}));
        continue;
      }
      ++number;
      if (number % 100 == 0) tell_sent(100);
    }
    return "";
  }

  // One change of the code, of a kind that depends on its number.
  ErrorCode change(int number) {
    ReloadOptions options{.policy = ReloadPolicy{.quiet_wait_max = std::chrono::seconds(60)}};
    const auto code = [](const auto& result) { return result ? ErrorCode::host_fault : result.error().code; };
    switch (number % 6) {
      case 0:
      case 1: return code(sandbox_->reload("service", receiver(number + 2), options));
      case 2:  // crashes over every message
        return code(sandbox_->reload("service", receiver(number + 2, "unreachable"), options));
      case 3:
        options.policy->migrate.described = [](const Migration&, const StateDocument&) -> Result<StateDocument> {
          throw std::runtime_error("no");
        };
        return code(sandbox_->reload("service", receiver(number + 2), options));
      case 4: return code(sandbox_->rollback("service", 0, {.policy = options.policy}));
      default:
        return code(
            sandbox_->reload("service", receiver(number + 2, "", "(func $begin unreachable) (start $begin)"), options));
    }
  }

  void run(std::uint64_t messages, int changes) {
    const auto each = static_cast<std::uint32_t>(messages / kSenders / 100 * 100);
    std::vector<std::future<std::string>> senders;
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      senders.push_back(std::async(std::launch::async, [=, this] { return send_all(sender, each); }));
    }
    std::map<std::string, int> results;
    for (int number = 0; number < changes; ++number) {
      wait_for_sent(std::uint64_t{each} * kSenders * static_cast<unsigned>(number) /
                    static_cast<unsigned>(changes + 1));
      ErrorCode code = change(number);
      // New code is being rolled back right now.
      while (code == ErrorCode::busy) code = change(number);
      ++results[code == ErrorCode::host_fault ? "done" : std::string(name_of(code))];
    }
    for (auto& sender : senders) EXPECT_EQ(sender.get(), "");
    // These wait behind everything that was sent, and what a relay hands on it waits for.
    for (const char* process : {"relay2", "relay3", "service"}) {
      const auto last = sandbox_->call("version", {}, {.process = process});
      EXPECT_TRUE(last) << last.error().message;
    }
    EXPECT_EQ(record_.verdict(each), "");
    EXPECT_EQ(record_.total(), std::uint64_t{each} * kSenders);
    for (const auto& [result, count] : results) RecordProperty(result, count);
    EXPECT_EQ(results.size(),
              results.count("done") + results.count("migration_failed") + results.count("start_failed"));
    EXPECT_GE(results["done"], changes / 3);
    EXPECT_GE(results["migration_failed"], 1);
    EXPECT_GE(results["start_failed"], 1);
  }

  Record record_{kSenders};
  std::atomic<std::uint64_t> sent_{0};
  std::unique_ptr<Runtime> runtime_;
  std::optional<Sandbox> sandbox_;
};

TEST_F(NoLostCallTest, AcrossAHundredReloadsOfWhichManyFail) {  // M16
  run(10'000, 100);
}

TEST_F(NoLostCallTest, AcrossFailedMigrationsCrashesAndRollbacks) {  // hostile G14
  const bool is_long = count_from_environment("PETRI_LONG", 0) != 0;
  run(is_long ? 1'000'000 : 20'000, is_long ? 1'000 : 50);
}

}  // namespace
}  // namespace petri
