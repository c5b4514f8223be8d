#include "petri/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kLarge = 1 << 20;

ArtifactPtr prepare(std::string_view text) {
  auto artifact = Artifact::from_wat(text, kLarge);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

constexpr std::string_view kDescribed = R"((module
  (import "petri" "output_write" (func (param i32 i32) (result i32)))
  (import "game" "\1b[31m" (func))
  (memory (export "memory") 2 7)
  (table 3 funcref)
  (global (export "counter") (mut i64) (i64.const 1))
  (global (export "limit") f32 (f32.const 2))
  (func $pair (export "pair") (param f64) (result i32 i64) (i32.const 1) (i64.extend8_s (i64.const 2)))
  (func $secret)
  (func (export "twin"))
  (start $secret)))";

TEST(WasmArtifact, ReportsWhatAModuleNeedsAndOffers) {
  const ArtifactPtr artifact = prepare(kDescribed);
  ASSERT_EQ(artifact->imports().size(), 2U);
  EXPECT_EQ(artifact->imports()[0].module, "petri");
  EXPECT_EQ(artifact->imports()[0].name, "output_write");
  EXPECT_EQ(to_text(artifact->imports()[0].signature), "(i32 i32) -> i32");
  EXPECT_EQ(artifact->imports()[1].name, "\x1b[31m");

  const ExportInfo* pair = artifact->find_export("pair");
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair->kind, ExternKind::function);
  EXPECT_EQ(pair->index, 2U);
  EXPECT_EQ(to_text(pair->signature), "(f64) -> (i32 i64)");
  EXPECT_EQ(artifact->find_export("counter")->global_type, ValueType::i64);
  EXPECT_TRUE(artifact->find_export("counter")->global_mutable);
  EXPECT_FALSE(artifact->find_export("limit")->global_mutable);
  EXPECT_EQ(artifact->find_export("memory")->kind, ExternKind::memory);
  EXPECT_EQ(artifact->find_export("secret"), nullptr);
}

TEST(WasmArtifact, ReportsSizesFeaturesAndMovability) {  // X14
  const ArtifactPtr artifact = prepare(kDescribed);
  const ModuleInfo& info = artifact->info();
  EXPECT_EQ(info.functions, 3U);
  EXPECT_EQ(info.memory_pages_min, 2U);
  EXPECT_EQ(info.memory_pages_max, 7U);
  EXPECT_EQ(info.table_slots_min, 3U);
  EXPECT_TRUE(info.has_start);
  EXPECT_GT(info.metered_bytes, info.bytes);
  EXPECT_THAT(info.features, ElementsAre("mutable globals", "sign extension", "multi-value"));
  EXPECT_THAT(info.not_movable_because, IsEmpty());

  const ArtifactPtr fixed =
      prepare("(module (table 1 funcref) (func (drop (table.grow (ref.null func) (i32.const 1)))))");
  EXPECT_THAT(fixed->info().not_movable_because, ElementsAre(HasSubstr("writes a table")));
  EXPECT_FALSE(fixed->info().memory_pages_max);
}

TEST(WasmArtifact, IsKnownByTheHashOfItsBytes) {
  // SHA-256 of 00 61 73 6d 01 00 00 00.
  const std::uint8_t empty[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  const auto artifact = Artifact::from_wasm(empty, kLarge);
  ASSERT_TRUE(artifact);
  EXPECT_EQ((*artifact)->id().hex(), "93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476");
  EXPECT_THAT((*artifact)->bytes(), testing::ElementsAreArray(empty));
  EXPECT_EQ((*artifact)->info().id, (*artifact)->id());
}

TEST(WasmArtifact, NamesFunctionsByNameSectionThenExport) {
  const ArtifactPtr artifact = prepare(kDescribed);
  EXPECT_EQ(artifact->function_name(2), "pair");
  EXPECT_EQ(artifact->function_name(3), "secret");
  EXPECT_EQ(artifact->function_name(4), "twin");
  EXPECT_EQ(artifact->function_name(0), "");
  EXPECT_EQ(artifact->function_name(99), "");
}

TEST(WasmArtifact, IsDescribedOnceForAllThreads) {
  const ArtifactPtr artifact = prepare(kDescribed);
  const std::vector<ExportInfo>* seen[4] = {};
  {
    std::vector<std::jthread> threads;
    for (auto& slot : seen) threads.emplace_back([&slot, &artifact] { slot = &artifact->exports(); });
  }
  for (const auto* exports : seen) EXPECT_EQ(exports, &artifact->exports());
}

// Q15
TEST(WasmArtifact, MayHaveExactlyModuleBytesMax) {
  const ArtifactPtr artifact = prepare(kDescribed);
  const std::uint64_t size = artifact->bytes().size();
  EXPECT_TRUE(Artifact::from_wasm(artifact->bytes(), size));
  const auto refused = Artifact::from_wasm(artifact->bytes(), size - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::module_too_large);
  EXPECT_EQ(Artifact::from_wat(kDescribed, kDescribed.size() - 1).error().code, ErrorCode::module_too_large);
}

// D01, D09, B07: what is not wasm is never tried as text.
TEST(WasmArtifact, RejectsWhatIsNotWasm) {
  for (const std::string_view bytes :
       {std::string_view(), std::string_view("\0", 1), std::string_view("\0asm", 4), std::string_view("\0asm\1\0\0", 7),
        std::string_view("(module)"), std::string_view("\0asm\2\0\0\0", 8),
        std::string_view("\x7f"
                         "ELF")}) {
    const auto artifact =
        Artifact::from_wasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, kLarge);
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().code, ErrorCode::rejected) << artifact.error().message;
    EXPECT_THAT(artifact.error().message, HasSubstr("WebAssembly"));
  }
}

// C03, C05, D11
TEST(WasmArtifact, SaysWhereTextDoesNotParse) {
  const auto artifact = Artifact::from_wat("(module\n  (func)\n    (fnc))", kLarge);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, ErrorCode::parse_failed);
  EXPECT_EQ(artifact.error().detail("line"), "3");
  EXPECT_EQ(artifact.error().detail("column"), "6");
  for (const std::string_view blank : {"", " \n\t"}) {
    EXPECT_EQ(Artifact::from_wat(blank, kLarge).error().code, ErrorCode::parse_failed);
  }
  EXPECT_EQ(Artifact::from_wat("(module (func $x \"\xff\"))", kLarge).error().code, ErrorCode::parse_failed);
}

// hostile B03, hostile B04
TEST(WasmArtifact, RejectsMinimumsBeyondTheBounds) {
  EXPECT_EQ(Artifact::from_wat("(module (memory 65536))", kLarge).error().code, ErrorCode::rejected);
  EXPECT_EQ(Artifact::from_wat("(module (table 4294967295 funcref))", kLarge).error().code, ErrorCode::rejected);
}

}  // namespace
}  // namespace petri
