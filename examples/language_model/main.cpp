// A language model writes a function, petri runs it: each answer is compiled in a jail, called in a sandbox on the
// cases of the task, and what went wrong is in the next prompt. The best version so far answers all the while.
#include <petri/compile.h>
#include <petri/runtime.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "language_model/generator.h"
#include "shared/example.h"

namespace language_model {
namespace {

using petri::Result;
using petri::Sandbox;

constexpr int kAttemptsMax = 8;
constexpr const char* kTask =
    "Write a C function int digits(int n) that returns the sum of the decimal digits of n, or of -n where n is "
    "negative. Answer with one block of C code without includes. Put __attribute__((export_name(\"digits\"))) before "
    "the function.";

struct Expectation {
  int n, sum;
};
constexpr Expectation kExpectations[]{{0, 0}, {7, 7}, {123, 6}, {-45, 9}, {99'999, 45}, {INT32_MIN, 47}};

// The first block between ``` and ```, or all of the answer where there is none.
std::string code_in(const std::string& answer) {
  const std::size_t open = answer.find("```");
  if (open == std::string::npos) return answer;
  const std::size_t start = answer.find('\n', open);
  const std::size_t end = start == std::string::npos ? start : answer.find("```", start);
  return end == std::string::npos ? answer : answer.substr(start + 1, end - start - 1);
}

struct Score {
  std::size_t right = 0;
  std::string mistake;  // the first, in words for the next prompt
};

Score score_of(Sandbox& sandbox) {
  Score score;
  for (const auto& [n, sum] : kExpectations) {
    const auto outcome = sandbox.call("digits", {n});
    const bool is_ok = outcome && outcome->kind == petri::OutcomeKind::ok;
    if (is_ok && outcome->values == std::vector<petri::Value>{sum}) {
      ++score.right;
      continue;
    }
    if (!score.mistake.empty()) continue;
    score.mistake = "digits(" + std::to_string(n) + ") should be " + std::to_string(sum) +
                    " and ended: " + (outcome ? to_text(*outcome) : outcome.error().message);
  }
  return score;
}

// The sandbox that has the best version, and what is known of it.
struct State {
  petri::Runtime& runtime;
  std::optional<Sandbox> sandbox;
  Score best;
};

// Compiles and reloads; the first code that can be loaded creates the sandbox.
Result<std::uint64_t> load(State& state, const petri::ArtifactPtr& artifact) {
  const petri::Source source = petri::Source::artifact(artifact);
  if (!state.sandbox) {
    petri::SandboxSpec spec{.id = "answer",
                            .modules = {{"code", source}},
                            .profile = petri::Profile::strict,
                            .limits = {.fuel_max = 100'000},
                            .generation = 0};
    spec.tree =
        petri::SupervisorSpec{.intensity = 1'000, .children = {petri::ChildSpec{.id = "code", .module = "code"}}};
    PETRI_TRY(state.sandbox, state.runtime.create_sandbox(std::move(spec)));
    return 0;
  }
  PETRI_TRY(const auto report,
            state.sandbox->reload("code", source,
                                  {.policy = petri::ReloadPolicy{.drop_exports = true, .trial = {.calls = 0}}}));
  return report.no_change ? 0 : report.from;
}

// Tries one answer. Returns what went wrong, in words for the next prompt; empty when all is right.
Result<std::string> attempt(State& state, const std::string& answer) {
  const auto artifact = petri::compile_module(petri::Source::code("c", code_in(answer)).read_from("answer.c"));
  if (!artifact) return "it does not compile: " + artifact.error().message;
  const auto before = load(state, *artifact);
  if (!before) return before.error().message;
  const Score score = score_of(*state.sandbox);
  if (score.right > state.best.right || *before == 0) {
    state.best = score;
  } else if (score.right < state.best.right) {
    PETRI_TRY(state.sandbox->rollback("code", *before));
    return score.mistake + " (the version before, with " + std::to_string(state.best.right) + " right, is back)";
  }
  return score.mistake;
}

Result<void> improve(Generator& generator) {
  PETRI_TRY(const auto runtime,
            petri::Runtime::create({.workers = 1, .quarantine = {.limits_max = 0}, .breaker = {.limits_max = 0}}));
  State state{.runtime = *runtime, .sandbox = {}, .best = {}};
  std::string complaint;
  for (int number = 1; number <= kAttemptsMax; ++number) {
    const std::string prompt =
        complaint.empty() ? kTask : std::string(kTask) + "\n\nYour last answer failed: " + complaint;
    const auto answer = generator.answer(prompt);
    if (!answer) {
      std::cout << number << ": " << answer.error().message << '\n';
      continue;
    }
    PETRI_TRY(complaint, attempt(state, *answer));
    std::cout << number << ": " << (complaint.empty() ? "all right" : complaint) << '\n';
    if (complaint.empty()) return {};
  }
  return petri::fail(petri::ErrorCode::host_fault, "no answer was right");
}

Result<std::unique_ptr<Generator>> generator_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--prepared") return PreparedGenerator::from_folder(arguments[1]);
  if (arguments.size() == 4 && arguments[0] == "--url" && arguments[2] == "--model") {
    const char* key = std::getenv("OPENAI_API_KEY");
    return ask_server({.url = arguments[1], .model = arguments[3], .key = key == nullptr ? "" : key});
  }
  return petri::fail(petri::ErrorCode::validation_failed,
                     "usage: language_model --prepared FOLDER, or language_model --url URL --model NAME");
}

Result<void> run(const std::vector<std::string>& arguments) {
  PETRI_TRY(const auto generator, generator_of(arguments));
  return improve(*generator);
}

}  // namespace
}  // namespace language_model

int main(int count, char** words) { return example::run(count, words, language_model::run); }
