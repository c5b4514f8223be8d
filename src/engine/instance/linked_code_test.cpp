#include "engine/instance/linked_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "engine/engine.h"
#include "engine/instance/instance_image.h"

namespace petri {
namespace {

// The context of a call is the group itself; above this layer it is found another way.
After enter(void* import, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results) {
  auto* const group = static_cast<LinkedInstance*>(static_cast<Instance*>(caller.context()));
  return *group->call_import(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(import)), caller, arguments,
                             results);
}

ArtifactPtr prepare_linked(std::string_view text) {
  auto artifact = wasm_engine().prepare_wat(text, 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

constexpr std::string_view kLower = R"((module (memory 1)
  (func (export "add") (param i64 i64) (result i64)
    (i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))
    (i64.add (i64.load (i32.const 8)) (i64.add (local.get 0) (local.get 1))))
  (func (export "grow") (result i32) (memory.grow (i32.const 1)))))";
constexpr std::string_view kUpper = R"((module (import "lower" "add" (func $add (param i64 i64) (result i64)))
  (import "lower" "grow" (func $grow (result i32))) (memory 1)
  (global $last (mut i64) (i64.const 0))
  (func (export "sum") (result i64)
    (global.set $last (call $add (global.get $last) (i64.const 100))) (global.get $last))
  (func (export "grow") (drop (call $grow)))))";

class LinkedCodeTest : public testing::TestWithParam<Tier> {
 protected:
  CodePtr linked(Tier tier) {
    static const HostImport add{.callback = &enter, .data = nullptr, .fuel = 5};
    static const HostImport grow{.callback = &enter, .data = reinterpret_cast<void*>(1), .fuel = 5};
    LinkedMembers members;
    members.push_back({"lower", lower_, *loadable(*lower_).load(tier, {}), {}});
    members.push_back({"upper",
                       upper_,
                       *loadable(*upper_).load(tier, {.functions = {&add, &grow}, .owner = nullptr}),
                       {{.member = 0, .export_number = 0, .params = 2, .results = 1},
                        {.member = 0, .export_number = 1, .params = 0, .results = 1}}});
    return std::make_shared<const LinkedCode>(std::move(members));
  }
  std::unique_ptr<Instance> made(Tier tier) { return std::move(linked(tier)->instantiate({}, 1 << 24)->instance); }
  static std::pair<std::int64_t, End> sum(Instance& instance, std::uint64_t fuel = 1'000) {
    std::uint64_t slot = 0;
    const auto end = instance.call(0, {.fuel = fuel}, &instance, {&slot, 1});
    return {static_cast<std::int64_t>(slot), *end};
  }

  const ArtifactPtr lower_ = prepare_linked(kLower), upper_ = prepare_linked(kUpper);
};

TEST_P(LinkedCodeTest, CallsFromOneMemberIntoAnother) {
  const auto group = made(GetParam());
  EXPECT_EQ(sum(*group).first, 101);
  EXPECT_EQ(sum(*group).first, 203);
}

TEST_P(LinkedCodeTest, SpendsOneBudgetExactly) {
  const std::uint64_t fuel = sum(*made(GetParam())).second.fuel_used;
  EXPECT_EQ(sum(*made(GetParam()), fuel).second.kind, EndKind::returned);
  const End end = sum(*made(GetParam()), fuel - 1).second;
  EXPECT_EQ(end.kind, EndKind::out_of_fuel);
  EXPECT_EQ(end.fuel_used, fuel - 1);
}

TEST_P(LinkedCodeTest, CountsTheMemoryOfAllMembers) {
  const auto group = made(GetParam());
  EXPECT_EQ(linked(GetParam())->others_bytes_min(), 65'536U);
  EXPECT_EQ(memory_size_of(*group), 2U * 65'536);
  const auto end = group->call(1, {.fuel = 1'000}, group.get(), {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->memory_bytes, 3U * 65'536);
  EXPECT_EQ(memory_size_of(*group), 3U * 65'536);
}

TEST_P(LinkedCodeTest, MovesAsAWholeToTheOtherTier) {
  const auto group = made(GetParam());
  sum(*group);
  const auto other = made(GetParam() == Tier::compiled ? Tier::interpreted : Tier::compiled);
  ASSERT_TRUE(other->adopt(*group));
  EXPECT_EQ(sum(*other).first, 203);
  EXPECT_EQ(sum(*group).first, 203);
}

TEST_P(LinkedCodeTest, IsKeptInAnImageWithAllMembers) {
  const auto group = made(GetParam());
  sum(*group);
  ASSERT_TRUE(group->call(1, {.fuel = 1'000}, group.get(), {}));
  const auto image = InstanceImage::capture(*group);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->memory_bytes(), 3U * 65'536);
  const auto read = InstanceImage::from_bytes(image->to_bytes());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, *image);
  const auto other = made(GetParam());
  ASSERT_TRUE(read->restore(*other));
  EXPECT_EQ(sum(*other).first, 203);
  EXPECT_EQ(sum(*other).second.memory_bytes, 3U * 65'536);
}

TEST_P(LinkedCodeTest, IsNotRestoredWhereAMemberIsMissing) {
  const auto image = InstanceImage::capture(*made(GetParam()));
  const auto alone = std::move(loadable(*lower_).load(GetParam(), {}).value()->instantiate({}, 1 << 24)->instance);
  EXPECT_EQ(image->restore(*alone).error().code, ErrorCode::state_incompatible);
}

// An image may come from a file, and with it the names of its members: the message had them as they were.
TEST_P(LinkedCodeTest, IsNotRestoredWhereAMemberHasAnotherNameWhateverThatIs) {
  const std::string_view name = "lower";
  auto bytes = InstanceImage::capture(*made(GetParam()))->to_bytes();
  const auto at = std::ranges::search(bytes, name).begin();
  std::ranges::copy(std::string_view("l\x1b[2J"), at);
  const auto image = InstanceImage::from_bytes(bytes);
  ASSERT_TRUE(image) << image.error().message;
  const auto refused = image->restore(*made(GetParam()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the instance is not linked with a module l\\x1b[2J");
}

TEST_P(LinkedCodeTest, HasFreshMembersWhereTheyAreRenewed) {
  const auto group = made(GetParam());
  sum(*group);
  ASSERT_TRUE(group->linked()->renew(0, nullptr));
  EXPECT_EQ(sum(*group).first, 202);
}

INSTANTIATE_TEST_SUITE_P(InBothTiers, LinkedCodeTest, testing::Values(Tier::interpreted, Tier::compiled));

}  // namespace
}  // namespace petri
