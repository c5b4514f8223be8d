#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.h"
#include "report/charts/axis.h"
#include "report/charts/chart_frame.h"
#include "report/charts/charts.h"
#include "report/page/html.h"

namespace petri {
namespace {

constexpr double kScoreFuelHeight = 320;
constexpr std::size_t kFrontMarkersMax = 60;
// The share of the sample that the vertical axis makes room for; the worst are left out.
constexpr double kShareShown = 0.9;

std::vector<double> fuel_of(const ParetoFront& points) {
  std::vector<double> fuel;
  for (const auto* const part : {&points.front(), &points.sample()})
    for (const ScoreAndFuel& point : *part) fuel.push_back(static_cast<double>(point.fuel));
  return fuel;
}

// All scores of the front, and those of the sample without its worst.
std::vector<double> scores_of(const ParetoFront& points, BestScore best) {
  std::vector<double> scores;
  for (const ScoreAndFuel& point : points.sample()) scores.push_back(point.score);
  std::ranges::sort(scores, [best](double a, double b) { return is_better(a, b, best); });
  scores.resize(static_cast<std::size_t>(kShareShown * static_cast<double>(scores.size())));
  for (const ScoreAndFuel& point : points.front()) scores.push_back(point.score);
  return scores;
}

class ScoreFuelDrawing {
 public:
  ScoreFuelDrawing(const ParetoFront& points, BestScore best)
      : points_(points), fuel_(axis_for(fuel_of(points))), scores_(axis_for(scores_of(points, best))) {}

  std::string svg() const {
    const ChartFrame frame{.height = kScoreFuelHeight};
    const std::string label = fmt::format("Scores over fuel, with {} on the Pareto front", points_.front().size());
    return frame_svg(
        frame, label,
        grid_lines(frame, ticks_of(scores_, 6)) +
            stretched(frame,
                      fmt::format(R"(<path class="cloud" d="{}"/><path class="best" d="{}"/>)", dots(), front_line())) +
            markers(frame) + value_labels(frame, ticks_of(scores_, 6)) + bottom_labels(frame, ticks_of(fuel_, 5)));
  }
  bool is_logarithmic() const { return fuel_.logarithmic; }

 private:
  double x(const ScoreAndFuel& point) const { return place_on(fuel_, static_cast<double>(point.fuel)); }
  double y(const ScoreAndFuel& point) const { return 1 - place_on(scores_, point.score); }
  bool is_inside(const ScoreAndFuel& point) const { return y(point) >= -1e-9 && y(point) <= 1 + 1e-9; }

  std::string dots() const {
    std::string path;
    for (const ScoreAndFuel& point : points_.sample()) {
      if (is_inside(point)) path += fmt::format("M{:.1f} {:.1f}h0", 1'000 * x(point), 1'000 * y(point));
    }
    return path;
  }

  // A score holds for all larger amounts of fuel, up to the next one that is better.
  std::string front_line() const {
    std::string path;
    for (const ScoreAndFuel& point : points_.front()) {
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", 1'000 * x(point), 1'000 * y(point))
                           : fmt::format("H{:.1f}V{:.1f}", 1'000 * x(point), 1'000 * y(point));
    }
    return path + "H1000";
  }

  std::string markers(const ChartFrame& frame) const {
    std::string circles;
    const std::size_t every = (points_.front().size() + kFrontMarkersMax - 1) / kFrontMarkersMax;
    for (std::size_t i = 0; i < points_.front().size(); i += every) {
      const ScoreAndFuel& point = points_.front()[i];
      circles += fmt::format(
          R"(<circle class="step" cx="{}" cy="{:.1f}" r="3"><title>row {}: {} with {} fuel</title></circle>)",
          percent_of(x(point)), frame.y(y(point)), format_count(point.row), score_text(point.score),
          format_count(point.fuel));
    }
    return circles;
  }

  const ParetoFront& points_;
  const Axis fuel_, scores_;
};

}  // namespace

std::string score_fuel_chart(const ParetoFront& points, BestScore best) {
  if (points.front().empty()) return R"(<p class="nothing">No record has a score that can be drawn.</p>)";
  const ScoreFuelDrawing drawing(points, best);
  return fmt::format(R"(<p class="axis">score</p>{}<p class="axis end">fuel over all cases{}</p>)"
                     R"(<p class="legend"><span class="key best"></span>best score for that much fuel (Pareto front))"
                     R"(<span class="key cloud"></span>some of all candidates</p>)",
                     drawing.svg(), drawing.is_logarithmic() ? ", logarithmic" : "") +
         "\n";
}

}  // namespace petri
