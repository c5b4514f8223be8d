#include "engine/module/hook_exports.h"

#include <gtest/gtest.h>

#include <string>

#include "petri/artifact.h"

namespace petri {
namespace {

struct HookCase {
  const char* body;         // of a module
  const char* export_name;  // the one that is refused; nullptr: the module is accepted
};

Result<ArtifactPtr> prepare_body(const std::string& body) {
  return Artifact::from_wat("(module " + body + ")", 1 << 20);
}

// E06
TEST(HookExports, OfAnotherKindOrTypeAreRejectedByName) {
  const HookCase cases[] = {
      {R"((func (export "petri_init") (param i32) (result i32) unreachable))", "petri_init"},
      {R"((func (export "petri_init")))", "petri_init"},
      {R"((func (export "petri_save") (result i64) unreachable))", "petri_save"},
      {R"((func (export "petri_load") (result i32 i32) unreachable))", "petri_load"},
      {R"((func (export "petri_migrate") (result f32) unreachable))", "petri_migrate"},
      {R"((func (export "petri_ready") (param i32)))", "petri_ready"},
      {R"((func (export "petri_terminate") (result i64) unreachable))", "petri_terminate"},
      {R"((global (export "petri_handle") i32 (i32.const 0)))", "petri_handle"},
      {R"((memory (export "petri_handle") 1))", "petri_handle"},
      {R"((func (export "petri_state") (result i32) unreachable))", "petri_state"},
      {R"((global (export "petri_state") (mut i32) (i32.const 0)))", "petri_state"},
      {R"((global (export "petri_state") i64 (i64.const 0)))", "petri_state"},
      {R"((func (export "_start") (result i32) unreachable))", "_start"},
      {R"((func (export "_start") (param i32)))", "_start"},
      {R"((table (export "_initialize") 1 funcref))", "_initialize"},
  };
  for (const HookCase& hook : cases) {
    const auto artifact = prepare_body(hook.body);
    ASSERT_FALSE(artifact) << hook.body;
    EXPECT_EQ(artifact.error().code, ErrorCode::rejected) << hook.body;
    EXPECT_EQ(artifact.error().detail("export"), hook.export_name) << hook.body;
    EXPECT_NE(artifact.error().message.find(hook.export_name), std::string::npos) << artifact.error().message;
  }
}

TEST(HookExports, OfTheRightTypeAreAccepted) {
  const auto artifact = prepare_body(R"(
    (func (export "petri_init") (export "petri_handle") (export "petri_terminate") (export "petri_save")
          (export "petri_load") (export "petri_migrate") (export "petri_ready") (result i32) i32.const 0)
    (func (export "_start") (export "_initialize"))
    (global (export "petri_state") i32 (i32.const 8)))");
  EXPECT_TRUE(artifact) << artifact.error().message;
}

TEST(HookExports, OtherNamesMayBeAnything) {
  EXPECT_TRUE(
      prepare_body(R"((memory (export "petri_") 1) (func (export "petri_mine") (param i64)) (func (export "__x")))"));
}

}  // namespace
}  // namespace petri
