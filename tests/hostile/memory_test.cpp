// Family B: memory, tables, data.
#include <fmt/format.h>

#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kPage = 65'536;

class HostileMemory : public HostileFixture {
 protected:
  static std::vector<std::uint8_t> module_with(std::initializer_list<std::vector<std::uint8_t>> sections) {
    std::vector<std::uint8_t> bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
    for (const auto& section : sections) bytes.insert(bytes.end(), section.begin(), section.end());
    return bytes;
  }
};

constexpr std::string_view kGrower = R"((module (memory 1) (table $t 1 funcref)
  (func (export "memory") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "table") (param i32) (result i32) (table.grow $t (ref.null func) (local.get 0)))
  (func (export "all") (result i32 i32) (local $grown i32) (local $refused i32)
    (loop
      (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1))
        (then (local.set $refused (i32.add (local.get $refused) (i32.const 1))))
        (else (local.set $grown (i32.add (local.get $grown) (i32.const 1)))
          (i32.store (i32.mul (local.get $grown) (i32.const 65536)) (i32.const 1))))
      (br_if 0 (i32.lt_u (local.get $refused) (i32.const 5))))
    (local.get $grown) (local.get $refused))
  (func (export "all and trap") (loop
      (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (memory.fill (i32.const 0) (i32.const 85) (i32.mul (memory.size) (i32.const 65536))) unreachable)
  (func (export "dirty") (result i32) (local $at i32)
    (loop (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then (return (i32.const 1))))
      (br_if 0 (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (i32.const 65536))))
    (i32.eqz (ref.is_null (table.get $t (i32.const 0)))))))";

// B01
TEST_P(HostileMemory, GrowsToItsLimitAndContinues) {
  covers("B01");
  Sandbox sandbox = attack(kGrower, {.memory_bytes_max = 8 * kPage + 8});
  const auto outcome = sandbox.call("all");
  ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
  EXPECT_THAT(outcome->values, ElementsAre(Value(7), Value(5)));
  EXPECT_LE(outcome->memory_peak_bytes, 8 * kPage + 8);
  EXPECT_EQ(sandbox.usage().memory_bytes, 8 * kPage + 8);
  EXPECT_EQ(testing::not_value(sandbox.call("memory", {0}), 8), "");
}

