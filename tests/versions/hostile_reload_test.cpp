// Hostile guests of family G (docs/hostile-cases.md): those that lie, hang and crash while their code is exchanged, and
// callers who do everything at once.
#include <random>

#include "sandboxes/environment.h"
#include "state_guests.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_long() { return count_from_environment("PETRI_LONG", 0) != 0; }

class HostileReloadTest : public VersionsFixture {
 protected:
  static SandboxSpec made_of(Source source) {
    SandboxSpec made{.id = "a", .modules = {{"service", std::move(source)}}};
    made.tier = Tier::interpreted;
    return made;
  }
};

// ---- tables that lie ------------------------------------------------------------------------------------------

struct Lie {
  std::string what;
  std::string table;
};

std::vector<Lie> lies() {
  const auto i32 = code_of_type(StateType::i32);
  const TableRow good = row("count", StateType::i32, 0);
  std::vector<TableRow> many;
  for (std::uint32_t i = 0; i <= kStateFieldsMax; ++i) many.push_back({fmt::format("f{}", i), i32, 30'000 + 4 * i});
  return {
      {"past the end", state_table({row("count", StateType::i32, 65'533)})},
      {"far outside", state_table({row("count", StateType::i32, 0xFFFF'FFFC)})},
      {"2^32 - 1 elements", state_table({{"count", i32, 0, 0xFFFF'FFFF, 4}})},
      {"a product that overflows", state_table({{"count", i32, 0, 0x4000'0001, 0x4000'0000}})},
      {"no elements", state_table({{"count", i32, 0, 0, 4}})},
      {"a stride of 0", state_table({{"count", i32, 0, 3, 0}})},
      {"a stride below the size", state_table({{"count", i32, 0, 3, 2}})},
      {"text with a stride", state_table({{"count", code_of_type(StateType::text), 0, 3, 2}})},
      {"the type 0", state_table({{"count", 0, 0}})},
      {"the type 14", state_table({{"count", 14, 0}})},
      {"a huge type", state_table({{"count", 0xFFFF'FFFF, 0}})},
      {"an overlap", state_table({good, row("other", StateType::i32, 2)})},
      {"over the table itself", state_table({row("count", StateType::i32, 1'030)})},
      {"over its names", state_table({row("count", StateType::i32, 40'000)})},
      {"one name twice", state_table({good, row("count", StateType::i32, 8)})},
      {"no name", state_table({row("", StateType::i32, 0)})},
      {"a long name", state_table({row(std::string(129, 'x'), StateType::i32, 0)})},
      {"no UTF-8", state_table({row("\xc3\x28", StateType::i32, 0)})},
      {"too many fields", state_table(many)},
      {"a count without entries", state_table({good}, {.count = 1'000})},
      {"a count of 2^32 - 1", state_table({good}, {.count = 0xFFFF'FFFF})},
      {"another magic", state_table({good}, {.magic = 0x12345678})},
      {"another version", state_table({good}, {.version = 2})},
      {"entries of no bytes", state_table({good}, {.entry_bytes = 0})},
      {"entries of 2^32 - 1 bytes", state_table({good}, {.entry_bytes = 0xFFFF'FFFF})},
      {"a table outside", state_table({good}, {}, 65'530)},
      {"a table far outside", state_table({good}, {}, 0xFFFF'FFFF)},
      {"a table without memory", "(global (export \"petri_state\") i32 (i32.const 0))"},
      {"a name of the globals", field("count", "i32") + state_table({good})},
  };
}

TEST_F(HostileReloadTest, RefusesEveryTableThatLies) {  // hostile G03 T23
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32", "4"))));
  int version = 2;
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.what);
    const auto refused = sandbox.reload("service", guest(version++, lie.table));
    EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
    EXPECT_THAT(refused.error().message, HasSubstr("service"));
    EXPECT_EQ(ask(sandbox, "version"), 1);
  }
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  EXPECT_EQ(std::get<std::int64_t>(*sandbox.state()->get("count")), 4);
}

// To see what a version describes an instance of it is made, and this one's memory takes tens of milliseconds.
TEST_F(HostileReloadTest, KeepsNobodyWaitingForTheMemoryOfItsVersions) {
  const auto large = [](int version) {
    std::string text = "(memory 1000) (global (export \"petri_state\") i32 (i32.const 0))";
    for (int page = 0; page < 800; ++page) text += fmt::format("(data (i32.const {}) \"x\")", page * 65'536);
    return Source::wat(fmt::format("(module {} (func (export \"f\") (drop (i32.const {}))))", text, version));
  };
  Sandbox sandbox = create(made_of(large(1)));
  for (int version = 2; version <= 10; ++version) ASSERT_TRUE(sandbox.stage("service", large(version)));
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  std::atomic<bool> done = false;
  std::jthread reader([&] {
    EXPECT_EQ(numbers(sandbox).size(), 10U);
    done = true;
  });
  std::chrono::nanoseconds longest{};
  while (!done) {
    const auto asked = now();
    EXPECT_EQ(sandbox.info().status, SandboxStatus::running);
    longest = std::max(longest, std::chrono::nanoseconds(now() - asked));
  }
  EXPECT_LT(longest, (now() - start) / 2);
}

TEST_F(HostileReloadTest, ReadsNothingByATableThatLies) {  // hostile G03
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.what);
    Sandbox sandbox = create(made_of(guest(1, lie.table)));
    EXPECT_EQ(code_of(sandbox.state()), ErrorCode::state_incompatible);
    EXPECT_EQ(code_of(sandbox.update_state({})), ErrorCode::state_incompatible);
    EXPECT_TRUE(sandbox.versions("service"));
    const Source next = guest(2, field("count", "i32"));
    EXPECT_EQ(code_of(sandbox.reload("service", next)), ErrorCode::state_incompatible);
    EXPECT_EQ(ask(sandbox, "version"), 1);
    // A reload that carries no state may continue.
    EXPECT_TRUE(sandbox.reload("service", next, {.policy = ReloadPolicy{.state = StateWay::none}}));
    EXPECT_EQ(ask(sandbox, "version"), 2);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

TEST_F(HostileReloadTest, LooksAtTheTableAsItIsNow) {  // hostile G03
  // The guest writes over its own table, and grows out of what it was.
  Sandbox sandbox = create(made_of(guest(1, state_table({row("count", StateType::i32, 0)}) + R"(
      (func (export "spoil") (i32.store (i32.const 1052) (i32.const 65534)))
      (func (export "mend") (i32.store (i32.const 1052) (i32.const 0))))")));
  EXPECT_TRUE(sandbox.state());
  EXPECT_EQ(call_kind(sandbox, "spoil"), OutcomeKind::ok);
  EXPECT_EQ(code_of(sandbox.state()), ErrorCode::state_incompatible);
  const Source next = guest(2, field("count", "i32") + "(func (export \"spoil\")) (func (export \"mend\"))");
  EXPECT_EQ(code_of(sandbox.reload("service", next)), ErrorCode::state_incompatible);
  EXPECT_EQ(call_kind(sandbox, "mend"), OutcomeKind::ok);
  EXPECT_TRUE(sandbox.reload("service", next));
}

TEST_F(HostileReloadTest, RefusesValuesThatAreNone) {  // hostile G03
  Sandbox sandbox = create(made_of(guest(1, state_table({row("on", StateType::boolean, 0)}) + data_at(0, "\x07"))));
  EXPECT_EQ(code_of(sandbox.state()), ErrorCode::state_incompatible);
  ASSERT_TRUE(runtime_->destroy("a"));
  Sandbox text = create(made_of(guest(1, state_table({row("t", StateType::text, 0, 4)}) + data_at(0, "\xff"))));
  const auto refused = text.reload("service", guest(2, state_table({row("t", StateType::text, 0, 8)})));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);
  EXPECT_EQ(ask(text, "version"), 1);
}

// ---- code that does not begin ---------------------------------------------------------------------------------

TEST_F(HostileReloadTest, NeverStopsAnsweringForCodeThatDoesNotBegin) {  // hostile G06
  Sandbox sandbox = create(with_children({"x", "y"}));
  ask(sandbox, "next", "x");
  std::atomic<bool> over = false;
  auto calling = std::async(std::launch::async, [&] {
    int bad = 0;
    while (!over) bad += ask(sandbox, "version", "y") == 1 ? 0 : 1;
    return bad;
  });
  const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  for (const std::string bad : {"unreachable", "(loop $again (br $again))"}) {
    const std::vector<std::string> places{
        fmt::format("(func $begin {}) (start $begin)", bad), fmt::format("(func (export \"_initialize\") {})", bad),
        fmt::format("(func (export \"petri_ready\") (result i32) {} (i32.const 0))", bad),
        fmt::format(
            "(func $begin (if (i32.eqz (memory.grow (i32.const 9999))) (then {0})) {0}) (start $begin) (memory 1)",
            bad)};
    for (const std::string& place : places) {
      SCOPED_TRACE(place);
      const bool spins = bad != "unreachable";
      const auto failed = sandbox.reload("service", Source::wat(service(2, count, place)),
                                         {.policy = ReloadPolicy{.quiet_wait_max = milliseconds(spins ? 50 : 5'000)}});
      // On a slow machine it may be over before the new code is asked.
      if (spins && !failed && failed.error().code == ErrorCode::busy) continue;
      EXPECT_EQ(code_of(failed), ErrorCode::start_failed) << failed.error().message;
      EXPECT_THAT(failed.error().message, HasSubstr(spins ? "deadline" : "unreachable"));
    }
  }
  over = true;
  EXPECT_EQ(calling.get(), 0);
  EXPECT_EQ(ask(sandbox, "next", "x"), 2);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
}

TEST_F(HostileReloadTest, EndsWithItsSandboxWhateverTheNewCodeDoes) {  // hostile G06 hostile G10
  // The start function would spin for an hour, were it left to it.
  for (const bool in_start : {true, false}) {
    RuntimeOptions options{.workers = 4};
    Crossing started;
    started.open();
    ASSERT_TRUE(options.host.define("test", "begun", [&] { started.pass(); }));
    runtime_ = std::move(*Runtime::create(std::move(options)));
    SandboxSpec wanted = spec();
    wanted.limits = {.execution_time_max = std::chrono::hours(1)};
    Sandbox sandbox = create(wanted);
    const std::string spin = "(call $begun) (loop $again (br $again))";
    const std::string place = in_start
                                  ? fmt::format("(func $b {}) (start $b)", spin)
                                  : fmt::format("(func (export \"petri_ready\") (result i32) {} (i32.const 0))", spin);
    const Source next = Source::wat(service(2, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
                                            "(import \"test\" \"begun\" (func $begun)) " + place));
    auto reloading = std::async(std::launch::async, [&] {
      return sandbox.reload("service", next, {.policy = ReloadPolicy{.quiet_wait_max = std::chrono::hours(1)}});
    });
    started.wait_for(1);
    EXPECT_TRUE(runtime_->destroy("a"));
    const auto ended = reloading.get();
    EXPECT_THAT(code_of(ended), ::testing::AnyOf(ErrorCode::cancelled, ErrorCode::start_failed, ErrorCode::not_found));
  }
}

TEST_F(HostileReloadTest, EndsCodeThatDoesNotTerminate) {  // hostile G07
  const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  for (const std::string bad : {"unreachable", "(loop $again (br $again))"}) {
    SandboxSpec wanted = spec();
    wanted.tree = SupervisorSpec{
        .children = {ChildSpec{.id = "x", .module = "service", .shutdown = Shutdown::after(milliseconds(10))}}};
    Sandbox sandbox = create(wanted);
    const std::string terminate = fmt::format("(func (export \"petri_terminate\") (result i32) {} (i32.const 0))", bad);
    ASSERT_TRUE(sandbox.reload("service", Source::wat(service(2, count, terminate))));
    // Code that is exchanged is not asked for an orderly end.
    ASSERT_TRUE(sandbox.reload("service", Source::wat(service(3, count, terminate))));
    EXPECT_TRUE(sandbox.stop());
    EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
    ASSERT_TRUE(sandbox.restart());
    EXPECT_EQ(ask(sandbox, "version"), 3);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// Nobody reads what a start function, petri_ready or petri_load writes: as when a process starts, nothing is missed. A
// sandbox that ends a guest which writes too much ends those, too, and says so.
TEST_F(HostileReloadTest, WritesMoreThanAnybodyReads) {
  const std::string writes = "(drop (call $write (i32.const 0) (i32.const 60000)))";
  const std::string hooks = std::string(kOutput) + R"((memory 1)
    (func (export "petri_save") (result i32) (i32.const 0)))";
  const auto hook = [&](std::string_view name) {
    return fmt::format("(func (export \"{}\") (result i32) {} (i32.const 0))", name, writes);
  };
  const std::string quiet_load = "(func (export \"petri_load\") (result i32) (i32.const 0))";
  const std::vector<std::pair<std::string, ErrorCode>> next{
      {fmt::format("{} (func $begin {}) (start $begin)", quiet_load, writes), ErrorCode::start_failed},
      {quiet_load + hook("petri_ready"), ErrorCode::start_failed},
      {hook("petri_load"), ErrorCode::migration_failed}};
  for (const bool ends : {false, true}) {
    SandboxSpec wanted = made_of(guest(1, hooks + quiet_load));
    wanted.limits = {.output_bytes_max = 1'000};
    if (ends) wanted.on_limit = {{"output_bytes_max", OnLimit::kill}};
    Sandbox sandbox = create(wanted);
    int version = 2;
    for (const auto& [code, expected] : next) {
      SCOPED_TRACE(code);
      const auto reloaded = sandbox.reload("service", guest(version++, hooks + code));
      EXPECT_EQ(reloaded.has_value(), !ends) << (reloaded ? "" : reloaded.error().message);
      if (reloaded) continue;
      EXPECT_EQ(reloaded.error().code, expected) << reloaded.error().message;
      EXPECT_THAT(reloaded.error().message, HasSubstr("because of output_bytes_max"));
    }
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// ---- too much state -------------------------------------------------------------------------------------------

TEST_F(HostileReloadTest, LeavesStateThatIsTooLargeWhereItIs) {  // hostile G13
  const std::string hooks = std::string(kOutput) + R"((memory 4) (global $count (mut i32) (i32.const 0))
    (func (export "petri_save") (result i32) (drop (call $write (i32.const 0) (i32.const 100000))) (i32.const 0))
    (func (export "petri_load") (result i32) (i32.const 0)))";
  const std::string grown = std::string(kInput) + std::string(kOutput) + R"((memory 4)
    (func (export "petri_save") (result i32) (i32.const 0))
    (func (export "petri_load") (result i32) (i32.const 0))
    (func (export "petri_migrate") (result i32) (drop (call $write (i32.const 0) (i32.const 100000))) (i32.const 0)))";
  const std::string small =
      std::string(kOutput) + R"((memory 4) (func (export "petri_save") (result i32) (i32.const 0)))";
  const std::string table = state_table({row("all", StateType::bytes, 2'000, 30'000)}) +
                            "(func (export \"petri_load\") (result i32) (i32.const 0))";
  std::string memory =
      R"((memory 4) (func $fill (memory.fill (i32.const 0) (i32.const 1) (i32.const 200000))) (start $fill))";
  const std::vector<std::tuple<std::string, Source, Source>> cases{
      {"described", guest(1, table), guest(2, table)},
      {"what petri_save writes", guest(1, hooks), guest(2, hooks)},
      {"what petri_migrate writes", guest(1, small), guest(2, grown)},
      {"memory", guest(1, memory), guest(2, memory)}};
  for (const auto& [what, old, next] : cases) {
    SCOPED_TRACE(what);
    SandboxSpec wanted = made_of(old);
    wanted.limits = {.state_bytes_max = 20'000};
    Sandbox sandbox = create(wanted);
    const std::uint64_t bytes = sandbox.usage().memory_bytes;
    const auto refused = sandbox.reload("service", next);
    EXPECT_EQ(code_of(refused), ErrorCode::limit_exceeded);
    EXPECT_THAT(refused.error().message, HasSubstr("state_bytes_max"));
    EXPECT_EQ(ask(sandbox, "version"), 1);
    EXPECT_EQ(sandbox.usage().memory_bytes, bytes);
    ASSERT_TRUE(sandbox.update_limits({.state_bytes_max = 1'000'000}));
    const auto allowed = sandbox.reload("service", next);
    EXPECT_TRUE(allowed) << allowed.error().message;
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

TEST_F(HostileReloadTest, RefusesABytesFieldOfAGibibyte) {  // hostile G13
  Sandbox sandbox = create(made_of(guest(1, field("count", "i32"))));
  const auto refused = sandbox.reload("service", guest(2, state_table({row("all", StateType::bytes, 0, 1U << 30)})));
  EXPECT_EQ(code_of(refused), ErrorCode::state_incompatible);  // it does not have so much memory
  EXPECT_EQ(ask(sandbox, "version"), 1);
}

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
