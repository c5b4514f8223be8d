#include "modules/version_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ctime>

#include "base/clock.h"
#include "engine/fake_engine.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class VersionTableTest : public ::testing::Test {
 protected:
  VersionTableTest() {
    for (int i = 0; i < 20; ++i) engine_.add("code" + std::to_string(i), {});
  }
  Version version(int code, StateHints renames = {}, std::uint64_t before = 0) {
    return {
        .artifact = engine_.artifact("code" + std::to_string(code)), .before = before, .renames = std::move(renames)};
  }
  VersionTable table() { return {version(1), SwitchCause::create, "test"}; }
  static std::vector<std::uint64_t> numbers(const VersionTable& table) {
    std::vector<std::uint64_t> all;
    for (const Version& one : table.versions()) all.push_back(one.number);
    return all;
  }

  FakeEngine engine_;
};

TEST_F(VersionTableTest, StartsWithAnActiveVersion) {
  const VersionTable versions = table();
  EXPECT_EQ(versions.active().number, 1U);
  EXPECT_EQ(versions.total(), 1U);
  EXPECT_EQ(versions.number_before(), 0U);
}

TEST_F(VersionTableTest, GivesNoNumberTwice) {
  VersionTable versions = table();
  for (int i = 2; i < 6; ++i) versions.activate(versions.add(version(i)).number, {}, SwitchCause::reload, "test");
  versions.prune(1);
  EXPECT_THAT(numbers(versions), ElementsAre(5));
  EXPECT_EQ(versions.add(version(7)).number, 6U);
}

TEST_F(VersionTableTest, NeverPrunesTheActiveOne) {
  VersionTable versions = table();
  for (int i = 2; i < 6; ++i) versions.add(version(i));
  versions.prune(2);
  EXPECT_THAT(numbers(versions), ElementsAre(1, 5));
  versions.prune(1);
  EXPECT_THAT(numbers(versions), ElementsAre(1));
}

TEST_F(VersionTableTest, FindsCodeItHasSeen) {
  VersionTable versions = table();
  versions.add(version(2));
  ASSERT_NE(versions.find(engine_.artifact("code2")->id()), nullptr);
  EXPECT_EQ(versions.find(engine_.artifact("code3")->id()), nullptr);
}

TEST_F(VersionTableTest, NamesThoseItKeeps) {
  VersionTable versions = table();
  versions.add(version(2));
  const auto missing = versions.require("m", 9);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::version_not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("1, 2"));
}

TEST_F(VersionTableTest, KnowsWhatWasActiveBefore) {
  VersionTable versions = table();
  versions.activate(versions.add(version(2)).number, {}, SwitchCause::reload, "test");
  versions.activate(versions.add(version(3)).number, {}, SwitchCause::reload, "test");
  EXPECT_EQ(versions.number_before(), 2U);
  versions.activate(1, {}, SwitchCause::rollback, "test");
  EXPECT_EQ(versions.number_before(), 3U);
}

TEST_F(VersionTableTest, ForgetsOldSwitches) {
  VersionTable versions = table();
  versions.add(version(2));
  for (std::size_t i = 0; i < kSwitchesKept; ++i) versions.activate(1 + i % 2, {}, SwitchCause::activate, "test");
  EXPECT_EQ(versions.switches().size(), kSwitchesKept);
  EXPECT_EQ(versions.switches().front().cause, SwitchCause::activate);
}

TEST_F(VersionTableTest, FollowsRenamesThereAndBack) {
  VersionTable versions = table();
  versions.add(version(2, {{"a", "b"}}, 1));
  versions.add(version(3, {{"b", "c"}}, 2));
  versions.add(version(4, {{"x", "y"}}, 1));
  EXPECT_THAT(versions.renames_between(1, 3), ElementsAre(StateRename{"a", "c"}));
  EXPECT_THAT(versions.renames_between(3, 1), ElementsAre(StateRename{"c", "a"}));
  EXPECT_THAT(versions.renames_between(3, 4), ElementsAre(StateRename{"c", "a"}, StateRename{"x", "y"}));
  EXPECT_THAT(versions.renames_between(2, 2), IsEmpty());
}

StateHints joined(std::initializer_list<StateHints> all) {
  JoinedRenames renames;
  for (const StateHints& one : all) renames.add(one);
  return std::move(renames).take();
}

TEST(Renames, ThereAndBackAreNone) { EXPECT_THAT(joined({{{"a", "b"}}, {{"b", "a"}}}), IsEmpty()); }

TEST(Renames, AreMadeAtOnce) {
  EXPECT_THAT(joined({{{"a", "b"}, {"b", "a"}}, {{"b", "a"}, {"a", "c"}}}), ElementsAre(StateRename{"b", "c"}));
  EXPECT_THAT(joined({{{"a", "b"}}, {{"b", "c"}, {"b", "d"}}, {{"x", "y"}}}),
              ElementsAre(StateRename{"a", "c"}, StateRename{"x", "y"}));
  EXPECT_THAT(joined({{{"a", "b"}}, {{"b", "a"}}, {{"a", "c"}}}), ElementsAre(StateRename{"a", "c"}));
}

// A reload waits for this while it holds a lock of the sandbox, and an archive says how many there are.
TEST_F(VersionTableTest, FollowsAsManyRenamesAsAnArchiveCanHave) {
  VersionTable versions = table();
  for (int number = 2; number <= 60; ++number) {
    StateHints renames;
    for (std::size_t field = 0; field < kStateFieldsMax; ++field)
      renames.push_back({fmt::format("{}-{}", number, field), fmt::format("{}+{}", number, field)});
    versions.add(version(number % 20, std::move(renames), static_cast<std::uint64_t>(number) - 1));
  }
  const std::uint64_t before = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  EXPECT_THAT(versions.renames_between(1, 60), SizeIs(59 * kStateFieldsMax));
  EXPECT_LT(kernel_ns(CLOCK_THREAD_CPUTIME_ID) - before, 2'000'000'000U);
}

}  // namespace
}  // namespace petri
