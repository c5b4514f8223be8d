#include "population/lines/waiting_lines.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace petri {
namespace {

// Finds those that are their own ancestors: the components of more than one in the graph of waiting lines, after
// Tarjan, without recursion. A line that is its own parent never waits.
class Rings {
 public:
  explicit Rings(const std::vector<WaitingLines::Left>& lines) : lines_(lines), nodes_(lines.size()) {
    for (std::size_t at = 0; at < lines.size(); ++at) by_id_.emplace(lines[at].waiting.individual.id, at);
  }
  std::vector<bool> find() {
    std::vector<bool> in_ring(lines_.size(), false);
    for (std::size_t root = 0; root < lines_.size(); ++root) {
      if (nodes_[root].order == 0) visit(root, in_ring);
    }
    return in_ring;
  }

 private:
  struct Node {
    std::size_t order = 0, lowest = 0;  // 0: not visited
    std::size_t next_parent = 0;
    bool on_stack = false;
  };
  void enter(std::size_t at) {
    nodes_[at].order = nodes_[at].lowest = ++visited_;
    nodes_[at].on_stack = true;
    stack_.push_back(at);
    path_.push_back(at);
  }
  void visit(std::size_t root, std::vector<bool>& in_ring) {
    enter(root);
    while (!path_.empty()) {
      const std::size_t at = path_.back();
      const auto& parents = lines_[at].waiting.individual.parents;
      if (nodes_[at].next_parent < parents.size()) {
        look_at_parent(at, parents[nodes_[at].next_parent++]);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) nodes_[path_.back()].lowest = std::min(nodes_[path_.back()].lowest, nodes_[at].lowest);
      if (nodes_[at].lowest == nodes_[at].order) close_component(at, in_ring);
    }
  }
  void look_at_parent(std::size_t at, std::string_view parent) {
    const auto found = by_id_.find(parent);
    if (found == by_id_.end()) return;
    const Node& node = nodes_[found->second];
    if (node.order == 0) {
      enter(found->second);
    } else if (node.on_stack) {
      nodes_[at].lowest = std::min(nodes_[at].lowest, node.order);
    }
  }
  void close_component(std::size_t at, std::vector<bool>& in_ring) {
    const bool is_ring = stack_.back() != at;
    std::size_t member = 0;
    do {
      member = stack_.back();
      stack_.pop_back();
      nodes_[member].on_stack = false;
      in_ring[member] = is_ring;
    } while (member != at);
  }

  const std::vector<WaitingLines::Left>& lines_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> stack_, path_;
  std::size_t visited_ = 0;
};

}  // namespace

std::vector<WaitingLine> WaitingLines::take(const std::string& id) {
  const auto found = by_missing_.find(id);
  if (found == by_missing_.end()) return {};
  std::vector<WaitingLine> taken = std::move(found->second);
  by_missing_.erase(found);
  size_ -= taken.size();
  return taken;
}

std::vector<WaitingLines::Left> WaitingLines::take_all() {
  std::vector<Left> all;
  for (auto& [missing, lines] : by_missing_) {
    for (WaitingLine& line : lines) all.push_back({.waiting = std::move(line)});
  }
  by_missing_.clear();
  size_ = 0;
  std::ranges::sort(all, {}, [](const Left& left) { return left.waiting.line; });
  const std::vector<bool> in_ring = Rings(all).find();
  for (std::size_t at = 0; at < all.size(); ++at) all[at].in_ring = in_ring[at];
  return all;
}

}  // namespace petri
