#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/units.h"
#include "report/charts/axis.h"
#include "report/charts/chart_frame.h"
#include "report/page/html.h"
#include "report/population/population_charts.h"

namespace petri {
namespace {

constexpr double kFitnessHeight = 320;
constexpr double kDrawableMax = 1e300;

bool is_drawable(const LayerScores& scores) {
  return std::abs(scores.best) < kDrawableMax && std::abs(scores.lower) < kDrawableMax;
}

class FitnessDrawing {
 public:
  explicit FitnessDrawing(const Layers& layers) {
    std::ranges::copy_if(layers.scores, std::back_inserter(scores_), is_drawable);
    if (scores_.empty()) return;
    std::vector<double> values;
    for (const LayerScores& one : scores_) values.insert(values.end(), {one.best, one.lower});
    values_ = axis_for(values);
    const auto first = static_cast<double>(scores_.front().layer);
    layers_ = {.from = first, .to = std::max(first + 1, static_cast<double>(scores_.back().layer))};
  }

  bool empty() const { return scores_.empty(); }
  bool is_logarithmic() const { return values_.logarithmic; }

  std::string svg(std::string_view label) const {
    const ChartFrame frame{.height = kFitnessHeight};
    const std::string drawing = fmt::format(R"(<path class="quarters" d="{}"/>)", band()) +
                                fmt::format(R"(<path class="median" d="{}"/>)", line(&LayerScores::median)) +
                                fmt::format(R"(<path class="best" d="{}"/>)", line(&LayerScores::best));
    return frame_svg(frame, label,
                     grid_lines(frame, ticks_of(values_, 6)) + stretched(frame, drawing) + last_best(frame) +
                         value_labels(frame, ticks_of(values_, 6)) + bottom_labels(frame, ticks_of(layers_, 6)));
  }

 private:
  double x(const LayerScores& one) const { return place_on(layers_, static_cast<double>(one.layer)); }
  double y(double score) const { return 1 - place_on(values_, score); }
  std::string at(const LayerScores& one, double score) const {
    return fmt::format("{:.1f} {:.1f}", 1'000 * x(one), 1'000 * y(score));
  }
  std::string line(double LayerScores::* score) const {
    std::string path;
    for (const LayerScores& one : scores_) path += (path.empty() ? "M" : "L") + at(one, one.*score);
    return path;
  }
  // There along the upper quarters, back along the lower ones.
  std::string band() const {
    std::string path = line(&LayerScores::upper);
    for (auto one = scores_.rbegin(); one != scores_.rend(); ++one) path += "L" + at(*one, one->lower);
    return path + "Z";
  }
  std::string last_best(const ChartFrame& frame) const {
    const LayerScores& last = scores_.back();
    return fmt::format(R"(<circle class="step last" cx="{}" cy="{:.1f}" r="5"><title>{}</title></circle>)",
                       percent_of(x(last)), frame.y(y(last.best)), score_text(last.best));
  }

  std::vector<LayerScores> scores_;
  Axis values_, layers_;
};

}  // namespace

std::string fitness_chart(const Layers& layers) {
  const FitnessDrawing drawing(layers);
  if (drawing.empty()) return R"(<p class="nothing">No individual has a score that can be drawn.</p>)";
  const std::string_view what = layers.by_depth ? "depth" : "generation";
  const LayerScores& last = layers.scores.back();
  const std::string label = fmt::format("Scores by {}: in {} {} the best is {} and the median {}", what, what,
                                        format_count(last.layer), score_text(last.best), score_text(last.median));
  return fmt::format(R"(<p class="axis">score{}</p>)", drawing.is_logarithmic() ? ", logarithmic" : "") +
         drawing.svg(label) + fmt::format(R"(<p class="axis end">{}</p>)", what) +
         R"(<p class="legend"><span class="key best"></span>best<span class="key median"></span>median)"
         R"(<span class="key quarters"></span>the middle half, from quartile to quartile</p>)"
         "\n";
}

}  // namespace petri
