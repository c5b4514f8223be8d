#include "engine/instance/instance_image.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "engine/engine.h"
#include "engine/fake_engine.h"
#include "engine/loadable_artifact.h"
#include "engine/module/module_layout.h"

namespace petri {
namespace {

// Every way state is kept: memory that grows, globals of each type, some exported and some not.
constexpr std::string_view kCountingImage = R"((module
  (memory (export "memory") 1 4) (data (i32.const 8) "data") (data (i32.const 20000) "more")
  (global $i (mut i32) (i32.const 1)) (global $l (export "l") (mut i64) (i64.const 2))
  (global $f (mut f32) (f32.const 3)) (global $d (mut f64) (f64.const 4)) (global $fixed i32 (i32.const 5))
  (func (export "step") (result i32 i64 f32 f64)
    (drop (memory.grow (i32.const 1)))
    (i32.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 4)) (i32.const 77))
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (global.get $fixed)))
    (global.set $i (i32.sub (global.get $i) (i32.const 10)))
    (global.set $l (i64.sub (global.get $l) (i64.const 10)))
    (global.set $f (f32.div (global.get $f) (f32.const 3)))
    (global.set $d (f64.div (global.get $d) (f64.const 3)))
    (i32.add (global.get $i) (i32.add (i32.load (i32.const 0)) (memory.size)))
    (global.get $l) (global.get $f) (global.get $d))))";

constexpr std::uint64_t kMemoryMax = 1 << 20;

