#include "cli/manual/value_words.h"

#include <map>

#include "petri/compile.h"
#include "petri/evaluate.h"
#include "petri/policy.h"
#include "petri/records.h"
#include "petri/report/report.h"
#include "petri/scan.h"
#include "petri/tier.h"

namespace petri::cli {
namespace {

using Table = std::map<std::string_view, ValueWords>;

template <typename... Enumerators>
ValueWords one_of(Enumerators... enumerators) {
  return {ValueKind::word, {std::string(name_of(enumerators))...}};
}

ValueWords permissions() {
  ValueWords value{ValueKind::word_list, {"none"}};
  for (const Permission permission : all_permissions()) value.words.emplace_back(name_of(permission));
  return value;
}

ValueWords languages() {
  ValueWords value{ValueKind::word, {}};
  for (const SourceLanguage& language : source_languages()) value.words.push_back(language.name);
  return value;
}

Table make_table() {
  Table table{
      {"CANDIDATE", {ValueKind::file, {}}},
      {"DIR", {ValueKind::folder, {}}},
      {"FILE", {ValueKind::file, {}}},
      {"FORM", one_of(RecordsForm::json_lines, RecordsForm::compact)},
      {"LANGUAGE", languages()},
      {"LIST", permissions()},
      {"OUTPUT", {ValueKind::word, {"text", "json", "lines", "sarif"}}},
      {"PAGE", {ValueKind::file, {}}},
      {"SCORER", one_of(Scorer::squared_error, Scorer::exact, Scorer::tolerance, Scorer::metrics)},
      {"SEVERITY", one_of(Severity::info, Severity::low, Severity::medium, Severity::high)},
      {"SHELL", {ValueKind::word, completion_shells()}},
      {"SOURCE", {ValueKind::file, {}}},
      {"TIER", one_of(Tier::interpreted, Tier::compiled, Tier::automatic)},
      {"WHEN", one_of(Instances::per_candidate, Instances::per_case)},
      {"WHICH", one_of(BestScore::smallest, BestScore::largest)},
  };
  for (const std::string_view free : {"COMMAND", "HASH", "N", "NAME", "NAME=VALUE", "NUMBER", "SIZE", "TEXT", "TIME"})
    table.emplace(free, ValueWords{});
  return table;
}

}  // namespace

const ValueWords* find_value_words(std::string_view placeholder) {
  static const Table table = make_table();
  const auto found = table.find(placeholder);
  return found == table.end() ? nullptr : &found->second;
}

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

}  // namespace petri::cli
