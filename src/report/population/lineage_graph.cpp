#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/text/units.h"
#include "report/page/html.h"
#include "report/population/population_charts.h"

namespace petri {
namespace {

// In units of the drawing, which is stretched to the window.
constexpr double kColumnWidth = 60;
constexpr double kRowHeight = 16;
constexpr double kMargin = 24;
constexpr std::array kZooms{100, 200, 400, 800};

struct Node {
  const DrawnIndividual* drawn = nullptr;
  std::size_t column = 0;
  double y = 0;
  bool on_line = false;
};

double x_of(const Node& node) { return kMargin + kColumnWidth * static_cast<double>(node.column); }

// Columns for layers, and in each the nodes in the order of their parents' places, so that few edges cross.
class Layout {
 public:
  Layout(const Drawing& drawing, bool by_depth) {
    std::map<std::uint64_t, std::vector<std::size_t>> layers;
    for (const DrawnIndividual& drawn : drawing.individuals) {
      by_id_.emplace(drawn.individual.id, nodes_.size());
      layers[layer_of(drawn.individual, by_depth)].push_back(nodes_.size());
      nodes_.push_back({.drawn = &drawn});
    }
    for (const std::string& id : drawing.line) {
      if (const auto found = by_id_.find(id); found != by_id_.end()) nodes_[found->second].on_line = true;
    }
    for (auto& [layer, members] : layers) {
      layers_.push_back(layer);
      rows_ = std::max(rows_, members.size());
    }
    std::size_t column = 0;
    for (auto& [layer, members] : layers) place(members, column++);
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::uint64_t>& layers() const { return layers_; }
  const Node* find(const std::string& id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &nodes_[found->second];
  }
  double width() const { return 2 * kMargin + kColumnWidth * static_cast<double>(layers_.size() - 1); }
  double height() const { return 3 * kMargin + kRowHeight * static_cast<double>(rows_ - 1); }

 private:
  double middle() const { return height() / 2; }
  // The mean of the parents that were placed before; the middle without any.
  double wanted_place(const Node& node) const {
    double sum = 0;
    int count = 0;
    for (const std::string& id : node.drawn->individual.parents) {
      const Node* parent = find(id);
      if (parent == nullptr || parent->y == 0) continue;
      sum += parent->y;
      ++count;
    }
    return count == 0 ? middle() : sum / count;
  }
  void place(std::vector<std::size_t>& members, std::size_t column) {
    std::ranges::stable_sort(members, {}, [&](std::size_t at) { return wanted_place(nodes_[at]); });
    double y = middle() - kRowHeight * static_cast<double>(members.size() - 1) / 2;
    for (const std::size_t at : members) {
      nodes_[at].column = column;
      nodes_[at].y = y;
      y += kRowHeight;
    }
  }

  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<std::uint64_t> layers_;
  std::size_t rows_ = 1;
};

std::string edge(const Node& parent, const Node& child) {
  const double from = x_of(parent), to = x_of(child), half = (from + to) / 2;
  return fmt::format("M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}", from, parent.y, half, parent.y, half,
                     child.y, to, child.y);
}

// Edges of the line of the best, of its other ancestors, and of all others, each a path.
std::string edges(const Layout& layout) {
  std::string others, ancestors, line;
  for (const Node& child : layout.nodes()) {
    for (const std::string& id : child.drawn->individual.parents) {
      const Node* parent = layout.find(id);
      if (parent == nullptr) continue;
      const bool is_line = child.on_line && parent->on_line;
      std::string& path = is_line ? line : child.drawn->ancestor ? ancestors : others;
      path += edge(*parent, child);
    }
  }
  return fmt::format(
      R"(<path class="edge" d="{}"/><path class="edge ancestor" d="{}"/><path class="edge line" d="{}"/>)", others,
      ancestors, line);
}

std::string title_of(const Individual& individual) {
  std::string text = html_text(individual.id);
  if (individual.fitness) text += ", score " + score_text(individual.fitness->score);
  if (individual.generation) text += ", generation " + format_count(*individual.generation);
  if (!individual.mutation.empty()) text += ", " + html_text(individual.mutation, 80);
  return text;
}

std::string circles(const Layout& layout) {
  std::string text;
  for (const Node& node : layout.nodes()) {
    const std::string_view kind = node.on_line ? " line" : node.drawn->ancestor ? " ancestor" : "";
    text += fmt::format(R"(<circle class="node{}" cx="{:.0f}" cy="{:.0f}" r="{}"><title>{}</title></circle>)", kind,
                        x_of(node), node.y, node.on_line ? 5 : 3.5, title_of(node.drawn->individual));
  }
  return text;
}

// At most a label for every tenth of the columns.
std::string layer_labels(const Layout& layout) {
  const std::size_t every = layout.layers().size() / 10 + 1;
  std::string text;
  for (std::size_t column = 0; column < layout.layers().size(); column += every) {
    text += fmt::format(R"(<text x="{:.0f}" y="{:.0f}" text-anchor="middle">{}</text>)",
                        kMargin + kColumnWidth * static_cast<double>(column), layout.height() - 4,
                        format_count(layout.layers()[column]));
  }
  return text;
}

std::string zoom_buttons() {
  std::string text;
  for (const int zoom : kZooms) {
    text += fmt::format(R"(<input type="radio" name="zoom" id="zoom{0}"{1}><label for="zoom{0}">{0} %</label>)", zoom,
                        zoom == kZooms.front() ? " checked" : "");
  }
  return text;
}

std::string graph_legend(const Drawing& drawing) {
  return fmt::format(
      R"(<p class="legend"><span class="key line"></span>the line of the best: {} steps over the fitter parent)"
      R"(<span class="key ancestor"></span>its other ancestors<span class="key other"></span>others{}</p>)"
      "\n",
      format_count(drawing.line.size() - 1), drawing.cut ? "; the best has more ancestors than are drawn" : "");
}

}  // namespace

std::string lineage_graph(const Drawing& drawing, bool by_depth) {
  if (drawing.individuals.empty()) return R"(<p class="nothing">There is nobody to draw.</p>)";
  const Layout layout(drawing, by_depth);
  const std::string label = fmt::format("{} individuals in {} layers; {} of them are the line of the best",
                                        format_count(layout.nodes().size()), format_count(layout.layers().size()),
                                        format_count(drawing.line.size()));
  return fmt::format(
             "{}\n<div class=\"graph\" tabindex=\"0\" role=\"group\" aria-label=\"lineage, to be scrolled\"><svg "
             "role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\">{}{}{}</svg></div>\n",
             zoom_buttons(), html_text(label), layout.width(), layout.height(), edges(layout), circles(layout),
             layer_labels(layout)) +
         graph_legend(drawing);
}

}  // namespace petri
