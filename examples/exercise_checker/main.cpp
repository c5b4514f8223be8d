// A checker for student exercises: compiles what was handed in, runs it on the cases of the exercise under limits, and
// says to each student what happened.
#include <petri/compile.h>
#include <petri/evaluate.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>

#include "shared/example.h"

namespace exercise_checker {
namespace {

using petri::Result;

// Write gcd(a, b), the greatest common divisor.
struct Expectation {
  int a, b, gcd;
};
constexpr std::uint64_t kFuelOfAGoodSolution = 1'000;  // for all cases
constexpr Expectation kCases[]{{12, 18, 6}, {7, 13, 1}, {0, 5, 5}, {9, 0, 9}, {4'000, 3'000, 1'000}, {1, 1, 1}};

struct Submission {
  std::string student;
  petri::ArtifactPtr artifact;  // nullptr: it does not compile,
  std::string complaint;        // and that is why
};

// The text of the compiler names the student's own lines, and no path of this machine.
Submission compile(const std::filesystem::path& file) {
  Submission submission{.student = file.stem()};
  const auto report = petri::compile(petri::Source::file(file));
  if (!report) {
    submission.complaint = report.error().message;
  } else if (report->error) {
    submission.complaint = report->diagnostics.empty() ? report->error->message : line_of(report->diagnostics.front());
  } else {
    submission.artifact = report->modules.front().artifact;
  }
  return submission;
}

Result<std::vector<Submission>> collect(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(folder + "/submissions", failed)) files.push_back(file);
  if (failed) {
    return petri::fail(petri::ErrorCode::io_error, folder + "/submissions cannot be read: " + failed.message());
  }
  std::ranges::sort(files);
  std::vector<Submission> submissions;
  for (const auto& file : files) submissions.push_back(compile(file));
  return submissions;
}

std::vector<petri::Case> cases() {
  std::vector<petri::Case> all;
  for (const Expectation& expected : kCases) all.push_back({.arguments = {expected.a, expected.b}, .input = {}});
  return all;
}

std::string call_text(const Expectation& expected) {
  return "gcd(" + std::to_string(expected.a) + ", " + std::to_string(expected.b) + ")";
}

// The first case that went wrong; empty if none did.
std::string first_mistake(const petri::Record& record) {
  for (std::size_t i = 0; i < record.kinds.size(); ++i) {
    const auto value = record.value(i);
    if (value == petri::Value(kCases[i].gcd)) continue;
    const std::string call = call_text(kCases[i]);
    if (value) return call + " is " + std::to_string(kCases[i].gcd) + ", not " + to_text(*value);
    const std::string trap = record.trap && record.first_failure == i ? " " + std::string(name_of(*record.trap)) : "";
    return call + " ended: " + std::string(name_of(record.kinds[i])) + trap;
  }
  return {};
}

std::size_t passed(const petri::Record& record) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < record.kinds.size(); ++i) count += record.value(i) == petri::Value(kCases[i].gcd) ? 1 : 0;
  return count;
}

void print(const Submission& submission, const petri::Record& record) {
  std::cout << std::left << std::setw(6) << submission.student << passed(record) << " of " << std::size(kCases) << "  ";
  if (record.error) return void(std::cout << record.message << '\n');
  const std::string mistake = first_mistake(record);
  const char* praise = record.fuel_used <= kFuelOfAGoodSolution ? "correct, in few steps" : "correct, in many steps";
  std::cout << (mistake.empty() ? praise : mistake) << '\n';
}

Result<void> check(const std::vector<std::string>& arguments) {
  PETRI_TRY(const std::string folder, example::folder_of(arguments));
  PETRI_TRY(const std::vector<Submission> submissions, collect(folder));
  std::vector<petri::Candidate> candidates;
  for (const Submission& submission : submissions) {
    candidates.push_back(
        submission.artifact != nullptr
            ? petri::Candidate::artifact(submission.artifact)
            : petri::Candidate::unread(
                  {.code = petri::ErrorCode::compilation_failed, .message = submission.complaint, .details = {}}));
  }
  petri::Evaluator evaluator;
  PETRI_TRY(const auto evaluation, evaluator.evaluate(candidates, cases(), {.function = "gcd", .fuel_max = 100'000}));
  for (std::size_t i = 0; i < submissions.size(); ++i) print(submissions[i], evaluation.records[i]);
  return {};
}

}  // namespace
}  // namespace exercise_checker

int main(int count, char** words) { return example::run(count, words, exercise_checker::check); }
