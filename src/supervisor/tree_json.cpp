#include "supervisor/tree_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "base/bounded_json.h"
#include "base/escape.h"
#include "base/hex.h"
#include "base/units.h"
#include "base/utf8.h"
#include "supervisor/tree_path.h"

namespace petri {
namespace {

using Json = nlohmann::json;

// One object and its fields. A field that is not what it should be is a complaint and leaves its target as it was.
class Fields {
 public:
  Fields(const Json& object, const std::string& where, Complaints& complaints)
      : object_(object), where_(where), complaints_(complaints) {}

  void check_names(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(known, name) != known.end()) continue;
      refuse(escape_text(name, kWordShownBytesMax),
             fmt::format("is no field here (there are {})", fmt::join(known, ", ")));
    }
  }

  // The field if it is there and a text.
  const std::string* text(std::string_view name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) return nullptr;
    if (!found->is_string()) refuse(name, "is not a string");
    return found->get_ptr<const std::string*>();
  }

  void read(std::string_view name, std::string& target) const {
    if (const std::string* found = text(name)) target = *found;
  }
  void read_required(std::string_view name, std::string& target) const {
    if (!object_.contains(name)) refuse(name, "is missing");
    read(name, target);
  }

  template <typename Enum>
  void read(std::string_view name, Enum& target, std::optional<Enum> (*named)(std::string_view),
            const std::vector<Enum>& all) const {
    const std::string* found = text(name);
    if (found == nullptr) return;
    if (const auto value = named(*found)) {
      target = *value;
      return;
    }
    std::vector<std::string_view> names;
    for (Enum value : all) names.push_back(name_of(value));
    refuse(name, fmt::format("is \"{}\" but can be {}", shown(*found), fmt::join(names, ", ")));
  }

  void read(std::string_view name, Shutdown& target) const {
    const std::string* found = text(name);
    if (found == nullptr) return;
    if (const auto value = Shutdown::parse(*found)) {
      target = *value;
    } else {
      refuse(name, fmt::format("is \"{}\" but can be brutal, infinity or a time such as 5s", shown(*found)));
    }
  }

  void read(std::string_view name, std::chrono::seconds& target) const {
    const std::string* found = text(name);
    if (found == nullptr) return;
    const auto value = parse_duration(*found);
    if (value && *value % std::chrono::seconds(1) == std::chrono::nanoseconds(0)) {
      target = std::chrono::duration_cast<std::chrono::seconds>(*value);
    } else {
      refuse(name, fmt::format("is \"{}\" but must be a time in whole seconds such as 5s", shown(*found)));
    }
  }

  void read(std::string_view name, std::uint32_t& target) const {
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    if (found->is_number_unsigned() && found->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max()) {
      target = found->get<std::uint32_t>();
    } else {
      refuse(name, fmt::format("is not an integer from 0 to {}", kIntensityMax));
    }
  }

  void read_hex(std::string_view name, std::string& target) const {
    const std::string* found = text(name);
    if (found == nullptr) return;
    if (const auto bytes = from_hex(*found)) {
      target.assign(bytes->begin(), bytes->end());
    } else {
      refuse(name, "is not an even number of hexadecimal digits");
    }
  }

  void refuse(std::string_view name, std::string what) const {
    complaints_.add(field_path(where_, name), std::move(what));
  }

 private:
  static std::string shown(std::string_view text) { return escape_text(text, kWordShownBytesMax); }

  const Json& object_;
  const std::string& where_;
  Complaints& complaints_;
};

void read_input(const Json& object, const Fields& fields, std::string& input) {
  fields.read("input", input);
  fields.read_hex("input_hex", input);
  if (object.contains("input") && object.contains("input_hex")) {
    fields.refuse("input_hex", "stands beside input, and only one of them can be");
  }
}

ChildSpec read_process(const Json& object, const std::string& where, Complaints& complaints) {
  const Fields fields(object, where, complaints);
  fields.check_names({"id", "module", "restart", "shutdown", "input", "input_hex"});
  ChildSpec child;
  fields.read_required("id", child.id);
  fields.read_required("module", child.module);
  fields.read("restart", child.restart, restart_type_named, all_restart_types());
  fields.read("shutdown", child.shutdown);
  read_input(object, fields, child.input);
  return child;
}

PoolInstance read_pool_instance(const Json& object, Complaints& complaints) {
  const std::string where;
  const Fields fields(object, where, complaints);
  fields.check_names({"supervisor", "id", "input", "input_hex"});
  PoolInstance one;
  fields.read("supervisor", one.supervisor);
  fields.read_required("id", one.instance.id);
  if (object.contains("input") || object.contains("input_hex")) {
    read_input(object, fields, one.instance.input.emplace());
  }
  return one;
}

// Depth is bounded here too: what is read recursively must not outgrow the stack.
SupervisorSpec read_supervisor(const Json& object, const std::string& where, std::size_t depth, Complaints& complaints);

