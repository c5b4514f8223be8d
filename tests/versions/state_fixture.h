// For tests of state: a sandbox of one module, and its state as JSON.
#pragma once

#include "state_guests.h"

namespace petri {

class StateTest : public VersionsFixture {
 protected:
  static SandboxSpec made_of(Source source, Tier tier = Tier::interpreted) {
    SandboxSpec made{.id = "a", .modules = {{"service", std::move(source)}}};
    made.tier = tier;
    return made;
  }
  static std::string json(Sandbox& sandbox, std::string_view process = {}) {
    const auto state = sandbox.state(process);
    return state ? to_json(*state) : state.error().message;
  }
  static std::int64_t integer(Sandbox& sandbox, std::string_view name, std::uint32_t index = 0) {
    const auto state = sandbox.state();
    const auto value = state ? state->get(name, index) : fail(state.error());
    EXPECT_TRUE(value) << value.error().message;
    return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value) : -1;
  }
  static void set(Sandbox& sandbox, std::string name, StateValue value, std::uint32_t index = 0) {
    const auto updated = sandbox.update_state({{std::move(name), std::move(value), index}});
    EXPECT_TRUE(updated) << updated.error().message;
  }
  static ReloadOptions with(ReloadPolicy policy) { return {.policy = std::move(policy)}; }
  static ReloadOptions dropping() { return with({.drop = true}); }
  // "count keep", "old drop", ...
  static std::vector<std::string> actions(const std::optional<StatePlan>& plan) {
    std::vector<std::string> all;
    if (!plan) return all;
    for (const StateStep& step : plan->steps()) {
      all.push_back(fmt::format("{} {}", step.to ? step.to->name : step.from->name, name_of(step.action)));
    }
    return all;
  }
  static std::string expect_reloaded(Sandbox& sandbox, const Source& source, const ReloadOptions& options = {}) {
    const auto report = sandbox.reload("service", source, options);
    return report ? "" : report.error().message;
  }
};

class StateInBothTiersTest : public StateTest, public ::testing::WithParamInterface<Tier> {};

}  // namespace petri
