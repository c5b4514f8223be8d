#include "modules/dependency_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace petri {
namespace {

// Walks without recursion: a chain of modules may be longer than a stack is deep.
class Walk {
 public:
  explicit Walk(const DependencyGraph& graph) : graph_(graph) {}

  Result<void> visit(const std::string& module) {
    enter(module);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next == step.imports->size()) {
        leave();
        continue;
      }
      const std::string& import = (*step.imports)[step.next++];
      if (on_path_.contains(import)) return ring(import);
      enter(import);
    }
    return {};
  }
  std::vector<std::string> take_order() { return std::move(order_); }

 private:
  struct Step {
    std::string_view module;
    const std::vector<std::string>* imports;
    std::size_t next = 0;
  };

  void enter(const std::string& module) {
    const auto found = graph_.find(module);
    if (found == graph_.end() || !seen_.insert(found->first).second) return;
    on_path_.insert(found->first);
    path_.push_back({.module = found->first, .imports = &found->second});
  }
  void leave() {
    on_path_.erase(path_.back().module);
    order_.emplace_back(path_.back().module);
    path_.pop_back();
  }
  std::unexpected<Error> ring(std::string_view module) const {
    std::vector<std::string_view> names;
    const auto first = std::ranges::find(path_, module, &Step::module);
    for (auto step = first; step != path_.end(); ++step) names.push_back(step->module);
    names.push_back(module);
    const std::string text = fmt::format("{}", fmt::join(names, " -> "));
    return fail(Error{.code = ErrorCode::circular_dependency,
                      .message = fmt::format("modules import from one another in a ring: {}", text),
                      .details = {}}
                    .with("ring", text));
  }

  const DependencyGraph& graph_;
  std::set<std::string_view> seen_, on_path_;
  std::vector<Step> path_;
  std::vector<std::string> order_;
};

}  // namespace

Result<std::vector<std::string>> dependency_order(const DependencyGraph& graph) {
  Walk walk(graph);
  for (const auto& [module, imports] : graph) {
    PETRI_TRY(walk.visit(module));
  }
  return walk.take_order();
}

Result<std::vector<std::string>> dependency_order(const DependencyGraph& graph, std::string_view module) {
  Walk walk(graph);
  PETRI_TRY(walk.visit(std::string(module)));
  return walk.take_order();
}

std::set<std::string> dependents_of(const DependencyGraph& graph, const std::vector<std::string>& modules) {
  std::map<std::string_view, std::vector<std::string_view>> importers;
  for (const auto& [module, imports] : graph) {
    for (const std::string& import : imports) importers[import].push_back(module);
  }
  std::set<std::string> found;
  std::vector<std::string_view> left(modules.begin(), modules.end());
  while (!left.empty()) {
    const std::string_view next = left.back();
    left.pop_back();
    for (const std::string_view importer : importers[next]) {
      if (found.emplace(importer).second) left.push_back(importer);
    }
  }
  for (const std::string& module : modules) found.erase(module);
  return found;
}

}  // namespace petri
