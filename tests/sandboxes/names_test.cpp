// Children of the spec and those that guests spawn have one table of names: none can take the place of another.
#include "petri/host_functions.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

constexpr auto kNameTaken = static_cast<std::int32_t>(GuestError::already_exists);

// Spawns a child of the module `counter` under this id, and keeps the answer. `init`: as it starts.
std::string spawner(const std::string& id, bool init) {
  const std::string spec = R"({\"id\":\")" + id + R"(\",\"module\":\"counter\",\"restart\":\"temporary\"})";
  const std::size_t length = spec.size() - 12;  // each quote has a backslash here
  return R"((module (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) ")" +
         spec + R"(")
    (global $answer (mut i32) (i32.const 77))
    (func $go (global.set $answer (call $spawn (i32.const 0) (i32.const )" +
         std::to_string(length) + R"())))
    (func (export "go") (result i32) (call $go) (global.get $answer))
    (func (export "answer") (result i32) (global.get $answer))
    (func (export "petri_init") (result i32) )" +
         std::string(init ? "(call $go)" : "") + R"((i32.const 0))
    (func (export "petri_handle") (result i32) (i32.const 0))))";
}

class NamesTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  Sandbox with_spawner(const std::string& spawned, bool init, const std::vector<TreeChild>& others) {
    SandboxSpec spec = counter();
    spec.tier = GetParam();
    spec.modules.push_back({"spawner", Source::wat(spawner(spawned, init))});
    spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "a", .module = "spawner"}}};
    spec.tree->children.insert(spec.tree->children.end(), others.begin(), others.end());
    return create(spec);
  }
  static TreeChild child(const std::string& id) { return TreeChild(ChildSpec{.id = id, .module = "counter"}); }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, NamesTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// The host once ended with an assertion.
TEST_P(NamesTest, OfChildrenThatHaveNotStartedYetAreTaken) {
  Sandbox sandbox = with_spawner("b", true, {child("b")});
  EXPECT_EQ(testing::not_value(call(sandbox, "answer", "a"), Value(kNameTaken)), "");
  EXPECT_EQ(next(sandbox, "b"), 1);
  EXPECT_EQ(sandbox.usage().processes, 2U);
}

TEST_P(NamesTest, OfSupervisorsAreTaken) {
  SupervisorSpec inner{.id = "sup", .children = {child("c")}};
  Sandbox sandbox = with_spawner("sup", false, {TreeChild(inner)});
  EXPECT_EQ(testing::not_value(call(sandbox, "go", "a"), Value(kNameTaken)), "");
  EXPECT_EQ(next(sandbox, "sup/c"), 1);
}

TEST_P(NamesTest, OfSpawnedChildrenAreTaken) {
  Sandbox sandbox = with_spawner("k", false, {});
  EXPECT_EQ(testing::not_value(call(sandbox, "go", "a"), Value(0)), "");
  EXPECT_EQ(next(sandbox, "k"), 1);
  const auto started = sandbox.start_child(child("k"));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::start_failed);
  EXPECT_EQ(started.error().message, "the child \"k\" could not be started: a guest has spawned a child of the name k");
  const SupervisorSpec wanted{.children = {ChildSpec{.id = "a", .module = "spawner"}, child("k")}};
  EXPECT_EQ(testing::not_error(sandbox.update_tree(wanted), ErrorCode::start_failed), "");
  EXPECT_EQ(next(sandbox, "k"), 2) << "it is as it was";
}

}  // namespace
}  // namespace petri