// B02
TEST_P(HostileMemory, IsRefusedEnormousGrowthAtOnce) {
  covers("B02");
  Sandbox sandbox = attack(kGrower);
  const std::uint64_t before = sandbox.usage().memory_bytes;
  EXPECT_EQ(testing::not_value(sandbox.call("memory", {65'535}), -1), "");
  EXPECT_EQ(testing::not_value(sandbox.call("table", {10'000'000}), -1), "");
  EXPECT_EQ(sandbox.usage().memory_bytes, before);
  EXPECT_EQ(testing::not_value(sandbox.call("table", {1'000}), 1), "");
  EXPECT_EQ(sandbox.usage().memory_bytes, before + 1'000 * 8);
}

// B03 B04
TEST_P(HostileMemory, IsNotEvenMadeWhenItDeclaresTooMuch) {
  covers("B03 B04");
  EXPECT_EQ(runtime_->create_sandbox(hostile_spec("(module (memory 65536))")).error().code, ErrorCode::rejected);
  EXPECT_EQ(runtime_->create_sandbox(hostile_spec("(module (table 4294967295 funcref))")).error().code,
            ErrorCode::rejected);
  const auto large = runtime_->create_sandbox(hostile_spec("(module (memory 300))"));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().detail("outcome"), "memory_limit");
}

// B05: in the longer suite a thousand, and the host's own memory is looked at.
TEST_P(HostileMemory, TouchesEveryPageItMayHaveAndNoMore) {
  covers("B05");
  const int count = times(20, 1'000);
  const std::uint64_t granted = 16 * kPage + 8, resident = resident_bytes(), used = runtime_->info().memory_bytes;
  for (int i = 0; i < count; ++i) {
    Sandbox sandbox = attack(kGrower, {.memory_bytes_max = granted});
    ASSERT_EQ(testing::not_kind(sandbox.call("all"), OutcomeKind::ok), "");
    ASSERT_EQ(sandbox.usage().memory_bytes, granted);
  }
  const std::uint64_t all = granted * static_cast<std::uint64_t>(count);
  if (copy_count() == 1) {
    constexpr std::uint64_t kHostBytes = 10'240;  // what the host holds for a process
    constexpr std::uint64_t kCanaries =
        3 * 24 * 1'024;  // three remember what they are sent (process/history/history.h)
    const std::uint64_t more = runtime_->info().memory_bytes - used;
    EXPECT_GE(more + kCanaries, all);
    EXPECT_LE(more, all + kHostBytes * static_cast<std::uint64_t>(count) + kCanaries);
  }
  if (count >= 1'000) {
    EXPECT_LE(resident_bytes() - resident, all + all / 10);
  }
}

// B06
TEST_P(HostileMemory, LeavesNothingWhenItGrowsWritesAndTraps) {
  covers("B06");
  Sandbox sandbox = attack(kGrower, {.memory_bytes_max = 8 * kPage + 8});
  const std::uint64_t memory = sandbox.usage().memory_bytes, resident = resident_bytes();
  for (int i = 0; i < times(50, 10'000); ++i) {
    ASSERT_EQ(testing::not_kind(sandbox.call("all and trap"), OutcomeKind::trapped), "");
  }
  EXPECT_EQ(testing::not_value(sandbox.call("memory", {0}), 1), "");
  EXPECT_EQ(sandbox.usage().memory_bytes, memory);
  if (copy_count() == 1 && times(0, 1) == 1) {
    EXPECT_LE(resident_bytes(), resident + (32 << 20));
  }
}

// B07: by their count, before they are read: there is nothing behind it.
TEST_P(HostileMemory, IsRejectedForTheNumberOfItsSegments) {
  covers("B07");
  const std::vector<std::uint8_t> memory{5, 3, 1, 0, 1}, table{4, 4, 1, 0x70, 0, 1};
  const std::vector<std::uint8_t> data{11, 3, 0xd0, 0x86, 0x03};                                    // 50,000
  const std::vector<std::uint8_t> elements{9, 10, 1, 0, 0x41, 0, 0x0b, 0x80, 0xad, 0xe2, 0x04, 0};  // 10,000,000 in one
  for (const auto& bytes : {module_with({memory, data}), module_with({table, elements})}) {
    SandboxSpec spec = hostile_spec("");
    spec.modules[0].source = Source::wasm(bytes);
    const auto created = runtime_->create_sandbox(spec);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ErrorCode::rejected) << created.error().message;
  }
}

// B08
TEST_P(HostileMemory, IsGoneWhenASegmentLiesBeyondTheEnd) {
  covers("B08");
  const SandboxSpec spec = hostile_spec("(module (memory 1) (data (i32.const 65535) \"ab\"))");
  const auto created = runtime_->create_sandbox(spec);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().detail("outcome"), "trapped");
  EXPECT_THAT(created.error().message, HasSubstr("instantiate"));
  const auto info = runtime_->info(spec.id);
  EXPECT_EQ(info->usage.memory_bytes, 0U);
  EXPECT_EQ(info->usage.processes, 0U);
}

// B09: of a predecessor in the same place, and of one in another sandbox.
TEST_P(HostileMemory, FindsNothingOfAPredecessor) {
  covers("B09");
  Sandbox sandbox = attack(kGrower, {.memory_bytes_max = 8 * kPage + 8});
  for (int i = 0; i < times(20, 10'000); ++i) {
    ASSERT_EQ(testing::not_kind(sandbox.call("all and trap"), OutcomeKind::trapped), "");
    ASSERT_EQ(testing::not_value(sandbox.call("dirty"), 0), "");
    ASSERT_EQ(testing::not_value(sandbox.run("m", "dirty"), 0), "");
  }
}

// B11: a mailbox is memory too.
TEST_P(HostileMemory, CannotHideBytesInMailboxes) {
  covers("B11");
  Sandbox sandbox = attack(R"((module (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "m") (global $handled (mut i32) (i32.const 0))
    (func (export "petri_handle") (result i32)
      (global.set $handled (i32.add (global.get $handled) (i32.const 1))) (i32.const 0))
    (func (export "fill") (result i32 i32) (local $sent i32) (local $status i32)
      (loop (local.set $status (call $send (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 50000)))
        (if (i32.eqz (local.get $status))
          (then (local.set $sent (i32.add (local.get $sent) (i32.const 1))) (br 1))))
      (local.get $sent) (local.get $status))
    (func (export "handled") (result i32) (global.get $handled))))",
                           {.memory_bytes_max = 1'000'000});
  const auto outcome = sandbox.call("fill");
  ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::ok), "");
  ASSERT_EQ(outcome->values.size(), 2U);
  // Each message takes more than its bytes; the first 64 KiB that the host holds are free.
  EXPECT_GE(outcome->values[0].i32(), static_cast<std::int32_t>((1'000'000 - kPage) / 51'000));
  EXPECT_LT(outcome->values[0].i32(), 1'000'000 / 50'000);
  EXPECT_EQ(outcome->values[1], Value(status(GuestError::limit_exceeded)));
  EXPECT_EQ(met(sandbox, "memory_bytes_max"), 1U);
  EXPECT_EQ(testing::not_value(sandbox.call("handled"), outcome->values[0]), "");
  EXPECT_EQ(sandbox.usage().memory_bytes, kPage);
  EXPECT_EQ(sandbox.usage().messages, 0U);
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileMemory);

}  // namespace
}  // namespace petri