ArtifactPtr prepare_image(std::string_view text) {
  auto artifact = Artifact::from_wat(text, 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

std::unique_ptr<Instance> instantiate(const Artifact& artifact, Tier tier, std::uint64_t memory_max = kMemoryMax) {
  return std::move((*loadable(artifact).load(tier, {}))->instantiate({}, memory_max)->instance);
}

std::unique_ptr<Instance> instantiate(std::string_view text, Tier tier, std::uint64_t memory_max = kMemoryMax) {
  return instantiate(*prepare_image(text), tier, memory_max);
}

std::vector<std::uint64_t> step(Instance& instance, const Artifact& artifact) {
  std::vector<std::uint64_t> values(4);
  const End end = *instance.call(*loadable(artifact).export_number("step"), {.fuel = 1'000}, nullptr, values);
  EXPECT_EQ(end.kind, EndKind::returned);
  values.push_back(end.memory_bytes);
  return values;
}

bool equal_memory(Instance& one, Instance& other) { return std::ranges::equal(one.memory(), other.memory()); }

InstanceImage captured(Instance& from) {
  auto image = InstanceImage::capture(from);
  EXPECT_TRUE(image) << image.error().message;
  return *image;
}

class InstanceImageTest : public testing::TestWithParam<std::tuple<Tier, Tier>> {
 protected:
  Tier from_ = std::get<0>(GetParam());
  Tier to_ = std::get<1>(GetParam());
};

TEST_P(InstanceImageTest, ContinuesWhereTheInstanceStood) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto staying = instantiate(*artifact, from_);
  for (int turn = 0; turn < 6; ++turn) {  // the fourth growth is refused
    const InstanceImage image = captured(*staying);
    auto restored = instantiate(*artifact, to_);
    ASSERT_TRUE(image.restore(*restored));
    EXPECT_EQ(image.memory_bytes(), staying->memory().size());
    EXPECT_TRUE(equal_memory(*restored, *staying)) << turn;
    EXPECT_EQ(*restored->shape(), *staying->shape()) << turn;
    EXPECT_EQ(captured(*restored), image);
    EXPECT_EQ(step(*restored, *artifact), step(*staying, *artifact)) << turn;
    EXPECT_NE(captured(*restored), image);
  }
}

TEST_P(InstanceImageTest, StaysAsItWasWhileTheInstanceRunsOn) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto running = instantiate(*artifact, from_);
  const InstanceImage image = captured(*running);
  const auto first = step(*running, *artifact);
  step(*running, *artifact);
  auto restored = instantiate(*artifact, to_);
  ASSERT_TRUE(image.restore(*restored));
  EXPECT_EQ(step(*restored, *artifact), first);
}

TEST_P(InstanceImageTest, HasZerosWhereDataSegmentsWere) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto cleared = instantiate(*artifact, from_);
  std::ranges::fill(cleared->memory(), std::uint8_t{0});
  const InstanceImage image = captured(*cleared);
  EXPECT_LT(image.bytes_kept(), 1'000U);
  auto restored = instantiate(*artifact, to_);
  EXPECT_EQ(restored->memory()[8], 'd');
  ASSERT_TRUE(image.restore(*restored));
  EXPECT_TRUE(equal_memory(*restored, *cleared));
}

TEST_P(InstanceImageTest, KeepsOnlyPagesThatHoldSomething) {
  auto instance = instantiate(kCountingImage, from_);
  EXPECT_LT(captured(*instance).bytes_kept(), 9'000U);
  for (const std::size_t page : {0U, 1U, 5U, 15U}) instance->memory()[page * 4'096 + 4'095] = 1;
  const InstanceImage image = captured(*instance);
  EXPECT_GT(image.bytes_kept(), 5 * 4'096U);
  EXPECT_LT(image.bytes_kept(), 6 * 4'096U);
  auto restored = instantiate(kCountingImage, to_);
  ASSERT_TRUE(image.restore(*restored));
  EXPECT_TRUE(equal_memory(*restored, *instance));
}

// Twice, so that the second memory may be one that was used before.
TEST_P(InstanceImageTest, TakesALargeMemoryWithLittleInIt) {
  constexpr std::string_view kLargeModule = R"((module (memory 20) (data (i32.const 700000) "data")))";
  constexpr std::uint64_t kLargeMax = 20 * 65'536;
  for (int turn = 0; turn < 2; ++turn) {
    auto instance = instantiate(kLargeModule, from_, kLargeMax);
    std::ranges::fill(instance->memory().subspan(700'000, 4), std::uint8_t{0});
    for (const std::size_t offset : {0U, 4'095U, 500'000U, 1'310'719U}) instance->memory()[offset] = 9;
    const InstanceImage image = captured(*instance);
    EXPECT_LT(image.bytes_kept(), 4 * 4'096U);
    auto restored = instantiate(kLargeModule, to_, kLargeMax);
    auto moved = instantiate(kLargeModule, to_, kLargeMax);
    ASSERT_TRUE(image.restore(*restored));
    ASSERT_TRUE(moved->adopt(*instance));
    EXPECT_TRUE(equal_memory(*restored, *instance));
    EXPECT_TRUE(equal_memory(*moved, *instance));
    std::ranges::fill(restored->memory(), std::uint8_t{0xff});
    EXPECT_EQ(captured(*restored).memory_bytes(), kLargeMax);
  }
}

// Four mebibytes that are looked through, and then copied.
TEST_P(InstanceImageTest, AsksForEachMebibyteWhetherItIsEnded) {
  auto instance = instantiate("(module (memory 64))", from_, 4 << 20);
  std::ranges::fill(instance->memory(), std::uint8_t{1});
  int asked = 0, ended_at = 0;
  const ImageTerms terms{.is_ended = [&] { return ++asked == ended_at; }};
  ASSERT_TRUE(InstanceImage::capture(*instance, terms));
  EXPECT_EQ(asked, 8);
  for (ended_at = 1; ended_at <= 8; ++ended_at) {
    asked = 0;
    const auto ended = InstanceImage::capture(*instance, terms);
    ASSERT_FALSE(ended) << ended_at;
    EXPECT_EQ(ended.error().code, ErrorCode::cancelled);
    EXPECT_EQ(ended.error().message, "the sandbox is being ended");
    EXPECT_EQ(asked, ended_at) << "nothing is done after it";
  }
}

TEST_P(InstanceImageTest, IsNotCopiedWhereItWouldBeLargerThanAllowed) {
  auto instance = instantiate("(module (memory 64))", from_, 4 << 20);
  std::ranges::fill(instance->memory(), std::uint8_t{1});
  int asked = 0;
  const std::uint64_t kept = captured(*instance).bytes_kept();
  ImageTerms terms{.bytes_max = kept, .is_ended = [&] { return ++asked == 0; }};
  EXPECT_TRUE(InstanceImage::check_fits(*instance, terms));
  EXPECT_EQ(asked, 4) << "looked through, and not copied";
  EXPECT_TRUE(InstanceImage::capture(*instance, terms));
  --terms.bytes_max;
  asked = 0;
  const auto refused = InstanceImage::capture(*instance, terms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(refused.error().message,
            fmt::format("its memory holds {} bytes and state_bytes_max allows {}", kept, kept - 1));
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(InstanceImage::check_fits(*instance, terms).error(), refused.error());
}

TEST_P(InstanceImageTest, IsRestoredIntoAnotherArtifactOfTheSameLayout) {
  std::string text(kCountingImage);
  text.insert(text.rfind(')'), "(func (export \"another\") (result i32) (i32.const 1))");
  const ArtifactPtr old_version = prepare_image(kCountingImage);
  const ArtifactPtr new_version = prepare_image(text);
  ASSERT_TRUE(check_same_layout(loadable(*old_version), loadable(*new_version)));
  auto running = instantiate(*old_version, from_);
  step(*running, *old_version);
  auto restored = instantiate(*new_version, to_);
  ASSERT_TRUE(captured(*running).restore(*restored));
  EXPECT_EQ(step(*restored, *new_version), step(*running, *old_version));
}

// Overwrites all that an instance held, so that it may have run its start function.
TEST_P(InstanceImageTest, LeavesNothingOfWhatTheInstanceHeld) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto young = instantiate(*artifact, from_);
  step(*young, *artifact);
  const InstanceImage image = captured(*young);
  auto used = instantiate(*artifact, to_);
  std::ranges::fill(used->memory(), std::uint8_t{0xff});
  step(*used, *artifact);
  ASSERT_TRUE(image.restore(*used));
  EXPECT_EQ(captured(*used), image);
}

TEST_P(InstanceImageTest, IsRefusedByInstancesOfAnotherLayout) {
  const InstanceImage image = captured(*instantiate(kCountingImage, from_));
  for (const std::string_view other :
       {"(module)", "(module (memory 1 4))", "(module (memory 1 5) (global (mut i32) (i32.const 1)))",
        R"((module (memory 1 4) (global (mut i32) (i32.const 1)) (global (mut i64) (i64.const 2))
              (global (mut f32) (f32.const 3)) (global (mut i64) (i64.const 4))))",
        R"((module (memory 2 4) (global (mut i32) (i32.const 1)) (global (mut i64) (i64.const 2))
              (global (mut f32) (f32.const 3)) (global (mut f64) (f64.const 4))))"}) {
    const auto restored = image.restore(*instantiate(other, to_));
    ASSERT_FALSE(restored) << other;
    EXPECT_EQ(restored.error().code, ErrorCode::state_incompatible) << restored.error().message;
  }
}

TEST_P(InstanceImageTest, IsRefusedByAnInstanceWhoseMemoryIsLarger) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  const InstanceImage image = captured(*instantiate(*artifact, from_));
  auto grown = instantiate(*artifact, to_);
  step(*grown, *artifact);
  EXPECT_EQ(image.restore(*grown).error().code, ErrorCode::state_incompatible);
}

TEST_P(InstanceImageTest, DoesNotGrowAnInstanceBeyondItsLimit) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto grown = instantiate(*artifact, from_);
  step(*grown, *artifact);
  const InstanceImage image = captured(*grown);
  const auto refused = image.restore(*instantiate(*artifact, to_, 2 * 65'536 - 1));
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded) << refused.error().message;
  EXPECT_TRUE(image.restore(*instantiate(*artifact, to_, 2 * 65'536)));
}

TEST_P(InstanceImageTest, IsNotMadeOfWhatCannotBeMovedOrHasEnded) {
  const auto fixed = InstanceImage::capture(*instantiate("(module (global (mut funcref) (ref.null func)))", from_));
  ASSERT_FALSE(fixed);
  EXPECT_EQ(fixed.error().code, ErrorCode::validation_failed) << fixed.error().message;

  auto ended = instantiate("(module (func (export \"f\") unreachable))", from_);
  const InstanceImage image = captured(*ended);
  ASSERT_EQ(ended->call(0, {.fuel = 100}, nullptr, {})->kind, EndKind::trapped);
  EXPECT_EQ(InstanceImage::capture(*ended).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(image.restore(*ended).error().code, ErrorCode::validation_failed);
}

TEST_P(InstanceImageTest, CrossesAsBytes) {
  const ArtifactPtr artifact = prepare_image(kCountingImage);
  auto running = instantiate(*artifact, from_);
  step(*running, *artifact);
  const InstanceImage image = captured(*running);
  const auto read = InstanceImage::from_bytes(image.to_bytes());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, image);
  auto restored = instantiate(*artifact, to_);
  ASSERT_TRUE(read->restore(*restored));
  EXPECT_EQ(step(*restored, *artifact), step(*running, *artifact));
}

INSTANTIATE_TEST_SUITE_P(Tiers, InstanceImageTest,
                         testing::Values(std::tuple(Tier::interpreted, Tier::compiled),
                                         std::tuple(Tier::compiled, Tier::interpreted),
                                         std::tuple(Tier::compiled, Tier::compiled)));

// Where in the bytes of an image things stand.
constexpr std::size_t kOthers = 0, kPagesMax = 12, kPagesNow = 20, kFirstGlobal = 32, kGlobalBytes = 9,
                      kGlobalCount = 4;
constexpr std::size_t kFirstPiece = kFirstGlobal + kGlobalCount * kGlobalBytes + 4;

class InstanceImageBytes : public testing::Test {
 protected:
  static std::vector<std::uint8_t> bytes() {
    return captured(*instantiate(kCountingImage, Tier::interpreted)).to_bytes();
  }
  static void expect_refused(std::span<const std::uint8_t> damaged) {
    const auto read = InstanceImage::from_bytes(damaged);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::parse_failed);
  }
  static void expect_refused_with(std::size_t offset, std::vector<std::uint8_t> other) {
    auto damaged = bytes();
    std::ranges::copy(other, damaged.begin() + static_cast<std::ptrdiff_t>(offset));
    expect_refused(damaged);
  }
};

TEST_F(InstanceImageBytes, AreRefusedWhenCutAnywhereOrTooMany) {
  auto whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) expect_refused(std::span(whole).first(size));
  whole.push_back(0);
  expect_refused(whole);
}

TEST_F(InstanceImageBytes, AreRefusedWithNumbersThatCannotBe) {
  expect_refused_with(kOthers, {255, 255, 255, 255});  // more of a group than bytes
  expect_refused_with(kOthers, {1});
  expect_refused_with(kPagesNow, {0});                                                // below the minimum
  expect_refused_with(kPagesNow, {5});                                                // above the maximum
  expect_refused_with(kPagesMax, {255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 1});  // more than 32 bits address
  expect_refused_with(kFirstGlobal - 4, {255, 255, 255, 255});                        // more globals than bytes
  expect_refused_with(kFirstGlobal, {4});                                             // a reference
  expect_refused_with(kFirstGlobal, {250});
  expect_refused_with(kFirstGlobal + 8, {1});  // above 32 bits
}

TEST_F(InstanceImageBytes, AreRefusedWithPiecesThatCannotBe) {
  expect_refused_with(kFirstPiece - 4, {255, 255, 255, 255});               // more than there are bytes for
  expect_refused_with(kFirstPiece, {4});                                    // on the second one
  expect_refused_with(kFirstPiece, {3});                                    // adjacent to it
  expect_refused_with(kFirstPiece, {9});                                    // behind it
  expect_refused_with(kFirstPiece + 8, {16});                               // outside
  expect_refused_with(kFirstPiece + 8, {255, 255, 255, 255, 1});            // far outside
  expect_refused_with(kFirstPiece + 4, {0});                                // empty
  expect_refused_with(kFirstPiece + 4, {2});                                // longer than the contents
  expect_refused_with(kFirstPiece + 16, std::vector<std::uint8_t>(4'096));  // all zero
}

TEST(InstanceImage, IsMadeOfFakeGuestsToo) {
  FakeEngine engine;
  engine.add("one", {.memory_pages = 1});
  engine.add("two", {.memory_pages = 2});
  auto from = instantiate(*engine.artifact("one"), Tier::interpreted);
  from->memory()[7] = 42;
  const InstanceImage image = captured(*from);
  auto into = instantiate(*engine.artifact("one"), Tier::interpreted);
  ASSERT_TRUE(image.restore(*into));
  EXPECT_EQ(into->memory()[7], 42);
  EXPECT_EQ(image.restore(*instantiate(*engine.artifact("two"), Tier::interpreted)).error().code,
            ErrorCode::state_incompatible);
}

}  // namespace
}  // namespace petri
