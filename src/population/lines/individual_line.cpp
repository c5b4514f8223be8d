#include "population/lines/individual_line.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"
#include "base/text/escape.h"
#include "population/individual_check.h"

namespace petri {
namespace {

using Numbers = std::numeric_limits<double>;

void append_texts(std::string& text, std::string_view name, const std::vector<std::string>& all) {
  if (all.empty()) return;
  fmt::format_to(std::back_inserter(text), ",\"{}\":[", name);
  for (std::size_t index = 0; index < all.size(); ++index) {
    text.append(index == 0 ? "" : ",").append(json_string(all[index]));
  }
  text += ']';
}

void append_fitness(std::string& text, const Fitness& fitness) {
  text += ",\"fitness\":{\"score\":";
  append_number(text, fitness.score);
  if (!fitness.components.empty()) {
    text += ",\"components\":{";
    bool first = true;
    for (const auto& [name, value] : fitness.components) {
      text.append(first ? "" : ",").append(json_string(name)) += ':';
      append_number(text, value);
      first = false;
    }
    text += '}';
  }
  fmt::format_to(std::back_inserter(text), ",\"evaluated_at_ns\":{}}}",
                 fitness.evaluated_at.time_since_epoch().count());
}

void read_number(const JsonReader& value, double& target) {
  if (!value.is_there()) return;
  if (value.json().is_number()) {
    target = value.json().get<double>();
    return;
  }
  const std::string* word = value.json().get_ptr<const std::string*>();
  if (word != nullptr && *word == "nan") {
    target = Numbers::quiet_NaN();
  } else if (word != nullptr && *word == "inf") {
    target = Numbers::infinity();
  } else if (word != nullptr && *word == "-inf") {
    target = -Numbers::infinity();
  } else {
    value.refuse("is no number, and none of \"nan\", \"inf\" and \"-inf\"");
  }
}

void read_time(const JsonReader& value, PopulationTime& target) {
  const auto nanoseconds = value.signed_integer(INT64_MIN, INT64_MAX);
  if (nanoseconds) target = PopulationTime(std::chrono::nanoseconds(*nanoseconds));
}

void read_fitness(const JsonReader& value, Fitness& fitness) {
  value["score"].required();
  value.fields({{"score", [&](const JsonReader& score) { read_number(score, fitness.score); }},
                {"components",
                 [&](const JsonReader& components) {
                   components.members([&](const std::string& name, const JsonReader& component) {
                     read_number(component, fitness.components[name]);
                   });
                 }},
                {"evaluated_at_ns", [&](const JsonReader& time) { read_time(time, fitness.evaluated_at); }}});
}

Individual read_fields(const JsonReader& document, std::string& id) {
  Individual individual;
  document["id"].required();
  document.fields(
      {{"id", JsonReader::into(individual.id)},
       {"parents", JsonReader::into(individual.parents)},
       {"generation", JsonReader::into(individual.generation)},
       {"mutation", JsonReader::into(individual.mutation)},
       {"labels", JsonReader::into(individual.labels)},
       {"kept", JsonReader::into(individual.kept)},
       {"depth", JsonReader::into(individual.depth)},
       {"created_ns", [&](const JsonReader& time) { read_time(time, individual.created); }},
       {"fitness", [&](const JsonReader& fitness) { read_fitness(fitness, individual.fitness.emplace()); }}});
  id = individual.id;
  return individual;
}

}  // namespace

void append_number(std::string& text, double number) {
  if (std::isnan(number)) {
    text += "\"nan\"";
  } else if (std::isinf(number)) {
    text += number > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    fmt::format_to(std::back_inserter(text), "{}", number);
  }
}

void append_individual_line(std::string& text, const Individual& individual) {
  text.append("{\"id\":").append(json_string(individual.id));
  append_texts(text, "parents", individual.parents);
  if (individual.generation) fmt::format_to(std::back_inserter(text), ",\"generation\":{}", *individual.generation);
  if (!individual.mutation.empty()) text.append(",\"mutation\":").append(json_string(individual.mutation));
  fmt::format_to(std::back_inserter(text), ",\"depth\":{}", individual.depth);
  append_texts(text, "labels", individual.labels);
  if (individual.kept) text += ",\"kept\":true";
  if (individual.fitness) append_fitness(text, *individual.fitness);
  fmt::format_to(std::back_inserter(text), ",\"created_ns\":{}}}\n", individual.created.time_since_epoch().count());
}

Result<Individual> read_individual_line(std::string_view line, std::string& id) {
  const auto json = parse_json(line, {.bytes_max = kPopulationLineBytesMax, .depth_max = 8, .values_max = 10'000});
  if (!json) return fail(json.error().error("the line"));
  if (!json->is_object()) return fail(ErrorCode::validation_failed, "the line is not a JSON object");
  Complaints complaints;
  Individual individual = read_fields(JsonReader(*json, complaints), id);
  PETRI_TRY(complaints.result(ErrorCode::validation_failed,
                              fmt::format("the individual {} cannot be read", in_quotes(individual.id))));
  PETRI_TRY(check_individual(individual));
  return individual;
}

}  // namespace petri
