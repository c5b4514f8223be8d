// For tests: writes or verifies a records file in a process of its own.
//   records_process write|verify FILE WORKERS TIER
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

int write(const std::string& path, const EvaluationOptions& options) {
  const auto writer = RecordsWriter::create(path);
  if (!writer) return 2;
  EvaluationOptions with_records = options;
  with_records.records = writer->get();
  Evaluator evaluator({}, {.promote_fuel = 1, .promote_fuel_per_byte = 0});
  const CandidateSet population = CandidateSet::mixed(80);
  const auto evaluation =
      evaluator.evaluate(population.candidates(), cases_of({0, 0.5, 1}), small_spec(), with_records);
  return evaluation && !evaluation->write_error && (*writer)->close() ? 0 : 1;
}

int check(const std::string& path, const EvaluationOptions& options) {
  const auto verification = verify(path, {}, {.tier = options.tier, .workers = options.workers});
  return verification && !verification->difference && verification->verified == 80 ? 0 : 1;
}

}  // namespace
}  // namespace petri

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() != 5) return 2;
  const petri::EvaluationOptions options{.workers = static_cast<unsigned>(std::stoi(arguments[3])),
                                         .tier = petri::tier_named(arguments[4]).value_or(petri::Tier::automatic)};
  return arguments[1] == "write" ? petri::write(arguments[2], options) : petri::check(arguments[2], options);
}
