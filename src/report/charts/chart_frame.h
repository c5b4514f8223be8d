// The common part of charts: an <svg> as wide as its parent and of fixed height, so that its text keeps its size while
// the drawing is stretched. Labels of values stand to its left, where the style leaves a margin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/charts/axis.h"

namespace petri {

// In pixels. The plot ends above the labels at the bottom.
struct ChartFrame {
  double height = 300;
  double top = 18;
  double bottom = 26;
  double plot_height() const { return height - top - bottom; }
  // From 0, the upper edge of the plot, to 1, its lower edge.
  double y(double place) const { return top + place * plot_height(); }
};

// `label` is what a screen reader says; markup is escaped in it.
std::string frame_svg(const ChartFrame& frame, std::string_view label, std::string_view content);
// A drawing with coordinates from 0 to 1000 in both directions, over all of the plot.
std::string stretched(const ChartFrame& frame, std::string_view drawing);
std::string grid_lines(const ChartFrame& frame, const std::vector<Tick>& ticks);
std::string value_labels(const ChartFrame& frame, const std::vector<Tick>& ticks);
std::string bottom_labels(const ChartFrame& frame, const std::vector<Tick>& ticks);

}  // namespace petri
