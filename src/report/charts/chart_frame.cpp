#include "report/charts/chart_frame.h"

#include <fmt/format.h>

#include "report/page/html.h"

namespace petri {
namespace {

// Labels at the edges grow inwards.
std::string_view anchor_at(double place) {
  if (place < 0.05) return "start";
  return place > 0.95 ? "end" : "middle";
}

}  // namespace

std::string frame_svg(const ChartFrame& frame, std::string_view label, std::string_view content) {
  return fmt::format("<svg class=\"chart\" role=\"img\" aria-label=\"{}\" height=\"{}\">{}</svg>\n",
                     html_text(label, 500), frame.height, content);
}

std::string stretched(const ChartFrame& frame, std::string_view drawing) {
  return fmt::format(
      "<svg x=\"0\" y=\"{}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 1000 1000\" "
      "preserveAspectRatio=\"none\" overflow=\"visible\">{}</svg>",
      frame.top, frame.plot_height(), drawing);
}

std::string grid_lines(const ChartFrame& frame, const std::vector<Tick>& ticks) {
  std::string lines;
  for (const Tick& tick : ticks) {
    lines += fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0:.1f}" y2="{0:.1f}"/>)", frame.y(1 - tick.place));
  }
  return lines;
}

std::string value_labels(const ChartFrame& frame, const std::vector<Tick>& ticks) {
  std::string labels;
  for (const Tick& tick : ticks) {
    labels += fmt::format(R"(<text x="-10" y="{:.1f}" text-anchor="end">{}</text>)", frame.y(1 - tick.place) + 4,
                          html_text(tick.label));
  }
  return labels;
}

std::string bottom_labels(const ChartFrame& frame, const std::vector<Tick>& ticks) {
  std::string labels;
  for (const Tick& tick : ticks) {
    labels += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="{}">{}</text>)", percent_of(tick.place),
                          frame.height - 6, anchor_at(tick.place), html_text(tick.label));
  }
  return labels;
}

}  // namespace petri
