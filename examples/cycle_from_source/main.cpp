// The cycle compile, reload, score, keep or fall back: a live sandbox starts as f(x) = x and becomes x^2, from source
// text that is mutated without understanding it. What does not compile never runs, what crashes, hangs or is worse is
// rolled back, and the previous version answers all the while.
#include <petri/compile.h>
#include <petri/runtime.h>

#include <array>
#include <cmath>
#include <iostream>
#include <vector>

#include "shared/example.h"

namespace cycle_from_source {
namespace {

using petri::Result;
using petri::Sandbox;

constexpr int kCyclesMax = 60;
constexpr std::array kPoints{-3, -1, 0, 2, 5};

// The text of a function as its tokens, some of which make no sense together.
using Tokens = std::vector<std::string>;
constexpr std::array kTokens{"x", "1", "2", "+", "-", "*", "/", "(", ")"};

std::string text_of(const Tokens& tokens) {
  std::string expression;
  for (const std::string& token : tokens) expression += (expression.empty() ? "" : " ") + token;
  return expression;
}

petri::Source source_of(const Tokens& tokens) {
  return petri::Source::code("c",
                             "__attribute__((export_name(\"f\"))) int f(int x) { return " + text_of(tokens) + "; }\n");
}

class Mutator {
 public:
  Tokens mutate(Tokens tokens) {
    const std::size_t place = below(tokens.size());
    const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(place);
    switch (below(3)) {
      case 0: *at = kTokens[below(kTokens.size())]; break;
      case 1:
        if (tokens.size() > 1) tokens.erase(at);
        break;
      default: tokens.insert(at, {kTokens[below(3)], kTokens[3 + below(4)]});
    }
    return tokens;
  }

 private:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }
  std::uint64_t state_ = 86;  // a seed that is soon done
};

// The sum of the errors; infinite where it crashes or does not come back.
double error_of(Sandbox& sandbox) {
  double error = 0;
  for (const int x : kPoints) {
    const auto outcome = sandbox.call("f", {x});
    if (!outcome || outcome->kind != petri::OutcomeKind::ok) return INFINITY;
    error += std::abs(static_cast<double>(outcome->values[0].i32()) - x * x);
  }
  return error;
}

// One cycle. Returns the error of the version that is active after it.
Result<double> cycle(Sandbox& sandbox, Tokens& tokens, Mutator& mutator, double error) {
  const Tokens mutated = mutator.mutate(tokens);
  std::cout << text_of(mutated) << ": ";
  // The trial of a reload is ours: every version is scored, and what is worse goes back.
  petri::ReloadOptions options{.policy = petri::ReloadPolicy{.trial = {.calls = 0}}};
  const auto report = sandbox.reload("f", source_of(mutated), options);
  if (!report) {
    std::cout << name_of(report.error().code) << '\n';
    return error;
  }
  if (report->no_change) {
    std::cout << "the same code\n";
    return error;
  }
  const double mutated_error = error_of(sandbox);
  if (mutated_error >= error) {
    PETRI_TRY(sandbox.rollback("f", report->from));
    std::cout << "error " << mutated_error << ", back to version " << report->from << '\n';
    return error;
  }
  std::cout << "error " << mutated_error << ", version " << report->to << " stays\n";
  tokens = mutated;
  return mutated_error;
}

Result<void> evolve(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return petri::fail(petri::ErrorCode::validation_failed, "this example takes no arguments");
  PETRI_TRY(const auto runtime, petri::Runtime::create({.workers = 1, .breaker = {.limits_max = 0}}));
  Tokens tokens{"x"};
  petri::SandboxSpec spec{.id = "square", .modules = {{"f", source_of(tokens)}}, .limits = {.fuel_max = 10'000}};
  spec.tree = petri::SupervisorSpec{.intensity = 1'000, .children = {petri::ChildSpec{.id = "f", .module = "f"}}};
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  Mutator mutator;
  double error = error_of(sandbox);
  std::cout << text_of(tokens) << ": error " << error << '\n';
  for (int i = 0; i < kCyclesMax && error > 0; ++i) {
    PETRI_TRY(error, cycle(sandbox, tokens, mutator, error));
  }
  if (error > 0) return petri::fail(petri::ErrorCode::host_fault, "no cycle has found x^2");
  std::cout << "found " << text_of(tokens) << '\n';
  return {};
}

}  // namespace
}  // namespace cycle_from_source

int main(int count, char** words) { return example::run(count, words, cycle_from_source::evolve); }
