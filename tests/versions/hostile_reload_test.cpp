// Hostile guests of family G (docs/hostile-cases.md): those that lie, hang and crash while their code is exchanged, and
// callers who do everything at once.
#include "hostile_reload_fixture.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace petri
