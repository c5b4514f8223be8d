// For tests of batches: many counters, and a word for each row.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "runtime_fixture.h"

namespace petri {

class BatchesTest : public RuntimeFixture {
 protected:
  static std::vector<std::string> ids(int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(fmt::format("s{}", i));
    return all;
  }
  static std::vector<SandboxSpec> counters(int count) {
    std::vector<SandboxSpec> specs;
    for (const std::string& id : ids(count)) specs.push_back(counter(id));
    return specs;
  }
  void create_counters(int count) {
    for (const auto& row : runtime_->create_all(counters(count))) EXPECT_TRUE(row) << row.error();
  }
  // "ok" or the code of the error, of each row.
  template <typename T>
  static std::vector<std::string> words(const std::vector<Result<T>>& rows) {
    std::vector<std::string> all;
    for (const Result<T>& row : rows) all.emplace_back(row ? "ok" : name_of(row.error().code));
    return all;
  }
};

}  // namespace petri
