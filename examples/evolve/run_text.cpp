#include "evolve/run_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace evolve {
namespace {

std::uint64_t per_second(const Tally& tally) {
  return tally.seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(tally.evaluations) / tally.seconds) : 0;
}

std::uint64_t fuel_each(const Tally& tally) { return tally.evaluations > 0 ? tally.fuel / tally.evaluations : 0; }

std::string best_text(const Problem& problem) {
  return problem.best() != nullptr ? problem.best()->text : "none that came to an end";
}

std::string_view ending_word(Ending ending) {
  switch (ending) {
    case Ending::solved: return "Solved";
    case Ending::budget_spent: return "The budget is spent";
    case Ending::interrupted: return "Interrupted";
  }
  return "";
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t left = text.size(); left > 3; left -= 3) text.insert(left - 3, ",");
  return text;
}

std::string outcomes_text(const Tally& tally) {
  std::string text;
  const auto append = [&](std::string_view name, std::size_t count) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : "  ", name, with_commas(count));
  };
  for (std::size_t kind = 0; kind < tally.outcomes.size(); ++kind) {
    append(petri::name_of(static_cast<petri::OutcomeKind>(kind)), tally.outcomes[kind]);
  }
  append("errors", tally.errors);
  return text;
}

std::vector<std::string> moment(const Problem& problem, const Tally& tally) {
  std::vector<std::string> lines{
      problem.title(),
      fmt::format("generation {}   {} evaluations   {} a second", with_commas(tally.generations),
                  with_commas(tally.evaluations), with_commas(per_second(tally))),
      fmt::format("outcomes   {}   ({} of programs seen before)", outcomes_text(tally), with_commas(tally.known)),
      fmt::format("fuel       {} a candidate", with_commas(fuel_each(tally))),
      fmt::format("best       {}", best_text(problem)),
      ""};
  for (std::string& line : problem.picture()) lines.push_back("  " + line);
  return lines;
}

std::string milestone(const Problem& problem, const Tally& tally) {
  return fmt::format("generation {}, {} evaluations: {}", with_commas(tally.generations),
                     with_commas(tally.evaluations), best_text(problem));
}

std::string ending(const Problem& problem, const GenerationsEnd& end) {
  return fmt::format("{} after {} evaluations in {:.1f} s, {} a second: {}", ending_word(end.ending),
                     with_commas(end.tally.evaluations), end.tally.seconds, with_commas(per_second(end.tally)),
                     best_text(problem));
}

std::vector<std::string> next_steps(const std::string& records) {
  if (records.empty())
    return {"Add --records FILE to keep a record of every candidate, for petri report and petri verify."};
  return {fmt::format("Every candidate is in {}. Next:", records),
          fmt::format("  petri report {} -o report.html", records), fmt::format("  petri verify {}", records)};
}

std::string to_json(const Problem& problem, const RunResult& result) {
  const Tally& tally = result.end.tally;
  nlohmann::ordered_json object{{"seed", result.seed},
                                {"solved", result.end.ending == Ending::solved},
                                {"interrupted", result.end.ending == Ending::interrupted},
                                {"generations", tally.generations},
                                {"evaluations", tally.evaluations},
                                {"seconds", tally.seconds},
                                {"fuel", tally.fuel}};
  if (problem.best() != nullptr) {
    object["score"] = problem.best()->score;
    object["best"] = problem.best()->text;
    object["picture"] = problem.picture();
  }
  return object.dump();
}

std::string to_line(const Problem& problem, const RunResult& result) {
  const bool solved = result.end.ending == Ending::solved;
  return fmt::format("seed {:>3}: {:<10} {:>9} evaluations  {:>6.1f} s  {}", result.seed,
                     solved ? "solved" : "not solved", with_commas(result.end.tally.evaluations),
                     result.end.tally.seconds, best_text(problem));
}

}  // namespace evolve
