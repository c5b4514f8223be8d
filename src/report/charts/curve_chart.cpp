#include "report/charts/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/units.h"
#include "report/charts/axis.h"
#include "report/charts/chart_frame.h"
#include "report/page/html.h"

namespace petri {
namespace {

constexpr double kCurveHeight = 320;
constexpr std::size_t kMarkersMax = 60;
// The share of the sampled scores that the vertical axis makes room for; the worst are left out.
constexpr double kSampleShare = 0.9;

bool can_be_drawn(const RowScore& point) { return std::abs(point.score) < 1e300; }

std::vector<RowScore> drawable(std::vector<RowScore> points) {
  std::erase_if(points, [](const RowScore& point) { return !can_be_drawn(point); });
  return points;
}

std::vector<RowScore> line_of(const Lineage& lineage) {
  std::vector<RowScore> points;
  for (const std::size_t place : lineage.line) {
    const Ancestor& ancestor = lineage.ancestors[place];
    if (ancestor.score) points.push_back({.row = ancestor.row, .score = *ancestor.score});
  }
  return drawable(std::move(points));
}

// The scores the axis has to hold: all of the curve, and the sample without its worst.
std::vector<double> scores_to_hold(const std::vector<RowScore>& steps, std::vector<RowScore> sample, BestScore best) {
  std::sort(sample.begin(), sample.end(),
            [&](const RowScore& a, const RowScore& b) { return is_better(a.score, b.score, best); });
  sample.resize(static_cast<std::size_t>(kSampleShare * static_cast<double>(sample.size())));
  std::vector<double> scores;
  for (const RowScore& point : steps) scores.push_back(point.score);
  for (const RowScore& point : sample) scores.push_back(point.score);
  return scores;
}

class CurveDrawing {
 public:
  CurveDrawing(const RecordsSummary& summary, const Lineage& lineage)
      : steps_(drawable(summary.curve.steps())),
        sample_(drawable(summary.curve.sample().points())),
        line_(line_of(lineage)),
        rows_{.from = 0, .to = static_cast<double>(std::max<std::size_t>(summary.rows_end, 2) - 1)},
        scores_(axis_for(scores_to_hold(steps_, sample_, summary.curve.best_is()))) {}

  bool empty() const { return steps_.empty(); }
  bool has_line() const { return line_.size() > 1; }
  bool is_logarithmic() const { return scores_.logarithmic; }
  // Points of the sample that are off the chart.
  std::size_t left_out() const {
    return static_cast<std::size_t>(
        std::count_if(sample_.begin(), sample_.end(), [&](const RowScore& point) { return !is_inside(point); }));
  }

  std::string svg(std::string_view label) const {
    const ChartFrame frame{.height = kCurveHeight};
    std::string content = grid_lines(frame, ticks_of(scores_, 6));
    content += stretched(frame, fmt::format(R"(<path class="cloud" d="{}"/>)", dots(sample_)) +
                                    (has_line() ? fmt::format(R"(<path class="ancestry" d="{}"/>)", polyline()) : "") +
                                    fmt::format(R"(<path class="best" d="{}"/>)", step_line()));
    return frame_svg(frame, label,
                     content + markers(frame) + value_labels(frame, ticks_of(scores_, 6)) +
                         bottom_labels(frame, ticks_of(rows_, 6)));
  }

 private:
  double x(const RowScore& point) const { return place_on(rows_, static_cast<double>(point.row)); }
  double y(const RowScore& point) const { return 1 - place_on(scores_, point.score); }
  bool is_inside(const RowScore& point) const { return y(point) >= -1e-9 && y(point) <= 1 + 1e-9; }
  std::string at(const RowScore& point) const {
    return fmt::format("{:.1f} {:.1f}", 1'000 * x(point), 1'000 * y(point));
  }

  std::string dots(const std::vector<RowScore>& points) const {
    std::string path;
    for (const RowScore& point : points) {
      if (is_inside(point)) path += "M" + at(point) + "h0";
    }
    return path;
  }

  std::string polyline() const {
    std::string path;
    for (const RowScore& point : line_) path += (path.empty() ? "M" : "L") + at(point);
    return path;
  }

  // It stays at the best so far until a better one comes, and to the end of the rows.
  std::string step_line() const {
    std::string path;
    for (const RowScore& point : steps_) {
      path += path.empty() ? "M" + at(point) : fmt::format("H{:.1f}V{:.1f}", 1'000 * x(point), 1'000 * y(point));
    }
    return path + "H1000";
  }

  // Some of the steps, so that pointing at one shows its row and score.
  std::string markers(const ChartFrame& frame) const {
    std::string circles;
    const std::size_t every = (steps_.size() + kMarkersMax - 1) / kMarkersMax;
    for (std::size_t index = 0; index < steps_.size(); ++index) {
      const bool last = index + 1 == steps_.size();
      if (index % every != 0 && !last) continue;
      circles += fmt::format(R"(<circle class="step{}" cx="{}" cy="{:.1f}" r="{}"><title>row {}: {}</title></circle>)",
                             last ? " last" : "", percent_of(x(steps_[index])), frame.y(y(steps_[index])), last ? 5 : 3,
                             format_count(steps_[index].row), score_text(steps_[index].score));
    }
    return circles;
  }

  const std::vector<RowScore> steps_, sample_, line_;
  const Axis rows_, scores_;
};

std::string legend(const RecordsSummary& summary, const CurveDrawing& drawing) {
  const std::size_t n = summary.curve.sample().n();
  std::string text = R"(<p class="legend"><span class="key best"></span>best so far)";
  if (drawing.has_line()) text += R"(<span class="key ancestry"></span>ancestors of the best)";
  text += fmt::format(R"(<span class="key cloud"></span>{})",
                      n == 1 ? "each candidate with a score" : fmt::format("one of {} candidates with a score", n));
  if (drawing.left_out() > 0) text += fmt::format(" (the worst {} are off the chart)", drawing.left_out());
  return text + "</p>\n";
}

}  // namespace

std::string curve_chart(const RecordsSummary& summary, const Lineage& lineage) {
  const CurveDrawing drawing(summary, lineage);
  if (drawing.empty()) return R"(<p class="nothing">No record has a score that can be drawn.</p>)";
  const auto& best = *summary.curve.best();
  const std::string label = fmt::format("Best score so far over {} rows: {} improvements, the best is {} in row {}",
                                        format_count(summary.rows_end), format_count(summary.curve.improvements()),
                                        score_text(best.score), format_count(best.row));
  return fmt::format(R"(<p class="axis">score{}</p>)", drawing.is_logarithmic() ? ", logarithmic" : "") +
         drawing.svg(label) + R"(<p class="axis end">row</p>)" + legend(summary, drawing);
}

}  // namespace petri