void read_children(const Json& list, const std::string& where, std::size_t depth, Complaints& complaints,
                   std::vector<TreeChild>& children) {
  for (std::size_t index = 0; index < list.size(); ++index) {
    const std::string path = child_path(where, index);
    const Json& one = list[index];
    if (!one.is_object()) {
      complaints.add(path, "is not a JSON object");
    } else if (one.contains("children")) {
      children.emplace_back(read_supervisor(one, path, depth + 1, complaints));
    } else {
      children.emplace_back(read_process(one, path, complaints));
    }
  }
}

SupervisorSpec read_supervisor(const Json& object, const std::string& where, std::size_t depth,
                               Complaints& complaints) {
  SupervisorSpec supervisor;
  if (depth > kTreeDepthMax) {
    complaints.add(where, fmt::format("stands deeper than {} supervisors", kTreeDepthMax));
    return supervisor;
  }
  const Fields fields(object, where, complaints);
  if (depth == 1) {
    fields.check_names({"strategy", "intensity", "period", "children"});
  } else {
    fields.check_names({"id", "strategy", "intensity", "period", "restart", "shutdown", "children"});
    fields.read_required("id", supervisor.id);
    fields.read("restart", supervisor.restart, restart_type_named, all_restart_types());
    fields.read("shutdown", supervisor.shutdown);
  }
  fields.read("strategy", supervisor.strategy, strategy_named, all_strategies());
  fields.read("intensity", supervisor.intensity);
  fields.read("period", supervisor.period);
  const auto children = object.find("children");
  if (children == object.end()) return supervisor;
  if (!children->is_array()) {
    fields.refuse("children", "is not a list");
  } else {
    read_children(*children, where, depth, complaints, supervisor.children);
  }
  return supervisor;
}

std::string nanoseconds_text(std::chrono::nanoseconds time) {
  const bool whole = time % std::chrono::seconds(1) == std::chrono::nanoseconds(0);
  return whole ? fmt::format("{}s", time / std::chrono::seconds(1)) : fmt::format("{}ns", time.count());
}

// Exact, unlike Shutdown::to_text().
std::string shutdown_text(Shutdown shutdown) {
  return shutdown.timeout() ? nanoseconds_text(*shutdown.timeout()) : shutdown.to_text();
}

Json write_process(const ChildSpec& child) {
  const ChildSpec defaults;
  Json object = {{"id", child.id}, {"module", child.module}};
  if (child.restart != defaults.restart) object["restart"] = name_of(child.restart);
  if (child.shutdown != defaults.shutdown) object["shutdown"] = shutdown_text(child.shutdown);
  if (child.input.empty()) return object;
  if (is_utf8(child.input)) {
    object["input"] = child.input;
  } else {
    object["input_hex"] = to_hex({reinterpret_cast<const std::uint8_t*>(child.input.data()), child.input.size()});
  }
  return object;
}

}  // namespace

Json write_tree(const SupervisorSpec& tree) {
  const SupervisorSpec defaults;
  Json object = Json::object();
  if (!tree.id.empty()) object["id"] = tree.id;
  if (tree.strategy != defaults.strategy) object["strategy"] = name_of(tree.strategy);
  if (tree.intensity != defaults.intensity) object["intensity"] = tree.intensity;
  if (tree.period != defaults.period) object["period"] = nanoseconds_text(tree.period);
  if (tree.restart != defaults.restart) object["restart"] = name_of(tree.restart);
  if (tree.shutdown != defaults.shutdown) object["shutdown"] = shutdown_text(tree.shutdown);
  Json& children = object["children"] = Json::array();
  for (const TreeChild& child : tree.children) {
    children.push_back(child.process() ? write_process(*child.process()) : write_tree(*child.supervisor()));
  }
  return object;
}

SupervisorSpec read_tree(const Json& json, const std::string& where, Complaints& complaints) {
  if (json.is_object()) return read_supervisor(json, where, 1, complaints);
  complaints.add(where, "is not a JSON object");
  return {};
}

// A child has six fields, so that no more than these and their names are wanted.
Result<SpawnSpec> parse_spawned(std::string_view json, std::size_t bytes_max,
                                const std::function<bool()>& may_continue) {
  const auto parsed = parse_json(json, {.bytes_max = bytes_max, .depth_max = 1, .values_max = 16}, may_continue);
  if (!parsed) return fail(parsed.error().error("the child"));
  if (!parsed->is_object()) return fail(ErrorCode::parse_failed, "a child is a JSON object");
  Complaints complaints;
  SpawnSpec child = parsed->contains("supervisor") ? SpawnSpec(read_pool_instance(*parsed, complaints))
                                                   : SpawnSpec(read_process(*parsed, "", complaints));
  PETRI_TRY(tree_result(complaints));
  return child;
}

Result<SupervisorSpec> parse_tree(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return fail(parsed.error().error("the tree"));
  Complaints complaints;
  SupervisorSpec tree = read_tree(*parsed, "", complaints);
  PETRI_TRY(tree_result(complaints));
  return tree;
}

std::string to_json(const SupervisorSpec& tree) {
  return write_tree(tree).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace petri
