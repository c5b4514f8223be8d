#include "report/charts/charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.h"
#include "report/charts/axis.h"
#include "report/charts/chart_frame.h"
#include "report/page/html.h"

namespace petri {
namespace {

using Bar = FuelHistogram::Bar;

constexpr std::size_t kBarsMax = 48;
constexpr double kFuelHeight = 280;
constexpr double kGap = 0.002;  // between bars, of the chart's width

// An integer stands for everything up to the next one.
double end_of(const Bar& bar) { return static_cast<double>(bar.to) + 1; }

Axis fuel_axis(const std::vector<Bar>& bars) {
  return {.from = static_cast<double>(bars.front().from), .to = end_of(bars.back()), .logarithmic = true};
}

Axis count_axis(const std::vector<Bar>& bars) {
  const auto most = std::max_element(bars.begin(), bars.end(), [](auto& a, auto& b) { return a.count() < b.count(); });
  return {.from = 0, .to = static_cast<double>(most->count())};
}

std::string rectangle(std::string_view kind, const ChartFrame& frame, double from, double width, double top,
                      double bottom) {
  return fmt::format(R"(<rect class="{}" x="{}" width="{}" y="{:.2f}" height="{:.2f}"/>)", kind, percent_of(from),
                     percent_of(width), frame.y(top), frame.y(bottom) - frame.y(top));
}

std::string drawn(const Bar& bar, const ChartFrame& frame, const Axis& fuel, const Axis& counts) {
  if (bar.count() == 0) return "";
  const double from = place_on(fuel, static_cast<double>(bar.from));
  const double width = std::max(place_on(fuel, end_of(bar)) - from - kGap, kGap);
  const double ok_top = 1 - place_on(counts, static_cast<double>(bar.ok));
  const double top = 1 - place_on(counts, static_cast<double>(bar.count()));
  std::string bars = fmt::format("<g><title>{} to {} fuel: {} ok, {} not</title>", format_count(bar.from),
                                 format_count(bar.to), format_count(bar.ok), format_count(bar.other));
  if (bar.ok > 0) bars += rectangle("ok", frame, from, width, ok_top, 1);
  if (bar.other > 0) bars += rectangle("other", frame, from, width, top, ok_top);
  return bars + "</g>";
}

std::size_t sum_of(const std::vector<Bar>& bars) {
  std::size_t sum = 0;
  for (const Bar& bar : bars) sum += bar.count();
  return sum;
}

}  // namespace

std::string fuel_chart(const FuelHistogram& fuel) {
  const std::vector<Bar> bars = fuel.bars(kBarsMax);
  if (bars.empty()) return R"(<p class="nothing">No candidate used any fuel.</p>)";
  const ChartFrame frame{.height = kFuelHeight};
  const Axis amounts = fuel_axis(bars);
  const Axis counts = count_axis(bars);
  std::string content = grid_lines(frame, ticks_of(counts, 4));
  for (const Bar& bar : bars) content += drawn(bar, frame, amounts, counts);
  content += value_labels(frame, ticks_of(counts, 4)) + bottom_labels(frame, ticks_of(amounts, 5));
  const std::string label = fmt::format("Fuel used by {} candidates, from {} to {}", format_count(sum_of(bars)),
                                        format_count(bars.front().from), format_count(bars.back().to));
  std::string legend =
      R"(<p class="legend"><span class="key ok"></span>ok<span class="key other"></span>ended otherwise)";
  if (fuel.without_fuel() > 0) legend += fmt::format(" · {} used none", format_count(fuel.without_fuel()));
  return R"(<p class="axis">candidates</p>)" + frame_svg(frame, label, content) +
         R"(<p class="axis end">fuel over all cases, logarithmic</p>)" + legend + "</p>\n";
}

}  // namespace petri
