// A fault at every step of a change: afterwards code, state, versions, mailbox and usage are what they were.
#include <stdexcept>

#include "fault_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

struct Fault {
  std::string step;
  ErrorCode code;
  Source source;
  ReloadPolicy policy;
};

ReloadPolicy with_handler(std::function<Result<StateDocument>(const Migration&, const StateDocument&)> handler) {
  ReloadPolicy policy;
  policy.migrate.described = std::move(handler);
  return policy;
}

std::vector<Fault> faults_of_described_state() {
  const std::string ready = "(func (export \"petri_ready\") (result i32) {})";
  const auto wat = [](std::string_view more) { return Source::wat(recorder(2, more)); };
  std::string without = recorder(2);
  without.replace(without.find("state.count"), 11, "state.other");
  return {
      {"read", ErrorCode::parse_failed, Source::wat("(module"), {}},
      {"file", ErrorCode::io_error, Source::file("no such file"), {}},
      {"check", ErrorCode::rejected, Source::wasm({0, 'a', 's', 'm', 9, 9, 9, 9}), {}},
      {"hooks of the wrong type", ErrorCode::rejected, wat("(func (export \"petri_load\"))"), {}},
      {"link", ErrorCode::link_error, wat("(import \"petri\" \"nothing\" (func))"), {}},
      {"exports", ErrorCode::rejected, guest(2, field("count", "i32")), {}},
      {"way", ErrorCode::state_incompatible, wat("(global i32 (i32.const 1))"), {.state = StateWay::hooks}},
      {"start traps", ErrorCode::start_failed, wat("(func $s unreachable) (start $s)"), {}},
      {"start spins", ErrorCode::start_failed, wat("(func $s (loop $l (br $l))) (start $s)"), {}},
      {"_initialize traps", ErrorCode::start_failed, wat("(func (export \"_initialize\") unreachable)"), {}},
      {"start exits",
       ErrorCode::start_failed,
       wat("(import \"petri\" \"exit\" (func $e (param i32))) (func $s (call $e (i32.const 0))) (start $s)"),
       {}},
      {"plan", ErrorCode::state_incompatible, Source::wat(without), {}},
      {"handler throws", ErrorCode::migration_failed, wat("(global i32 (i32.const 2))"),
       with_handler(
           [](const Migration&, const StateDocument&) -> Result<StateDocument> { throw std::runtime_error("no"); })},
      {"handler fails for the last", ErrorCode::migration_failed, wat("(global i32 (i32.const 3))"),
       with_handler([](const Migration& migration, const StateDocument& state) -> Result<StateDocument> {
         if (migration.process == "z") return fail(ErrorCode::not_now, "not z");
         return state;
       })},
      {"handler answers nonsense", ErrorCode::migration_failed, wat("(global i32 (i32.const 4))"),
       with_handler([](const Migration&, const StateDocument&) -> Result<StateDocument> {
         const StateEntry entry{.field = {.name = "nonsense", .type = StateType::i32}, .values = {std::int64_t{1}}};
         return StateDocument::create(std::span(&entry, 1));
       })},
      {"not ready", ErrorCode::start_failed, wat(fmt::format(fmt::runtime(ready), "(i32.const 1)")), {}},
      {"ready traps", ErrorCode::start_failed, wat(fmt::format(fmt::runtime(ready), "unreachable")), {}},
      {"ready spins",
       ErrorCode::start_failed,
       wat(fmt::format(fmt::runtime(ready), "(loop $l (br $l)) (i32.const 0)")),
       {}},
      {"wait",
       ErrorCode::validation_failed,
       wat("(global i32 (i32.const 5))"),
       {.quiet_wait_max = std::chrono::nanoseconds(0)}},
  };
}

TEST_F(FaultTest, AtAnyStepOfAReloadChangesNothing) {
  Sandbox sandbox = create(three(recorder(1)));
  ASSERT_TRUE(sandbox.update_state({{"count", std::int64_t{41}}}, "y"));
  for (const Fault& fault : faults_of_described_state()) {
    expect_untouched(sandbox, fault.step, fault.code,
                     [&] { return sandbox.reload("service", fault.source, {.policy = fault.policy}); });
  }
  // It is not that nothing works.
  EXPECT_TRUE(sandbox.reload("service", Source::wat(recorder(2))));
  EXPECT_EQ(std::get<std::int64_t>(*sandbox.state("y")->get("count")), 41);
}

