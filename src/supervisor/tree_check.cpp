#include "supervisor/tree_check.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/ids.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {
namespace {

std::string field_path(const std::string& parent, std::string_view field) {
  return parent.empty() ? std::string(field) : fmt::format("{}.{}", parent, field);
}

class TreeCheck {
 public:
  TreeCheck(std::span<const std::string> modules, Complaints& complaints)
      : modules_(modules.begin(), modules.end()), complaints_(complaints) {}

  void check(const SupervisorSpec& tree, const std::string& where) {
    check_supervisor(tree, where, 1);
    if (children_ > kTreeChildrenMax) {
      complaints_.add(where, fmt::format("has {} children and {} are allowed", format_count(children_),
                                         format_count(kTreeChildrenMax)));
    }
  }

 private:
  void check_supervisor(const SupervisorSpec& supervisor, const std::string& where, std::size_t depth) {
    if (depth > kTreeDepthMax) {
      complaints_.add(where, fmt::format("stands deeper than {} supervisors", kTreeDepthMax));
      return;
    }
    check_ranges(supervisor, where);
    if (supervisor.strategy == Strategy::simple_one_for_one && supervisor.children.size() != 1) {
      complaints_.add(where, fmt::format("is simple_one_for_one and has {} children where one, the template, must be",
                                         supervisor.children.size()));
    }
    check_children(supervisor, where, depth);
  }

  void check_ranges(const SupervisorSpec& supervisor, const std::string& where) {
    if (supervisor.intensity > kIntensityMax) {
      complaints_.add(
          field_path(where, "intensity"),
          fmt::format("is {} but goes from 0 to {}", format_count(supervisor.intensity), format_count(kIntensityMax)));
    }
    if (supervisor.period < std::chrono::seconds(1) || supervisor.period > kPeriodMax) {
      complaints_.add(field_path(where, "period"),
                      fmt::format("is {} s but goes from 1 s to {} s", supervisor.period.count(), kPeriodMax.count()));
    }
  }

  void check_children(const SupervisorSpec& supervisor, const std::string& where, std::size_t depth) {
    std::unordered_set<std::string_view> ids;
    for (std::size_t index = 0; index < supervisor.children.size(); ++index) {
      const TreeChild& child = supervisor.children[index];
      const std::string path = field_path(where, fmt::format("children[{}]", index));
      ++children_;
      check_id(child.id(), path, ids);
      check_shutdown(child.shutdown(), path);
      if (child.process()) check_module(child.process()->module, path);
      if (child.supervisor()) check_supervisor(*child.supervisor(), path, depth + 1);
    }
  }

  void check_id(std::string_view id, const std::string& where, std::unordered_set<std::string_view>& ids) {
    const std::string shown = escape_text(id, kWordShownBytesMax);
    if (!is_sandbox_id(id)) {
      complaints_.add(field_path(where, "id"),
                      fmt::format("is \"{}\", and an id has 1 to {} letters, digits, \"_\" or \"-\" and starts with "
                                  "a letter or digit",
                                  shown, kSandboxIdBytesMax));
    }
    if (!ids.insert(id).second) {
      complaints_.add(field_path(where, "id"), fmt::format("is \"{}\", as is that of a sibling before it", shown));
    }
  }

  void check_shutdown(Shutdown shutdown, const std::string& where) {
    const auto timeout = shutdown.timeout();
    if (!timeout || (timeout->count() >= 0 && *timeout <= kShutdownTimeoutMax)) return;
    complaints_.add(field_path(where, "shutdown"), fmt::format("is {} ns but goes from 0 s to {}", timeout->count(),
                                                               format_duration(kShutdownTimeoutMax)));
  }

  void check_module(std::string_view module, const std::string& where) {
    if (modules_.contains(module)) return;
    complaints_.add(field_path(where, "module"), fmt::format("is \"{}\", and the sandbox has no module of that name",
                                                             escape_text(module, kWordShownBytesMax)));
  }

  std::unordered_set<std::string_view> modules_;
  Complaints& complaints_;
  std::size_t children_ = 0;
};

}  // namespace

void check_tree(const SupervisorSpec& tree, std::span<const std::string> modules, const std::string& where,
                Complaints& complaints) {
  TreeCheck(modules, complaints).check(tree, where);
}

Result<void> validate(const SupervisorSpec& tree, std::span<const std::string> modules) {
  Complaints complaints;
  check_tree(tree, modules, "", complaints);
  return complaints.result(ErrorCode::validation_failed, kTreeOpening);
}

}  // namespace petri
