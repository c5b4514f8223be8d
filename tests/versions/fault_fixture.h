// For tests: a sandbox before and after a change that fails.
#pragma once

#include "state_guests.h"

namespace petri {

// Everything that a failed change must leave alone.
struct Everything {
  std::vector<std::uint64_t> versions;
  std::uint64_t active = 0, total = 0;
  std::vector<VersionSwitch> switches;
  std::vector<std::string> states;
  std::vector<std::int64_t> code;
  std::vector<std::string> children;
  std::uint64_t memory_bytes = 0, processes = 0, messages = 0;
  std::size_t artifacts = 0;
  SandboxStatus status{};
  std::vector<std::string> sandboxes;
  bool operator==(const Everything&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Everything& all) {
  out << "versions";
  for (const auto number : all.versions) out << ' ' << number;
  out << ", active " << all.active << " of " << all.total << ", " << all.switches.size() << " switches, states";
  for (const auto& state : all.states) out << ' ' << state;
  for (const auto number : all.code) out << " code " << number;
  for (const auto& child : all.children) out << ' ' << child;
  for (const auto& sandbox : all.sandboxes) out << " sandbox " << sandbox;
  return out << ", " << all.memory_bytes << " bytes, " << all.processes << " processes, " << all.messages
             << " messages, " << all.artifacts << " artifacts, " << name_of(all.status);
}

// A guest that counts its messages in `count`, reports to the host which version got which, and may be held there.
inline std::string recorder(int version, std::string_view more = "") {
  return fmt::format(
      R"((module {0} (import "test" "got" (func $got (param i32 i32))) (import "test" "cross" (func $cross))
    {2} (memory 1) {1}
    (func (export "version") (result i32) (i32.const {3}))
    (func (export "hold") (call $cross))
    (func (export "petri_handle") (result i32)
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4)))
      (call $got (i32.const {3}) (i32.load (i32.const 0)))
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      (i32.const 0))))",
      kInput, field("count", "i32"), more, version);
}

inline ReloadPolicy impatient() { return {.quiet_wait_max = std::chrono::milliseconds(30)}; }

// Checks that after anything a test does to a sandbox of three processes, everything is as it was.
class FaultTest : public VersionsFixture {
 protected:
  FaultTest() {
    RuntimeOptions options{.workers = 4, .sampling_interval = std::chrono::nanoseconds(0)};
    EXPECT_TRUE(options.host.define("test", "got", [this](std::int32_t version, std::int32_t number) {
      const std::lock_guard lock(mutex_);
      got_.emplace_back(version, number);
    }));
    EXPECT_TRUE(options.host.define("test", "cross", [this] { crossing_->pass(); }));
    runtime_ = std::move(*Runtime::create(std::move(options)));
  }

  static SandboxSpec three(std::string text) {
    SandboxSpec wanted = with_children({"x", "y", "z"});
    wanted.modules[0].source = Source::wat(std::move(text));
    wanted.tier = Tier::interpreted;
    wanted.limits = {.fuel_max = 1'000'000};  // what spins ends by that, however slow the machine is
    return wanted;
  }

  Everything everything(Sandbox& sandbox) {
    Everything all{.versions = numbers(sandbox), .status = sandbox.status()};
    const auto history = sandbox.history("service");
    all.active = history->active;
    all.total = history->total;
    all.switches = history->switches;
    for (const ChildInfo& child : sandbox.children()) {
      all.children.push_back(child.address + " " + child.status);
      all.code.push_back(ask(sandbox, "version", child.address));
      const auto state = sandbox.state(child.address);
      all.states.push_back(state ? to_json(*state) : state.error().message);
    }
    const Usage usage = sandbox.usage();
    all.memory_bytes = usage.memory_bytes;
    all.processes = usage.processes;
    all.messages = usage.messages;
    all.artifacts = runtime_->info().artifacts;
    for (const SandboxInfo& info : runtime_->list({.limit = SIZE_MAX}).sandboxes) {
      all.sandboxes.push_back(info.id + " " + std::string(name_of(info.status)));
    }
    return all;
  }

  // Makes the change while x is at work and five messages wait for it. They are handled by the version that was there,
  // in their order, and all is as it was but for the count of what was got.
  enum class Hold : bool { shortly, for_ever };  // as the change sees it
  template <typename Change>
  void expect_untouched(Sandbox& sandbox, const std::string& fault, ErrorCode expected, Change change,
                        Hold hold = Hold::shortly) {
    SCOPED_TRACE(fault);
    got_.clear();
    crossing_.emplace();
    Everything before = everything(sandbox);
    auto holding = std::async(std::launch::async, [&] { return sandbox.call("hold", {}, {.process = "x"}); });
    crossing_->wait_for(1);
    for (std::int32_t i = 0; i < 5; ++i) {
      std::string bytes(4, '\0');
      std::memcpy(bytes.data(), &i, 4);
      ASSERT_TRUE(sandbox.send(bytes, "x"));
    }
    auto changing = std::async(std::launch::async, [&]() -> std::optional<Error> {
      auto changed = change();
      return changed ? std::nullopt : std::optional(changed.error());
    });
    if (hold == Hold::shortly) crossing_->open();
    const auto error = changing.get();
    crossing_->open();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, expected) << name_of(error->code) << ": " << error->message;
    ASSERT_TRUE(holding.get());
    const auto is_handled = [&] {
      static_cast<void>(sandbox.call("version", {}, {.process = "x"}));
      const std::lock_guard lock(mutex_);
      return got_.size() == 5 ? "" : "not yet handled";
    };
    expect_soon(is_handled);
    const auto old = static_cast<std::int32_t>(before.code[0]);
    using Got = std::pair<std::int32_t, std::int32_t>;
    EXPECT_THAT(got_, ::testing::ElementsAre(Got(old, 0), Got(old, 1), Got(old, 2), Got(old, 3), Got(old, 4)));
    const auto counted = sandbox.state("x")->get("count");
    ASSERT_TRUE(sandbox.update_state({{"count", std::get<std::int64_t>(*counted) - 5}}, "x"));
    EXPECT_EQ(everything(sandbox), before);
  }

  std::mutex mutex_;
  std::vector<std::pair<std::int32_t, std::int32_t>> got_;
  std::optional<Crossing> crossing_;
};

}  // namespace petri
