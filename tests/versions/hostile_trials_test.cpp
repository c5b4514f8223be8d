// Hostile guests of family G (docs/hostile-cases.md): those that crash on trial, and callers who do everything at once.
#include <random>

#include "hostile_reload_fixture.h"
#include "sandboxes/environment.h"

namespace petri {
namespace {

using std::chrono::milliseconds;

// ---- trials ---------------------------------------------------------------------------------------------------

TEST_F(HostileReloadTest, RollsBackCodeThatAlwaysCrashesOnceForEachReload) {  // hostile G15
  SandboxSpec wanted = with_children({"x"});
  wanted.tree->intensity = 0;  // nothing of it counts
  Sandbox sandbox = create(wanted);
  ask(sandbox, "next");
  auto events = runtime_->subscribe({.kinds = {EventKind::module_rolled_back}});
  const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  std::string bad = service(2, count);
  const std::string next = "(func (export \"next\") (result i32)";
  bad.replace(bad.find(next), next.size(), next + " unreachable");
  for (int round = 1; round <= 3; ++round) {
    ASSERT_TRUE(sandbox.reload("service", Source::wat(bad)));
    EXPECT_EQ(call_kind(sandbox, "next"), OutcomeKind::trapped);
    EXPECT_EQ(ask(sandbox, "next"), 1 + round);
    EXPECT_EQ(active(sandbox), 1U);
    EventPtr event;  // comes after the process has resumed
    expect_soon([&] { return (event = events->next()) != nullptr ? "" : "no event yet"; });
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->text("cause"), "trial");
    EXPECT_EQ(event->text("trap"), "unreachable");
    EXPECT_EQ(event->text("state"), "snapshot");
    EXPECT_EQ(events->next(), nullptr);
  }
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
  EXPECT_EQ(sandbox.history("service")->switches.back().actor, "petri");
}

TEST_F(HostileReloadTest, RollsBackDescribedStateThatCannotBeCopied) {  // hostile G15
  const auto fixed = [](int version) {
    return guest(version, field("count", "i32") + R"((table 1 funcref) (func $f) (elem declare func $f)
      (func (export "fill") (table.set (i32.const 0) (ref.func $f)))
      (func (export "next") (result i32)
        (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
      (func (export "crash") unreachable))");
  };
  Sandbox sandbox = create(made_of(fixed(1)));
  ask(sandbox, "next");
  ask(sandbox, "next");
  ASSERT_TRUE(sandbox.reload("service", fixed(2)));
  ask(sandbox, "next");
  EXPECT_EQ(call_kind(sandbox, "crash"), OutcomeKind::trapped);
  EXPECT_EQ(ask(sandbox, "next"), 3);
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

TEST_F(HostileReloadTest, IsNotRolledBackByAProcessThatEndsInOrder) {  // hostile G15
  const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  const std::string exits = R"((import "petri" "exit" (func $exit (param i32)))
    (func (export "leave") (call $exit (i32.const 0))))";
  SandboxSpec wanted = with_children({"x"});
  wanted.modules[0].source = Source::wat(service(1, count, exits));
  wanted.tree->children.emplace_back(ChildSpec{.id = "y", .module = "service", .restart = RestartType::transient});
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.reload("service", Source::wat(service(2, count, exits))));
  EXPECT_EQ(call_kind(sandbox, "leave", "y"), OutcomeKind::exited);
  EXPECT_EQ(ask(sandbox, "version", "x"), 2);
  // The trial continues: a crash of the other rolls it back.
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  EXPECT_EQ(ask(sandbox, "version", "x"), 1);
}

TEST_F(HostileReloadTest, KeepsWhatASwitchCouldNotSave) {  // hostile G15
  // There is no room for a snapshot, so there is no way back to it, and the crash is one like any other.
  const auto large = [](int version) {
    return guest(version, state_table({row("all", StateType::bytes, 2'000, 30'000)}) + R"(
      (func (export "set") (i32.store8 (i32.const 2000) (i32.const 7)))
      (func (export "get") (result i32) (i32.load8_u (i32.const 2000)))
      (func (export "crash") unreachable))");
  };
  SandboxSpec wanted = made_of(large(1));
  wanted.limits = {.memory_bytes_max = 140'000, .process_memory_bytes_max = 140'000};
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.call("set"));
  ASSERT_TRUE(sandbox.reload("service", large(2)));
  EXPECT_EQ(ask(sandbox, "get"), 7);
  const auto back = sandbox.rollback("service", 1, {.snapshot = true});
  // Never as if there had been nothing.
  if (back) {
    EXPECT_EQ(ask(sandbox, "get"), 7);
  } else {
    EXPECT_EQ(ask(sandbox, "version"), 2);
    EXPECT_EQ(ask(sandbox, "get"), 7);
  }
}

TEST_F(HostileReloadTest, IsRolledBackWithoutWaitingForTheCallerThatSawTheCrash) {  // hostile G15
  // In a sandbox where everything has one order the caller is on the very thread that takes the code back.
  const auto code = [](int version) {
    return Source::wat(
        fmt::format(R"((module (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 0) "y") (global $count (export "state.count") (mut i32) (i32.const 0))
      (func (export "ask") (result i32)
        (call $call (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
      (func (export "version") (result i32) (i32.const {}))
      (func (export "petri_handle") (result i32) {} (i32.const 0))))",
                    version, version == 1 ? "" : "unreachable"));
  };
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.modules[0].source = code(1);
  wanted.deterministic = true;
  wanted.reload = ReloadPolicy{.quiet_wait_max = std::chrono::minutes(10)};
  Sandbox sandbox = create(wanted);
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  EXPECT_EQ(ask(sandbox, "ask", "x"), static_cast<std::int64_t>(GuestError::cancelled));
}

// ---- callers --------------------------------------------------------------------------------------------------

TEST_F(HostileReloadTest, AfterEveryCallNeverUnderIt) {  // hostile G09
  Sandbox sandbox = create(spec());
  constexpr int kWrong = -1;
  std::atomic<bool> over = false;
  std::atomic<int> calls = 0;
  auto calling = std::async(std::launch::async, [&]() -> std::string {
    for (std::int64_t expected = 1; !over; ++expected) {
      const std::int64_t got = ask(sandbox, "next");
      calls = got == expected ? static_cast<int>(expected) : kWrong;
      calls.notify_all();
      if (got != expected) return fmt::format("{} for {}", got, expected);
    }
    return "";
  });
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  const std::uint64_t bytes = sandbox.usage().memory_bytes;
  for (int i = 0; i < 100 && calls != kWrong; ++i) {
    const int before = calls;
    EXPECT_TRUE(sandbox.reload("service", code(i % 2 == 0 ? 3 : 2)));
    if (before != kWrong) calls.wait(before);
  }
  over = true;
  EXPECT_EQ(calling.get(), "");
  EXPECT_LE(sandbox.usage().memory_bytes, bytes + 4'096);
}

class ManyCallersTest : public VersionsFixture {
 protected:
  // One thing that a caller may do, and what came of it.
  std::string act(std::mt19937_64& random) {
    auto found = runtime_->find("a");
    if (!found || random() % 12 == 0) {
      if (found) return "destroy " + answer_text(runtime_->destroy("a"));
      return "create " + answer_text(runtime_->create_sandbox(with_children({"x", "y"})));
    }
    Sandbox& sandbox = *found;
    const ReloadOptions hasty{.policy = ReloadPolicy{.quiet_wait_max = milliseconds(200)}};
    const std::string process = random() % 2 == 0 ? "x" : "y";
    switch (random() % 14) {
      case 0:
      case 1: return "reload " + answer_text(sandbox.reload("service", code(static_cast<int>(random() % 5)), hasty));
      case 2: return "rollback " + answer_text(sandbox.rollback("service", random() % 4, {.policy = hasty.policy}));
      case 3:
        return "snapshot " + answer_text(sandbox.rollback("service", 0, {.policy = hasty.policy, .snapshot = true}));
      case 4: return "activate " + answer_text(sandbox.activate("service", 1 + random() % 4, hasty));
      case 5: return "stage " + answer_text(sandbox.stage("service", code(static_cast<int>(random() % 5))));
      case 6: return "restart " + answer_text(sandbox.restart());
      case 7: return random() % 3 == 0 ? "stop " + answer_text(sandbox.stop()) : "info " + check(sandbox);
      case 8: return "crash " + answer_text(sandbox.call("crash", {}, {.process = process}));
      case 9: return "state " + answer_text(sandbox.state(process));
      case 10: return "send " + answer_text(sandbox.send("x", process));
      case 11: return "plan " + answer_text(sandbox.plan("service", code(3)));
      case 12: {
        const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
        return "bad " + answer_text(sandbox.reload(
                            "service", Source::wat(service(9, count, "(func $s unreachable) (start $s)")), hasty));
      }
      default: return "call " + answer_text(sandbox.call("next", {}, {.process = process}));
    }
  }
  template <typename T>
  static std::string answer_text(const Result<T>& result) {
    return result ? "ok" : std::string(name_of(result.error().code));
  }
  // Every switch continues from where the one before it led to.
  static std::string check(const Sandbox& sandbox) {
    const auto history = sandbox.history("service");
    if (!history) return std::string(name_of(history.error().code));
    std::uint64_t at = 0;
    for (const VersionSwitch& change : history->switches) {
      if (change.from != at && history->switches.size() < kSwitchesKept) return "broken_history";
      at = change.to;
    }
    if (at != history->active) return "wrong_active";
    for (const VersionInfo& version : history->versions) {
      if (version.active) return version.number == history->active ? "ok" : "wrong_active";
    }
    return "no_active";
  }
  static bool has_bad_code(const Sandbox& sandbox) {
    const auto history = sandbox.history("service");
    for (const VersionInfo& version : history->versions) {
      if (version.active) return version.text.find("(start $s)") != std::string::npos;
    }
    return false;
  }
  static const std::map<std::string, std::set<std::string>>& allowed() {
    // A sandbox that is going or stopped is not_found, rejected or cancelled to a caller that comes too late.
    static const std::set<std::string> late{"ok", "not_found", "cancelled", "rejected", "not_now"};
    static const auto with = [](std::initializer_list<std::string> more) {
      std::set<std::string> all = late;
      all.insert(more);
      return all;
    };
    static const std::map<std::string, std::set<std::string>> table{
        {"create", {"ok", "already_exists", "cancelled", "start_failed"}},
        {"destroy", {"ok", "not_found"}},
        {"reload", with({"busy"})},
        {"rollback", with({"busy", "version_not_found", "start_failed"})},
        {"snapshot", with({"busy", "version_not_found", "start_failed"})},
        {"activate", with({"busy", "version_not_found", "start_failed"})},
        {"stage", with({"busy"})},
        {"restart", with({"start_failed"})},
        {"stop", late},
        {"info", {"ok", "not_found"}},
        {"crash", with({})},
        {"state", with({"busy"})},
        {"send", late},
        {"plan", late},
        {"bad", with({"busy", "start_failed"})},
        {"call", late},
    };
    return table;
  }

  std::map<std::string, int> results_;
};

TEST_F(ManyCallersTest, GetOneAllowedAnswerEachInWhateverOrder) {  // hostile G10
  const std::size_t rounds = is_long() ? 10'000 : 60;
  const std::uint64_t seed = count_from_environment("PETRI_SEED", 7);
  SCOPED_TRACE(fmt::format("PETRI_SEED={}", seed));
  RecordProperty("seed", std::to_string(seed));
  for (std::size_t round = 0; round < rounds; ++round) {
    static_cast<void>(runtime_->create_sandbox(with_children({"x", "y"})));
    std::array<std::vector<std::string>, 4> histories;
    {
      std::vector<std::jthread> callers;
      for (std::size_t caller = 0; caller < histories.size(); ++caller) {
        callers.emplace_back([&, caller] {
          std::mt19937_64 random(seed * 1'000'003 + round * 31 + caller);
          for (int i = 0; i < 6; ++i) histories[caller].push_back(act(random));
        });
      }
    }
    for (const auto& answers : histories) {
      for (const std::string& answer : answers) {
        const std::string verb = answer.substr(0, answer.find(' '));
        ++results_[answer];
        EXPECT_TRUE(allowed().at(verb).contains(answer.substr(verb.size() + 1))) << answer << " in round " << round;
      }
    }
    if (auto found = runtime_->find("a")) {
      EXPECT_EQ(check(*found), "ok");
      const auto restarted = found->restart();
      // Code that was loaded while nothing ran shows only now that it does not start.
      if (!restarted) {
        EXPECT_EQ(restarted.error().code, ErrorCode::start_failed) << restarted.error().message;
        EXPECT_TRUE(has_bad_code(*found)) << restarted.error().message << " in round " << round;
      } else {
        EXPECT_GE(ask(*found, "version", "x"), 0) << round;
        EXPECT_EQ(found->status(), SandboxStatus::running);
      }
      EXPECT_TRUE(runtime_->destroy("a"));
    }
    if (HasFailure()) break;
  }
  EXPECT_EQ(runtime_->info().sandboxes, 0U);
  expect_soon(
      [&] { return runtime_->info().artifacts == 0 ? "" : fmt::format("{} artifacts", runtime_->info().artifacts); });
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
  for (const auto& [answer, count] : results_) RecordProperty(answer, count);
}

}  // namespace
}  // namespace petri
