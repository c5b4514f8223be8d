// Family E: imports, hooks and what crosses the boundary.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "host/host_table.h"
#include "hostile/hostile_code.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string types_text(const std::vector<ValueType>& types) {
  std::string text;
  for (const ValueType type : types) text += " " + std::string(name_of(type));
  return text;
}

std::string import_of(const std::string& module, const std::string& name, const std::string& what) {
  return "(module (import \"" + module + "\" \"" + name + "\" (" + what + ")) (func (export \"f\")))";
}

std::string import_of(const HostFunction& function, const Signature& signature) {
  return import_of(function.module, function.name,
                   "func (param" + types_text(signature.params) + ") (result" + types_text(signature.results) + ")");
}

class HostileImports : public HostileCode {
 protected:
  // The error of a sandbox that is to be made of it; a run gives the same code.
  Error link_error(Sandbox& place, const std::string& wat) {
    Error error;
    EXPECT_EQ(refused_everywhere(place, Source::wat(wat), &error, {ErrorCode::link_error}), "") << wat.substr(0, 200);
    return error;
  }
  // Refused by the name of the permission, and reported once.
  void expect_denied(const SandboxSpec& spec, const HostFunction& function) {
    const std::string permission(name_of(*function.permission));
    Subscription events = *runtime_->subscribe({.sandbox = spec.id, .kinds = {EventKind::security_denied}});
    const auto created = runtime_->create_sandbox(spec);
    ASSERT_FALSE(created) << function.name;
    EXPECT_EQ(not_refused(created.error(), {ErrorCode::link_error}), "") << function.name;
    EXPECT_EQ(created.error().detail("permission"), permission) << function.name;
    EXPECT_THAT(created.error().message, AllOf(HasSubstr(function.name), HasSubstr(permission)));
    const EventPtr event = events.next();
    ASSERT_NE(event, nullptr) << function.name;
    EXPECT_EQ(event->text("permission"), permission);
    EXPECT_EQ(events.next(), nullptr);  // V7
  }
};

// E01 E05
TEST_P(HostileImports, ThatNobodyOffersAreNamed) {
  covers("E01 E05");
  Sandbox place = attack("(module)");
  const std::pair<std::string, std::string> unknown[] = {{"env", "launch"},
                                                         {"petri", "root"},
                                                         {"petri_2", "log"},
                                                         {"wasi_snapshot_preview1", "sock_open"},
                                                         {"wasi_snapshot_preview1", "sock_connect"},
                                                         {"wasi_snapshot_preview1", "fd_fdstat_set_rights"},
                                                         {"wasi_snapshot_preview1", "proc_raise"},
                                                         {"wasi_unstable", "fd_write"}};
  for (const auto& [module, name] : unknown) {
    const Error error = link_error(place, import_of(module, name, "func (param i32) (result i32)"));
    EXPECT_THAT(error.message, AllOf(HasSubstr(module), HasSubstr(name)));
  }
  EXPECT_THAT(link_error(place, import_of("env", "memory", "memory 1")).message, HasSubstr("memory"));
}

// E02
TEST_P(HostileImports, OfAnotherTypeAreRefusedWithBoth) {
  covers("E02");
  Sandbox place = attack("(module)");
  for (const HostFunction& function : builtin_functions()) {
    if (!is_mine(static_cast<std::size_t>(&function - builtin_functions().data()))) continue;
    std::vector<Signature> wrong(3, function.signature);
    wrong[0].params.push_back(ValueType::i32);
    if (wrong[1].params.empty()) {
      wrong[1].params.push_back(ValueType::f32);
    } else {
      wrong[1].params.pop_back();
    }
    wrong[2].results = {ValueType::f32};
    for (const Signature& signature : wrong) {
      const auto result = place.run(Source::wat(import_of(function, signature)), "f");
      ASSERT_FALSE(result) << function.name;
      EXPECT_EQ(not_refused(result.error(), {ErrorCode::link_error}), "") << function.name;
      EXPECT_THAT(result.error().message, AllOf(HasSubstr(to_text(signature)), HasSubstr(to_text(function.signature))));
    }
  }
  for (const std::string kind : {"memory 1", "table 1 funcref", "global i32"}) {
    EXPECT_THAT(link_error(place, import_of("petri", "log", kind)).message, HasSubstr("(i32 i32 i32) -> i32"));
  }
}

