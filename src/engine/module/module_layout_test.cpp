#include "engine/module/module_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/engine.h"

namespace petri {
namespace {

ArtifactPtr artifact(std::string_view text) {
  auto made = Artifact::from_wat(text, 1 << 20);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

Result<void> check(std::string_view from, std::string_view to) {
  const ArtifactPtr old_version = artifact(from);
  const ArtifactPtr new_version = artifact(to);
  return check_same_layout(loadable(*old_version), loadable(*new_version));
}

constexpr std::string_view kOld = R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1))
  (global f64 (f64.const 2)) (data (i32.const 8) "data") (func (export "f"))))";

TEST(ModuleLayout, IsTheSameWhateverTheCode) {
  EXPECT_TRUE(check(kOld, kOld));
  EXPECT_TRUE(check(kOld, R"((module $named (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1))
    (global $k f64 (f64.const 2)) (data (i32.const 8) "data") (@custom "mine" "x")
    (func (export "f") (drop (global.get $k))) (func (export "g") (result i32) (i32.const 1))))"));
  EXPECT_TRUE(check("(module)", "(module (func (export \"f\")))"));
}

struct Difference {
  std::string_view other;
  std::string_view named;
};

class ModuleLayoutDifference : public testing::TestWithParam<Difference> {};

TEST_P(ModuleLayoutDifference, IsNamed) {
  for (const bool backwards : {false, true}) {
    const auto result = backwards ? check(GetParam().other, kOld) : check(kOld, GetParam().other);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::state_incompatible);
    EXPECT_THAT(result.error().message, testing::HasSubstr(std::string(GetParam().named)));
  }
}

constexpr std::string_view kGlobals = "globals differ";
constexpr std::string_view kData = "data segments differ";

INSTANTIATE_TEST_SUITE_P(
    Differences, ModuleLayoutDifference,
    testing::Values(
        Difference{R"((module (memory 1) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   "declarations of memory differ"},
        Difference{R"((module (memory 2 4) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   "declarations of memory differ"},
        Difference{R"((module (memory 1 4) (table 3 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   "tables differ"},
        Difference{R"((module (memory 1 4) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   "tables differ"},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 2)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   kGlobals},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global i32 (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "data")))",
                   kGlobals},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f32 (f32.const 2))
          (data (i32.const 8) "data")))",
                   kGlobals},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1))
          (data (i32.const 8) "data")))",
                   kGlobals},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 8) "date")))",
                   kData},
        Difference{R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))
          (data (i32.const 9) "data")))",
                   kData},
        Difference{
            R"((module (memory 1 4) (table 2 funcref) (global (mut i32) (i32.const 1)) (global f64 (f64.const 2))))",
            kData},
        Difference{R"((module (memory 1 4) (table $t 2 funcref) (global (mut i32) (i32.const 1))
          (global f64 (f64.const 2)) (data (i32.const 8) "data") (elem declare func $f)
          (func $f (table.set $t (i32.const 0) (ref.func $f)))))",
                   "is not movable, because it writes a table while it runs"}));

TEST(ModuleLayout, SaysWhichVersionIsNotMovable) {
  constexpr std::string_view kFixed = "(module (global (mut funcref) (ref.null func)))";
  EXPECT_THAT(check(kFixed, "(module)").error().message, testing::HasSubstr("the old one is not movable"));
  EXPECT_THAT(check("(module)", kFixed).error().message, testing::HasSubstr("the new one is not movable"));
}

}  // namespace
}  // namespace petri
