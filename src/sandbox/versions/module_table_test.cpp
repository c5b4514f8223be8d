#include "sandbox/versions/module_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "host/link.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class ModuleTableTest : public ::testing::Test {
 protected:
  static ModuleCodePtr code(int number, std::string_view imports = "") {
    const std::string text =
        fmt::format(R"((module {} (func (export "number") (result i32) (i32.const {}))))", imports, number);
    const auto artifact = *Artifact::from_wat(text, 1 << 20);
    const auto linked = *link(loadable(*artifact), HostFunctions(), Permissions::standard(), Neighbours::may_be);
    const auto loaded = *loadable(*artifact).load(Tier::interpreted, linked.imports);
    return make_module_code(artifact, linked.imports, loaded, nullptr, linked.from_modules);
  }
  static ModuleCodePtr user_of(std::string_view module) {
    return code(0, fmt::format(R"((import "{}" "number" (func (result i32))))", module));
  }
  static Version version(const ModuleCodePtr& code) { return {.artifact = code->artifact, .code = code, .source = {}}; }
  ModuleTable::Commit at(Clock::Duration now) const {
    return {.actor = "test", .trial = {.calls = 10, .time = 60s}, .now = Clock::TimePoint(now), .versions_max = 10};
  }
  // A change whose processes' state is kept.
  ModuleChanges change_to(const std::string& module, int number) {
    ModuleChanges changes;
    changes.push_back(*table_.change_to(module, version(code(number)), {}));
    EXPECT_TRUE(table_.link(changes, {}));
    for (ModuleChange& change : changes) {
      change.module_switch = std::make_unique<ModuleSwitch>(
          SwitchTerms{.module = change.name,
                      .keep = std::make_shared<SwitchSnapshot>(account_, change.from_number, change.to_number)});
    }
    return changes;
  }
  std::uint64_t active(std::string_view module) const { return table_.active(module)->number; }
  template <typename T>
  static std::string refusal(const Result<T>& result) {
    return result ? "" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
  }

  const std::string id_ = "a";
  TreeAccount account_{std::make_shared<const SandboxLimits>()};
  ModuleTable table_{id_, {}};
};

TEST_F(ModuleTableTest, ClaimsAModuleTogetherWithThoseThatDependOnIt) {
  table_.put("library", code(1), {}, {});
  table_.put("user", user_of("library"), {}, {});
  table_.put("other", code(2), {}, {});
  std::vector<std::string> first{"library"}, second{"user"}, third{"other"};
  ASSERT_TRUE(table_.claim(first));
  EXPECT_THAT(first, ElementsAre("library", "user"));
  EXPECT_EQ(refusal(table_.claim(second)), "busy: the module user is being changed already: try again later");
  EXPECT_TRUE(table_.claim(third));
  EXPECT_FALSE(table_.release(first));
  EXPECT_TRUE(table_.release(third)) << "none is claimed any more";
}

TEST_F(ModuleTableTest, ClaimsAllOrNone) {
  table_.put("one", code(1), {}, {});
  std::vector<std::string> unknown{"one", "x", "y"}, twice{"one", "one"}, once{"one"};
  EXPECT_EQ(refusal(table_.claim(unknown)), "not_found: the sandbox a has no module x, y");
  EXPECT_EQ(refusal(table_.claim(twice)), "validation_failed: the module one is named twice");
  EXPECT_TRUE(table_.claim(once));
}

TEST_F(ModuleTableTest, GivesCodeThatItKnowsNoOtherNumber) {
  table_.put("one", code(1), {}, {});
  const auto staged = table_.stage("one", version(code(2)), 10);
  ASSERT_TRUE(staged);
  EXPECT_TRUE(staged->is_new);
  EXPECT_EQ(staged->version.number, 2U);
  EXPECT_EQ(staged->active, 1U);
  EXPECT_FALSE(table_.stage("one", version(code(2)), 10)->is_new);
  EXPECT_EQ(table_.change_to("one", version(code(2)), {})->to_number, 2U);
  EXPECT_EQ(table_.change_to("one", version(code(3)), {})->to_number, 3U);
  EXPECT_EQ(refusal(table_.change_to_kept("one", 0, {})),
            "version_not_found: no version of one is kept that was active before 1");
}

