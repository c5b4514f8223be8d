#include "evaluation/candidate/receipt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "evaluation/spec_digest.h"

namespace petri {
namespace {

Record full_record() {
  Record record;
  record.artifact = ArtifactId{.bytes = {1, 2, 3}};
  record.outcome = OutcomeKind::trapped;
  record.trap = TrapCode::unreachable;
  record.first_failure = 1;
  record.value_types = {ValueType::f64};
  record.value_bits = {5, 0};
  record.kinds = {OutcomeKind::ok, OutcomeKind::trapped};
  record.output = Sha256{7};
  record.fuel_used = 10;
  record.memory_peak_bytes = 65'536;
  record.score = 0.5;
  return record;
}

std::vector<Case> some_cases() {
  return {{.arguments = {Value(1.0), Value(2)}, .input = "ab"}, {.arguments = {Value(0.0), Value(3)}, .input = "c"}};
}

// B16: everything that could make a difference does.
TEST(SpecDigest, ChangesWithEveryPartOfWhatWasAsked) {
  const auto digest = [](const std::function<void(std::vector<Case>&, EvaluationSpec&, Rules&)>& change) {
    std::vector<Case> cases = some_cases();
    EvaluationSpec spec{.function = "f", .targets = {1, 2}};
    Rules rules{.fuel_table = 1, .host_functions = {{.module = "m", .name = "n", .type = "() -> i32"}}};
    change(cases, spec, rules);
    return spec_digest(cases, spec, rules);
  };
  using Cases = std::vector<Case>&;
  using Spec = EvaluationSpec&;
  const std::vector<std::function<void(Cases, Spec, Rules&)>> changes{
      [](Cases, Spec, Rules&) {},
      [](Cases cases, Spec, Rules&) {
        cases[0].arguments[0] = Value(std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) ^ 1));
      },
      [](Cases cases, Spec, Rules&) { cases[0].arguments[1] = Value(std::int64_t{2}); },
      [](Cases cases, Spec, Rules&) { cases[1].input = "b"; },
      [](Cases cases, Spec, Rules&) { cases[0].input = "a", cases[1].input = "bc"; },
      [](Cases cases, Spec, Rules&) { cases.pop_back(); },
      [](Cases cases, Spec, Rules&) { std::swap(cases[0], cases[1]); },
      [](Cases, Spec spec, Rules&) { spec.function = "g"; },
      [](Cases, Spec spec, Rules&) { spec.fuel_max ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.memory_bytes_max ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.output_bytes_max ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.call_depth_max ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.module_bytes_max ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.seed ^= 1; },
      [](Cases, Spec spec, Rules&) { spec.instances = Instances::per_case; },
      [](Cases, Spec spec, Rules&) { spec.stop_at_first_failure = true; },
      [](Cases, Spec spec, Rules&) { spec.targets[1] = 2.5; },
      [](Cases, Spec spec, Rules&) { spec.targets.clear(); },
      [](Cases, Spec spec, Rules&) { spec.harness = Artifact::from_wat("(module)", 100).value(); },
      [](Cases, Spec spec, Rules&) { spec.harness = Artifact::from_wat("(module (func))", 100).value(); },
      [](Cases, Spec, Rules& rules) { rules.abi ^= 1; },
      [](Cases, Spec, Rules& rules) { rules.fuel_table ^= 1; },
      [](Cases, Spec, Rules& rules) { rules.host_functions[0].version = 2; },
      [](Cases, Spec, Rules& rules) { rules.host_functions[0].fuel = 2; },
      [](Cases, Spec, Rules& rules) { rules.host_functions[0].name = "o"; },
      [](Cases, Spec, Rules& rules) { rules.host_functions.clear(); },
  };
  std::set<Sha256> digests;
  for (const auto& change : changes) digests.insert(digest(change));
  EXPECT_EQ(digests.size(), changes.size());
  EXPECT_EQ(digest(changes[0]), digest(changes[0]));
}

TEST(SpecDigest, BindsTheEmbeddersDeterministicFunctions) {
  HostFunctions host;
  const Rules none = rules_here(host);
  EXPECT_GT(none.fuel_table, 0U);
  ASSERT_TRUE(host.define("game", "guess", [](double x) { return x; }));
  EXPECT_EQ(rules_here(host), none);
  ASSERT_TRUE(
      host.define("game", "move", [](std::int32_t x) { return x; }, {.fuel = 9, .deterministic = true, .version = 3}));
  std::vector<HostFunctionUsed> expected = none.host_functions;
  expected.push_back({.module = "game", .name = "move", .type = "(i32) -> i32", .version = 3, .fuel = 9});
  EXPECT_EQ(rules_here(host).host_functions, expected);
}

