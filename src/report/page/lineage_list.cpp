#include "report/page/page_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.h"
#include "report/page/html.h"

namespace petri {
namespace {

constexpr std::size_t kStepsMax = 16;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  }
  return text;
}

constexpr std::size_t kNobody = SIZE_MAX;

// The parents that are not on the line.
std::string others_of(const Ancestor& ancestor, std::size_t next, const Lineage& lineage) {
  std::string text;
  for (const std::size_t parent : ancestor.parents) {
    if (parent == next) continue;
    const Ancestor& other = lineage.ancestors[parent];
    text +=
        fmt::format("{}row {} ({})", text.empty() ? "with " : ", ", format_count(other.row), score_text(other.score));
  }
  return text;
}

std::string step_of(std::size_t step, const Lineage& lineage) {
  const Ancestor& ancestor = lineage.ancestors[lineage.line[step]];
  const bool last = step + 1 == lineage.line.size();
  const std::size_t next = last ? kNobody : lineage.line[step + 1];
  const std::string unknown =
      ancestor.unknown_parents.empty()
          ? ""
          : fmt::format("{} not in this file", ancestor.unknown_parents.size() == 1 ? "one parent" : "parents");
  return fmt::format("<li><b>{}</b> <span>{}</span><small>{}</small></li>\n", score_text(ancestor.score),
                     joined({html_text(ancestor.mutation, 80), html_text(ancestor.name, 80)}),
                     joined({ancestor.generation ? "generation " + format_count(*ancestor.generation) : "",
                             "row " + format_count(ancestor.row), others_of(ancestor, next, lineage), unknown,
                             hash_cell(ancestor.artifact.hex())}));
}

std::string gap_of(std::size_t steps) {
  return steps == 0 ? "" : fmt::format("<li class=\"gap\"><small>{} more</small></li>\n", format_count(steps));
}

std::string explanation(const Lineage& lineage) {
  return fmt::format(
      "<p>{} steps back to the oldest ancestor on the better parent's side; {}{} ancestors in all.</p>\n",
      format_count(lineage.line.size() - 1), lineage.cut ? "more than " : "",
      format_count(lineage.ancestors.size() - 1));
}

}  // namespace

std::vector<std::size_t> steps_to_show(const Lineage& lineage, std::size_t steps_max) {
  std::vector<std::size_t> steps;
  const auto score = [&](std::size_t step) { return lineage.ancestors[lineage.line[step]].score; };
  const bool is_long = lineage.line.size() > steps_max;
  for (std::size_t step = 0; step < lineage.line.size(); ++step) {
    const bool edge = step == 0 || step + 1 == lineage.line.size();
    if (!is_long || edge || score(step) != score(step + 1)) steps.push_back(step);
  }
  if (steps.size() > steps_max) {
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps_max / 2);
    steps.erase(middle, steps.end() - static_cast<std::ptrdiff_t>(steps_max - steps_max / 2));
  }
  return steps;
}

bool has_parents(const Lineage& lineage) {
  return !lineage.ancestors.empty() && (lineage.line.size() > 1 || !lineage.ancestors.front().unknown_parents.empty());
}

std::string lineage_list(const Lineage& lineage) {
  std::string list = explanation(lineage) + "<ol class=\"lineage\">\n";
  std::size_t next = 0;
  for (const std::size_t step : steps_to_show(lineage, kStepsMax)) {
    list += gap_of(step - next) + step_of(step, lineage);
    next = step + 1;
  }
  return list + "</ol>\n";
}

}  // namespace petri