TEST_F(ModuleTableTest, LinksAModuleWhenItIsFirstStarted) {
  table_.put("library", code(1), {}, {});
  table_.put("user", user_of("library"), {}, {});
  EXPECT_TRUE(*table_.check_all_links());
  EXPECT_EQ(table_.active("user")->code->linked, nullptr);
  EXPECT_NE(table_.active_to_start("user")->code->linked, nullptr);
  EXPECT_NE(table_.active("user")->code->linked, nullptr);
  EXPECT_THAT(*table_.dependencies("user"), ElementsAre("library"));
  EXPECT_THAT(*table_.reload_order(), ElementsAre("library", "user"));
}

TEST_F(ModuleTableTest, CommitsAChangeWithThoseLinkedToIt) {
  table_.put("library", code(1), {}, {});
  table_.put("user", user_of("library"), {}, {});
  ModuleChanges changes = change_to("library", 2);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(changes[1].is_relink());
  ASSERT_TRUE(table_.commit(changes, at(1s)));
  EXPECT_EQ(active("library"), 2U);
  EXPECT_EQ(active("user"), 1U);
  EXPECT_EQ(table_.versions("library")->switches().back().actor, "test");
}

TEST_F(ModuleTableTest, ChangesNothingWhenAnotherCameMeanwhile) {
  table_.put("library", code(1), {}, {});
  ModuleChanges changes = change_to("library", 2);
  ASSERT_TRUE(table_.add("late", VersionTable(version(user_of("library")), SwitchCause::load, "test")));
  EXPECT_EQ(refusal(table_.commit(changes, at(1s))), "busy: the module late came or was changed meanwhile: try again");
  EXPECT_EQ(active("library"), 1U);
}

TEST_F(ModuleTableTest, KnowsTheWayBackDuringTheTrial) {
  table_.put("one", code(1), {}, {});
  ModuleChanges changes = change_to("one", 2);
  ASSERT_TRUE(table_.commit(changes, at(1s)));
  const TrialPeriod& trial = *changes[0].module_switch->trial();
  const auto crash = [&](Clock::Duration now) {
    return table_.add_crash(trial, {nullptr, fail(ErrorCode::host_fault, "it broke")}, Clock::TimePoint(now));
  };
  EXPECT_EQ(table_.last_switch_of("one")->size(), 1U);
  EXPECT_FALSE(table_.first_crash("one").has_value());
  EXPECT_EQ(crash(2s), ModuleTable::CrashIs::first);
  EXPECT_EQ(crash(62s), ModuleTable::CrashIs::another) << "until it is done they are rolled back together";
  EXPECT_EQ(table_.first_crash("one")->error().message, "it broke");
  EXPECT_EQ(table_.take_crashes("one").size(), 2U);
  EXPECT_THAT(table_.take_crashes("one"), IsEmpty());
  EXPECT_EQ(crash(62s), ModuleTable::CrashIs::nothing) << "the trial is over";
}

TEST_F(ModuleTableTest, NamesWhatWasSwitchedShortlyBefore) {
  table_.put("one", code(1), {}, {});
  table_.put("two", code(1), {}, {});
  ModuleChanges one = change_to("one", 2), two = change_to("two", 2);
  ASSERT_TRUE(table_.commit(one, at(10s)));
  ASSERT_TRUE(table_.commit(two, at(50s)));
  const auto recent = table_.switched_before(Clock::TimePoint(70s), 60s);
  EXPECT_THAT(recent.modules, ElementsAre("two"));
  EXPECT_EQ(recent.switched, Clock::Duration(20s));
  ModuleChanges back;
  back.push_back(*table_.change_to_kept("two", 0, {}));
  table_.commit_without_state(back, {.cause = SwitchCause::recovery, .actor = "petri"});
  EXPECT_EQ(active("two"), 1U);
  EXPECT_THAT(table_.switched_before(Clock::TimePoint(70s), 60s).modules, IsEmpty()) << "nobody asked for that";
}

TEST_F(ModuleTableTest, KnowsOnlyThatTheSandboxIsGoneOnceItIsClosed) {
  table_.put("one", code(1), {}, {});
  table_.close();
  const std::string gone = "not_found: there is no sandbox a: it was destroyed";
  std::vector<std::string> names{"one"};
  EXPECT_EQ(refusal(table_.active("one")), gone);
  EXPECT_EQ(refusal(table_.versions("one")), gone);
  EXPECT_EQ(refusal(table_.must_be_new("one")), gone);
  EXPECT_EQ(refusal(table_.claim(names)), gone);
  EXPECT_THAT(table_.names(), IsEmpty());
}

}  // namespace
}  // namespace petri