TEST_F(FaultTest, OfATableThatLiesChangesNothing) {
  std::string lying = recorder(2, "(global (export \"petri_state\") i32 (i32.const 65530))");
  Sandbox sandbox = create(three(recorder(1)));
  expect_untouched(sandbox, "capture of the new one", ErrorCode::state_incompatible,
                   [&] { return sandbox.reload("service", Source::wat(lying)); });
}

TEST_F(FaultTest, OfMemoryThatIsShortChangesNothing) {
  SandboxSpec wanted = three(recorder(1));
  wanted.limits.memory_bytes_max = wanted.limits.process_memory_bytes_max = std::uint64_t{9} * 65'536;
  Sandbox sandbox = create(wanted);
  std::string large = recorder(2);
  large.replace(large.find("(memory 1)"), 10, "(memory 4)");
  expect_untouched(sandbox, "the second instance", ErrorCode::limit_exceeded,
                   [&] { return sandbox.reload("service", Source::wat(large)); });
}

TEST_F(FaultTest, OfQuietThatDoesNotComeChangesNothing) {  // M15
  Sandbox sandbox = create(three(recorder(1)));
  expect_untouched(
      sandbox, "quiet", ErrorCode::busy,
      [&] { return sandbox.reload("service", Source::wat(recorder(2)), {.policy = impatient()}); }, Hold::for_ever);
}

TEST_F(FaultTest, OfOneModuleOfSeveralChangesNoneOfThem) {  // M18 hostile G16
  SandboxSpec wanted = three(recorder(1));
  wanted.modules.push_back({"other", code(1)});
  Sandbox sandbox = create(wanted);
  for (const Fault& fault : faults_of_described_state()) {
    expect_untouched(sandbox, fault.step + " of the last", fault.code, [&] {
      return sandbox.reload_all({{"other", code(2)}, {"service", fault.source}}, {.policy = fault.policy});
    });
    expect_untouched(sandbox, fault.step + " of the first", fault.code, [&] {
      return sandbox.reload_all({{"service", fault.source}, {"other", code(2)}}, {.policy = fault.policy});
    });
    EXPECT_THAT(numbers(sandbox, "other"), ElementsAre(1));
  }
}

TEST_F(FaultTest, AtAnyStepOfARollbackChangesNothing) {
  // Not ready with a count of 13, and not able to hold what an i64 can.
  const std::string old =
      recorder(1, R"((func (export "petri_ready") (result i32) (i32.eq (global.get $count) (i32.const 13))))");
  std::string wide = recorder(2);
  wide.replace(wide.find("(mut i32) (i32.const 0)"), 23, "(mut i64) (i64.const 0)");
  wide.replace(wide.find("(i32.add (global.get $count) (i32.const 1))"), 43,
               "(i64.add (global.get $count) (i64.const 1))");
  Sandbox sandbox = create(three(old));
  ASSERT_TRUE(sandbox.reload("service", Source::wat(wide)));
  const auto back = [&](const RollbackOptions& options = {}) {
    return [&sandbox, options] { return sandbox.rollback("service", 1, options); };
  };
  expect_untouched(sandbox, "unknown version", ErrorCode::version_not_found,
                   [&] { return sandbox.rollback("service", 7); });
  expect_untouched(sandbox, "handler throws", ErrorCode::migration_failed,
                   back({.policy = with_handler([](const Migration&, const StateDocument&) -> Result<StateDocument> {
                           throw std::runtime_error("no");
                         })}));
  expect_untouched(sandbox, "bad policy", ErrorCode::validation_failed,
                   back({.policy = ReloadPolicy{.quiet_wait_max = std::chrono::nanoseconds(-1)}}));
  expect_untouched(sandbox, "bad policy", ErrorCode::validation_failed, [&] {
    return sandbox.activate("service", 1, {.policy = ReloadPolicy{.quiet_wait_max = std::chrono::nanoseconds(-1)}});
  });
  expect_untouched(sandbox, "no version", ErrorCode::version_not_found, [&] { return sandbox.activate("service", 0); });
  ASSERT_TRUE(sandbox.update_state({{"count", std::int64_t{13}}}, "z"));
  expect_untouched(sandbox, "not ready", ErrorCode::start_failed, back());
  ASSERT_TRUE(sandbox.update_state({{"count", std::int64_t{1} << 40}}, "z"));
  expect_untouched(sandbox, "values", ErrorCode::state_incompatible, back());
  ASSERT_TRUE(sandbox.update_state({{"count", std::int64_t{7}}}, "z"));
  EXPECT_TRUE(sandbox.rollback("service", 1));
  EXPECT_EQ(std::get<std::int64_t>(*sandbox.state("z")->get("count")), 7);
}

}  // namespace
}  // namespace petri
