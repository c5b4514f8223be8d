#include "report/charts/charts.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "report/page/html.h"

namespace petri {
namespace {

std::string_view class_of(EndGroup group) {
  switch (group) {
    case EndGroup::ok: return "ok";
    case EndGroup::guest: return "guest";
    case EndGroup::limit: return "limit";
    case EndGroup::error: return "error";
  }
  return "error";
}

// Further remarks: which traps, or the message of the first error.
std::string remark(const EndCount& end) {
  std::string text;
  for (const auto& [trap, count] : end.parts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", trap, format_count(count));
  }
  if (end.group == EndGroup::error) text = "first: " + html_text(end.message, 240);
  return text.empty() ? "" : fmt::format(R"(<small>{}</small>)", text);
}

std::string row_of(const EndCount& end, std::size_t total) {
  const double share = static_cast<double>(end.count) / static_cast<double>(total);
  return fmt::format(
      "<tr data-end=\"{0}\" data-count=\"{1}\"><th scope=\"row\">{0}</th><td class=\"number\">{2}</td>"
      "<td class=\"number\">{3}</td></tr>\n<tr class=\"drawn\"><td colspan=\"3\">"
      "<svg class=\"bar\" role=\"img\" aria-label=\"{0}: {3}\" width=\"100%\" height=\"12\">"
      "<rect class=\"rail\" width=\"100%\" height=\"12\" rx=\"3\"/>"
      "<rect class=\"{4}\" width=\"{5}\" height=\"12\" rx=\"3\"/></svg>{6}</td></tr>\n",
      end.name, end.count, format_count(end.count), percent_text(end.count, total), class_of(end.group),
      percent_of(share), remark(end));
}

}  // namespace

std::string outcome_chart(const OutcomeCounts& outcomes) {
  std::string rows;
  for (const EndCount& end : outcomes.ends()) rows += row_of(end, outcomes.total());
  return fmt::format("<table class=\"outcomes\"><tbody>\n{}</tbody></table>\n", rows);
}

}  // namespace petri
