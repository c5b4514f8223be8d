// Populations as JSON Lines and as a graph for Graphviz.
#include <fmt/format.h>

#include <iterator>

#include "base/files/line_file.h"
#include "base/text/escape.h"
#include "petri/population.h"
#include "population/lines/individual_line.h"
#include "population/population_store.h"

namespace petri {
namespace {

constexpr std::size_t kExportedAtOnce = 1'000;

// A string of Graphviz in its quotes, where a backslash starts an escape.
std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string node_label(const Individual& individual, bool with_fitness) {
  if (!with_fitness || !individual.fitness) return dot_string(individual.id);
  std::string label = dot_string(individual.id);
  label.pop_back();
  return label + fmt::format("\\n{}\"", individual.fitness->score);
}

Result<void> write_lines(PopulationReader& reader, LineFile& file, std::string_view name) {
  std::string text = fmt::format("{{\"petri_population\":1,\"name\":{}}}\n", json_string(name));
  std::uint64_t last = 0;
  std::uint64_t written = 0;
  for (;;) {
    PETRI_TRY(const auto individuals, reader.after(last, kExportedAtOnce));
    for (const Individual& individual : individuals) append_individual_line(text, individual);
    written += individuals.size();
    if (individuals.empty()) break;
    last = individuals.back().number;
    PETRI_TRY(file.append(text));
    text.clear();
  }
  fmt::format_to(std::back_inserter(text), "{{\"individuals\":{}}}\n", written);
  return file.append(text);
}

}  // namespace

Result<void> Population::export_json_lines(const std::string& path) const {
  PETRI_TRY(const auto file, LineFile::create(path));
  PETRI_TRY(store_->read(name_, [&](PopulationReader& reader) { return write_lines(reader, *file, name_); }));
  PETRI_TRY(file->sync());
  return file->close();
}

Result<std::string> Population::to_dot(const DotOptions& options) const {
  PETRI_TRY(const PopulationPage page, list(options.query));
  std::string dot = fmt::format("digraph {} {{\n  rankdir=TB;\n", dot_string(name_));
  for (const Individual& individual : page.individuals) {
    fmt::format_to(std::back_inserter(dot), "  {} [label={}];\n", dot_string(individual.id),
                   node_label(individual, options.fitness));
  }
  for (const Individual& individual : page.individuals) {
    for (const std::string& parent : individual.parents) {
      fmt::format_to(std::back_inserter(dot), "  {} -> {};\n", dot_string(parent), dot_string(individual.id));
    }
  }
  return dot + "}\n";
}

}  // namespace petri
