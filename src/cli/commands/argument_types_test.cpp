#include "cli/commands/argument_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum ValueType;

class ArgumentTypes : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }
  void add(const std::string& name, std::string_view contents) {
    paths_.push_back(testing::TempDir() + "petri_types_" + name);
    std::ofstream(paths_.back(), std::ios::binary) << contents;
  }
  Result<std::vector<ValueType>> find(std::size_t arguments) const {
    return find_argument_types(paths_, {.name = "f", .arguments = arguments, .module_bytes_max = 1'000});
  }

  std::vector<std::string> paths_;
};

TEST_F(ArgumentTypes, AreThoseOfTheFirstCandidateThatFits) {
  add("0.wat", "(module (func (export \"g\") (param i32 i32)))");
  add("1.wat", "(module");
  add("2.wasm", "(module (func (export \"f\") (param i32 i32)))");
  add("3.wat", "(module (memory (export \"f\") 1))");
  add("4.wat", "(module (func (export \"f\") (param f32)))");
  add("5.wat", "(module (func (export \"f\") (param i64 f64)))");
  add("6.wat", "(module (func (export \"f\") (param f64 f64)))");
  const auto types = find(2);
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_THAT(*types, ElementsAre(i64, f64));
}

TEST_F(ArgumentTypes, AreUnknownWhenNobodyHasTheFunction) {
  add("0.wat", "(module (func (export \"f\") (param f32)))");
  EXPECT_EQ(find(2).error().code, ErrorCode::not_found);
  EXPECT_THAT(find(2).error().message, HasSubstr("the candidate has no function \"f\" that takes 2 arguments"));
  EXPECT_THAT(find(2).error().message, HasSubstr("0.wat is (f32) -> ()"));
  add("1.wat", "(module)");
  EXPECT_THAT(find(3).error().message, HasSubstr("none of the 2 candidates"));
}

TEST_F(ArgumentTypes, AreNotLookedForInModulesThatAreTooLarge) {
  add("0.wat", "(module (func (export \"f\") (param f32)))" + std::string(1'000, ' '));
  EXPECT_FALSE(find(1));
}

}  // namespace
}  // namespace petri::cli