// E03
TEST_P(HostileImports, OfAnyNameAreReportedSafely) {
  covers("E03");
  Sandbox place = attack("(module)");
  for (const std::string& name : {std::string("../../log"), std::string("a\\nb"), std::string("\\1b[2J\\1b]0;x\\07"),
                                  std::string("\\e2\\80\\ae"), std::string(900, 'x')}) {
    const Error error = link_error(place, import_of("petri", name, "func"));
    EXPECT_LT(error.message.size(), 500U);
  }
  // Longer than the gate lets a name be.
  const std::string wat = import_of("petri", std::string(100'000, 'x'), "func");
  EXPECT_EQ(refused_everywhere(place, Source::wat(wat), nullptr, {ErrorCode::link_error, ErrorCode::rejected}), "");
}

// E04: a sandbox that has every permission but the one.
TEST_P(HostileImports, WithoutTheirPermissionAreRefusedByItsName) {
  covers("E04");
  Permissions all;
  for (const Permission permission : all_permissions()) all = all.with(permission);
  for (const HostFunction& function : builtin_functions()) {
    if (!function.permission) continue;
    SandboxSpec spec = hostile_spec(import_of(function, function.signature));
    spec.permissions = all.without(*function.permission);
    expect_denied(spec, function);
  }
}

// E04: profile by profile.
TEST_P(HostileImports, BeyondTheirProfileAreRefused) {
  covers("E04");
  for (const ProfileRule& rule : profile_rules()) {
    for (const HostFunction& function : builtin_functions()) {
      SandboxSpec spec = hostile_spec(import_of(function, function.signature));
      spec.profile = rule.profile;
      if (!function.permission || rule.permissions.has(*function.permission)) {
        EXPECT_TRUE(runtime_->create_sandbox(spec)) << function.name << " in " << name_of(rule.profile);
      } else {
        expect_denied(spec, function);
      }
    }
  }
}

// E12
TEST_P(HostileImports, OnABlockListOrOnNoAllowListAreRejectedByTheRule) {
  covers("E12");
  const std::string log = import_of("petri", "log", "func (param i32 i32 i32) (result i32)");
  const std::pair<ImportRules, std::string_view> cases[] = {{{.block = {"petri.log"}}, "block-list"},
                                                            {{.block = {"petri"}}, "block-list"},
                                                            {{.allow = {"math"}}, "allow-list"},
                                                            {{.allow = {"petri.input_size"}}, "allow-list"}};
  for (const auto& [rules, list] : cases) {
    SandboxSpec spec = hostile_spec(log);
    spec.imports = rules;
    const auto created = runtime_->create_sandbox(spec);
    ASSERT_FALSE(created);
    EXPECT_EQ(not_refused(created.error(), {ErrorCode::rejected}), "");
    EXPECT_THAT(created.error().message, AllOf(HasSubstr("log"), HasSubstr(std::string(list))));
    SandboxSpec place = hostile_spec("(module)");
    place.imports = rules;
    Sandbox sandbox = create(place);
    EXPECT_EQ(not_refused(sandbox, Source::wat(log)), "");
  }
}

// E11
TEST_P(HostileImports, OfNeighboursThatAreNotThereOrGoInARingAreRefused) {
  covers("E11");
  const auto module = [](std::string_view from, std::string_view type = "func") {
    return fmt::format("(module (import \"{}\" \"f\" ({})) (func (export \"f\")))", from, type);
  };
  const std::vector<std::pair<std::vector<ModuleSpec>, ErrorCode>> cases = {
      {{{"a", Source::wat(module("b"))}}, ErrorCode::link_error},
      {{{"a", Source::wat(module("b", "func (param i64)"))}, {"b", Source::wat("(module (func (export \"f\")))")}},
       ErrorCode::link_error},
      {{{"a", Source::wat(module("b", "global i32"))}, {"b", Source::wat("(module (func (export \"f\")))")}},
       ErrorCode::link_error},
      {{{"a", Source::wat(module("a"))}}, ErrorCode::circular_dependency},
      {{{"a", Source::wat(module("b"))}, {"b", Source::wat(module("c"))}, {"c", Source::wat(module("a"))}},
       ErrorCode::circular_dependency}};
  for (const auto& [modules, code] : cases) {
    SandboxSpec spec = hostile_spec("(module)");
    spec.modules = modules;
    spec.tree.reset();
    const auto created = runtime_->create_sandbox(spec);
    ASSERT_FALSE(created);
    EXPECT_EQ(not_refused(created.error(), {code}), "");
    EXPECT_EQ(created.error().detail("ring").empty(), code != ErrorCode::circular_dependency);
  }
}

// E06
TEST_P(HostileImports, CannotBeAHookOfAnotherKind) {
  covers("E06");
  Sandbox place = attack("(module)");
  const std::pair<std::string, std::string> hooks[] = {
      {"petri_handle", "(global (export \"petri_handle\") i32 (i32.const 0))"},
      {"petri_init", "(func (export \"petri_init\") (param i32) (result i32) (i32.const 0))"},
      {"petri_terminate", "(func (export \"petri_terminate\"))"},
      {"petri_migrate", "(memory (export \"petri_migrate\") 1)"},
      {"petri_state", "(func (export \"petri_state\") (result i32) (i32.const 0))"},
      {"petri_state", "(global (export \"petri_state\") (mut i32) (i32.const 0))"},
      {"_start", "(func (export \"_start\") (result i32) (i32.const 0))"},
      {"_initialize", "(table (export \"_initialize\") 1 funcref)"}};
  for (const auto& [name, field] : hooks) {
    Error error;
    EXPECT_EQ(refused_everywhere(place, Source::wat("(module " + field + ")"), &error), "") << name;
    EXPECT_THAT(error.message, HasSubstr(name));
  }
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileImports);

constexpr std::uint32_t kMemory = 131'072;

// 210 pairs of a pointer and a length: around the end, past it, around 2^31 and 2^32, zero, odd.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const std::uint32_t pointer :
       {0U, 1U, 7U, kMemory - 9, kMemory - 8, kMemory - 1, kMemory, kMemory + 1, 0x7fff'ffffU, 0x8000'0000U,
        0xffff'0000U, 0xffff'fff8U, 0xffff'fffeU, 0xffff'ffffU}) {
    for (const std::uint32_t length : {0U, 1U, 3U, 8U, 9U, kMemory - 1, kMemory, kMemory + 1, 0x7fff'ffffU,
                                       0x8000'0000U, 0xffff'0000U, 0xffff'fff9U, 0xffff'ffffU, 64U, 4'096U}) {
      all.emplace_back(pointer, length);
    }
  }
  return all;
}

Value value_of(ValueType type, std::uint32_t number) {
  switch (type) {
    case ValueType::i32: return Value(static_cast<std::int32_t>(number));
    case ValueType::i64: return Value(static_cast<std::int64_t>(number));
    case ValueType::f32: return Value(static_cast<float>(number));
    default: return Value(static_cast<double>(number));
  }
}

class HostilePointers : public HostileFixture {
 protected:
  // Passes calls on to every host function there is, as "module.name".
  static std::string all_imports() {
    std::ostringstream text;
    text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/guests/all_imports.wat").rdbuf();
    return text.str();
  }
  SandboxSpec spec_of_all_imports() {
    SandboxSpec spec = hostile_spec(all_imports(), {.execution_time_max = std::chrono::minutes(1)});
    Permissions all;
    for (const Permission permission : all_permissions()) all = all.with(permission);
    spec.permissions = all;
    spec.deterministic = true;  // a wait that is asked for takes no time
    return spec;
  }
  static std::vector<Value> arguments_of(const Signature& signature, std::uint32_t pointer, std::uint32_t length,
                                         std::size_t shift) {
    const std::uint32_t choices[] = {3, pointer, length};
    std::vector<Value> all;
    for (std::size_t i = 0; i < signature.params.size(); ++i)
      all.push_back(value_of(signature.params[i], choices[(i + shift) % 3]));
    return all;
  }
};

// E07: the pair goes round through the parameters, beside the number of a descriptor that could be open. In a crowd
// each has a tenth of the pairs.
TEST_P(HostilePointers, OfEveryFunctionGetAnAnswer) {
  covers("E07");
  Sandbox sandbox = create(spec_of_all_imports());
  const auto all_pairs = pairs();
  for (const HostFunction& function : builtin_functions()) {
    if (function.module == "math" || function.name.ends_with("exit")) continue;
    const bool is_wasi = function.module == "wasi_snapshot_preview1";
    const std::string name = (is_wasi ? "wasi" : function.module) + "." + function.name;
    for (std::size_t i = copy_ % 10; i < all_pairs.size(); i += std::min<std::size_t>(copy_count(), 10)) {
      const auto& [pointer, length] = all_pairs[i];
      const auto result = sandbox.call(name, arguments_of(function.signature, pointer, length, i % 3));
      ASSERT_TRUE(result) << name << ": " << result.error().message;
      ASSERT_EQ(result->kind, OutcomeKind::ok) << name << " " << pointer << " " << length;
    }
  }
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

// E07: exactly those that lie outside are refused, and nothing outside is touched: what was there before is there.
TEST_P(HostilePointers, AreRefusedExactlyWhereTheyLieOutside) {
  covers("E07");
  Sandbox sandbox = create(spec_of_all_imports());
  const auto bad = status(GuestError::out_of_bounds);
  const auto all_pairs = pairs();
  for (std::size_t i = copy_ % 10; i < all_pairs.size(); i += std::min<std::size_t>(copy_count(), 10)) {
    const auto& [pointer, length] = all_pairs[i];
    const bool good = std::uint64_t{pointer} + length <= kMemory;
    const Value at(static_cast<std::int32_t>(pointer)), size(static_cast<std::int32_t>(length));
    EXPECT_EQ(number(sandbox.call("petri.input_read", {at, 0, size}, {.input = "input"})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.output_write", {at, size})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.log", {1, at, size})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.self", {at, size})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.send", {at, size, 0, 0})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.spawn", {at, size})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("petri.reply_read", {at, 0, size})) == bad, !good);
    EXPECT_EQ(number(sandbox.call("wasi.random_get", {at, size})) == 21, !good);  // errno fault
  }
}

// E08
constexpr std::string_view kBoundaryAsker = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (import "petri" "input_read" (func $input (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1 10) (data (i32.const 0) "echo")
  (func (export "petri_handle") (result i32)
    (drop (memory.grow (i32.const 1)))
    (drop (call $write (i32.const 100) (call $input (i32.const 100) (i32.const 0) (i32.const 100)))) (i32.const 0))
  (func (export "read") (param i32 i32) (result i32) (call $reply (i32.const 1000) (local.get 0) (local.get 1)))
  (func (export "ask") (param $at i32) (param $length i32) (result i32)
    (call $call (i32.const 0) (i32.const 4) (local.get $at) (local.get $length) (i32.const 0)))
  (func (export "ask, grow and read") (param $at i32) (param $length i32) (result i32 i32) (local $answer i32)
    (local.set $answer (call $call (i32.const 0) (i32.const 4) (local.get $at) (local.get $length) (i32.const 0)))
    (drop (memory.grow (i32.const 1)))
    (local.get $answer) (call $reply (i32.const 65530) (i32.const 0) (i32.const 100)))
  (func (export "byte") (param i32) (result i32) (i32.load8_u (local.get 0)))
  (func (export "put") (param i32 i32) (i32.store8 (local.get 0) (local.get 1)))))";

class HostileAsker : public HostileFixture {
 protected:
  Sandbox asker() {
    SandboxSpec spec = hostile_spec(kBoundaryAsker);
    add_child(spec, "echo");
    return create(spec);
  }
  static Result<Outcome> ask(Sandbox& sandbox, std::string_view function, std::vector<Value> arguments) {
    return sandbox.call(function, std::move(arguments), {.process = "m"});
  }
};

TEST_P(HostileAsker, ReadsNoReplyThatIsNotThere) {
  covers("E08");
  Sandbox sandbox = asker();
  EXPECT_EQ(number(ask(sandbox, "read", {0, 10})), 0);
  EXPECT_EQ(number(ask(sandbox, "ask", {0, 4})), 4);
  for (int i = 0; i < 2; ++i) EXPECT_LE(number(ask(sandbox, "read", {0, 10})), 4);
  for (const std::int32_t offset : {4, 5, 1'000, INT32_MAX, -1}) {
    EXPECT_EQ(number(ask(sandbox, "read", {offset, 10})), 0) << offset;
  }
  EXPECT_EQ(number(ask(sandbox, "read", {0, 65'536})), status(GuestError::out_of_bounds));
  EXPECT_EQ(number(ask(sandbox, "read", {0, -1})), status(GuestError::out_of_bounds));
}

// E09
TEST_P(HostileAsker, ReachesTheNewProcessOfANameOrNobody) {
  covers("E09");
  Sandbox sandbox = attack(kBoundaryAsker);
  for (int i = 0; i < times(20, 200); ++i) {
    EXPECT_EQ(number(ask(sandbox, "ask", {0, 4})), status(GuestError::not_found));
    ASSERT_TRUE(sandbox.start_child(ChildSpec{.id = "echo", .module = "m", .restart = RestartType::temporary}));
    EXPECT_EQ(number(sandbox.call("byte", {50'000}, {.process = "echo"})), 0);  // a fresh one
    ASSERT_TRUE(sandbox.call("put", {50'000, 7}, {.process = "echo"}));
    EXPECT_EQ(number(ask(sandbox, "ask", {0, 4})), 4);
    ASSERT_TRUE(sandbox.stop_child("echo"));
  }
}

// E10
TEST_P(HostileAsker, MayGrowWhileAPointerIsHeld) {
  covers("E10");
  Sandbox sandbox = asker();
  for (int i = 0; i < 5; ++i) {
    const auto outcome = ask(sandbox, "ask, grow and read", {0, 100});
    ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
    EXPECT_THAT(outcome->values, ElementsAre(Value(100), Value(100)));
    EXPECT_EQ(number(ask(sandbox, "byte", {65'530})), 'e');
    EXPECT_EQ(number(ask(sandbox, "byte", {65'533})), 'o');
  }
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostilePointers);
PETRI_HOSTILE_IN_BOTH_TIERS(HostileAsker);

}  // namespace
}  // namespace petri
