// For tests of records files: one that is written, changed and verified.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "evaluation/candidate_set_fixture.h"
#include "petri/records.h"

namespace petri {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class RecordsTest : public testing::Test {
 protected:
  // Writes a records file and leaves it in file_.
  Evaluation write(const CandidateSet& population, std::span<const Case> cases,
                   const EvaluationSpec& spec = small_spec(), EvaluationOptions options = {}) {
    auto writer = RecordsWriter::create(file_.path());
    EXPECT_TRUE(writer) << writer.error().message;
    options.records = writer->get();
    Evaluation evaluation = evaluate(evaluator_, population, cases, spec, options);
    EXPECT_TRUE((*writer)->close());
    return evaluation;
  }
  Verification verified(const VerifyOptions& options = {}) const {
    const auto verification = verify(file_.path(), {}, options);
    EXPECT_TRUE(verification) << verification.error().message;
    return verification.value_or(Verification{});
  }

  Evaluator evaluator_;
  TestFile file_;
};

}  // namespace petri