// A function that is charged differently than at first has another version, and results that depend on it say so.
TEST(SpecDigest, BindsPetrisOwnFunctionsThatHaveChanged) {
  const Rules here = rules_here(HostFunctions());
  const auto find = [&here](std::string_view name) {
    return std::ranges::find(here.host_functions, name, &HostFunctionUsed::name);
  };
  ASSERT_NE(find("fd_write"), here.host_functions.end());
  EXPECT_EQ(find("fd_write")->version, 3U);
  EXPECT_EQ(find("input_read"), here.host_functions.end());  // as it was
  EXPECT_EQ(find("path_open"), here.host_functions.end());   // no candidate has it
}

// B16
TEST(Receipt, ChangesWithCandidateSpecAndEveryResult) {
  const auto receipt = [](const std::function<void(Record&, Sha256&)>& change) {
    Record record = full_record();
    Sha256 spec{9};
    change(record, spec);
    return receipt_of(record, spec);
  };
  const std::vector<std::function<void(Record&, Sha256&)>> changes{
      [](Record&, Sha256&) {},
      [](Record&, Sha256& spec) { spec.bytes[31] ^= 1; },
      [](Record& record, Sha256&) { record.artifact->bytes[0] ^= 1; },
      [](Record& record, Sha256&) { record.outcome = OutcomeKind::exited; },
      [](Record& record, Sha256&) { record.trap = TrapCode::integer_overflow; },
      [](Record& record, Sha256&) { record.trap.reset(); },
      [](Record& record, Sha256&) { record.exit_code = 0; },
      [](Record& record, Sha256&) { record.error = ErrorCode::link_error; },
      [](Record& record, Sha256&) { record.first_failure = 0; },
      [](Record& record, Sha256&) { record.value_types[0] = ValueType::i64; },
      [](Record& record, Sha256&) { record.value_bits[0] ^= 1; },
      [](Record& record, Sha256&) { record.kinds[0] = OutcomeKind::exited; },
      [](Record& record, Sha256&) { record.output->bytes[5] ^= 1; },
      [](Record& record, Sha256&) { record.output.reset(); },
      [](Record& record, Sha256&) { record.fuel_used ^= 1; },
      [](Record& record, Sha256&) { record.memory_peak_bytes ^= 1; },
      [](Record& record, Sha256&) { record.score = 0.25; },
      [](Record& record, Sha256&) { record.score.reset(); },
  };
  std::set<Sha256> receipts;
  for (const auto& change : changes) receipts.insert(receipt(change));
  EXPECT_EQ(receipts.size(), changes.size());
  // Where the row stands is no part of the fact.
  EXPECT_EQ(receipt([](Record& record, Sha256&) { record.row = 9, record.repeats_row = 3; }), receipt(changes[0]));
}

TEST(Receipt, IsForArtifactsThatTimeDidNotEnd) {
  Record record = full_record();
  EXPECT_TRUE(can_have_receipt(record));
  record.repeatable = false;
  EXPECT_FALSE(can_have_receipt(record));
  record.repeatable = true;
  record.artifact.reset();
  EXPECT_FALSE(can_have_receipt(record));
}

TEST(PackedResult, IsUnpackedAsItWas) {
  CanonicalBytes buffer;
  Record failed;
  failed.artifact = ArtifactId{};
  failed.error = ErrorCode::not_found;
  failed.message = "no f";
  Record exited = full_record();
  exited.outcome = OutcomeKind::exited;
  exited.trap.reset();
  exited.exit_code = -3;
  for (const Record& record : {full_record(), failed, exited, Record{}}) {
    const Record unpacked = unpack_result(pack_result(record, buffer));
    EXPECT_EQ(unpacked.artifact, record.artifact);
    EXPECT_EQ(unpacked.outcome, record.outcome);
    EXPECT_EQ(unpacked.trap, record.trap);
    EXPECT_EQ(unpacked.exit_code, record.exit_code);
    EXPECT_EQ(unpacked.error, record.error);
    EXPECT_EQ(unpacked.message, record.message);
    EXPECT_EQ(unpacked.first_failure, record.first_failure);
    EXPECT_EQ(unpacked.value_types, record.value_types);
    EXPECT_EQ(unpacked.value_bits, record.value_bits);
    EXPECT_EQ(unpacked.kinds, record.kinds);
    EXPECT_EQ(unpacked.output, record.output);
    EXPECT_EQ(unpacked.fuel_used, record.fuel_used);
    EXPECT_EQ(unpacked.memory_peak_bytes, record.memory_peak_bytes);
  }
}

}  // namespace
}  // namespace petri
