// The bounds that hold for the modules of a sandbox: its spec chooses them, else its profile.
#include "petri/snapshot.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class BoundsTest : public RuntimeFixture {
 protected:
  // As deep as a `switch` of 600 cases. Text that deep is refused before it becomes wasm.
  static ArtifactPtr deep() {
    std::string text = "(module (func (export \"f\") (result i32) ";
    for (int i = 0; i < 600; ++i) text += "(block ";
    text += std::string(600, ')');
    return *Artifact::from_wat(text + " (i32.const 7)))", 1 << 20, ModuleBounds::program);
  }
  static SandboxSpec program(std::string id) {
    const ArtifactPtr artifact = deep();
    const auto bytes = artifact->bytes();
    return {.id = std::move(id), .modules = {{"m", Source::wasm({bytes.begin(), bytes.end()})}}};
  }
};

// hostile C02
TEST_F(BoundsTest, AreThoseOfCandidatesUnlessAskedOtherwise) {
  for (const Profile profile : {Profile::strict, Profile::standard}) {
    SandboxSpec spec = program("p");
    spec.profile = profile;
    const auto refused = runtime_->create_sandbox(spec);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::rejected);
    EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound nesting: 513 where 512 is the most"));
    EXPECT_THAT(refused.error().message, HasSubstr("; the bounds of the set program allow 4096"));
    static_cast<void>(runtime_->destroy("p"));
  }
}

TEST_F(BoundsTest, AreWideForProgramsByTheSpecOrTheProfile) {
  SandboxSpec asks = program("asks");
  asks.bounds = ModuleBounds::program;
  SandboxSpec trusted = program("trusted");
  trusted.profile = Profile::trusted;
  SandboxSpec own = program("own");
  own.profile = ProfileSpec(Profile::strict);
  own.profile->bounds = ModuleBounds::program;
  for (const SandboxSpec& spec : {asks, trusted, own}) {
    Sandbox sandbox = create(spec);
    EXPECT_EQ(testing::not_value(sandbox.call("f"), 7), "");
    EXPECT_EQ(sandbox.info().bounds, ModuleBounds::program);
    EXPECT_EQ(sandbox.info().limits.module_bytes_max, kProgramBytesMax);
  }
}

TEST_F(BoundsTest, AreReadFromJson) {
  const auto spec = SandboxSpec::from_json(R"({"id": "p", "modules": {}, "bounds": "program"})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->bounds, ModuleBounds::program);
  const auto wrong = SandboxSpec::from_json(R"({"id": "p", "modules": {}, "bounds": "wide"})");
  EXPECT_THAT(wrong.error().message, HasSubstr("candidate, program"));
}

// An artifact that was checked for programs is no way around the bounds of candidates.
TEST_F(BoundsTest, HoldForArtifactsThatWereCheckedByOthers) {
  const ArtifactPtr artifact = deep();
  EXPECT_EQ(artifact->bounds(), ModuleBounds::program);
  const auto refused = runtime_->create_sandbox({.id = "p", .modules = {{"m", Source::artifact(artifact)}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("exceeds the bound nesting"));
  const ArtifactPtr small = *Artifact::from_wat("(module (func (export \"f\")))", 1 << 20, ModuleBounds::program);
  EXPECT_TRUE(runtime_->create_sandbox({.id = "small", .modules = {{"m", Source::artifact(small)}}}));
}

// A refusal by one set is not remembered for the other, nor is what the other accepts.
TEST_F(BoundsTest, DoNotMixInOneRuntime) {
  SandboxSpec wide = program("wide");
  wide.bounds = ModuleBounds::program;
  EXPECT_FALSE(runtime_->create_sandbox(program("first")));
  EXPECT_TRUE(runtime_->create_sandbox(wide));
  EXPECT_FALSE(runtime_->create_sandbox(program("second")));
}

}  // namespace
}  // namespace petri
