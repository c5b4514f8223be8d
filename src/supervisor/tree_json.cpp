#include "supervisor/tree_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <span>

#include "base/json/bounded_json.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "supervisor/tree_check.h"

namespace petri {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kProcessNames[] = {"id", "module", "restart", "shutdown", "input", "input_hex"};
constexpr std::string_view kInstanceNames[] = {"supervisor", "id", "input", "input_hex"};
// The outermost supervisor has none of the first ones: it stands below no other.
constexpr std::size_t kNamesOfInner = 3;
constexpr std::string_view kSupervisorNames[] = {"id",        "restart", "shutdown", "strategy",
                                                 "intensity", "period",  "children"};

template <typename Enum>
void read_name(const JsonReader& value, Enum& target, const std::vector<Enum>& all) {
  JsonReader::assign(target, value.one_of<Enum>(all.size()));
}

// A value above kIntensityMax is a number still, which validate() refuses with all else.
void read_intensity(const JsonReader& value, std::uint32_t& target) {
  if (!value.is_there()) return;
  const Json& json = value.json();
  const bool fits = json.is_number_unsigned() && json.get<std::uint64_t>() <= UINT32_MAX;
  if (!fits) return value.refuse(fmt::format("is not an integer from 0 to {}", kIntensityMax));
  target = json.get<std::uint32_t>();
}

void read_shutdown(const JsonReader& value, Shutdown& target) {
  const auto written = value.string();
  if (!written) return;
  if (const auto parsed = Shutdown::parse(*written)) {
    target = *parsed;
  } else {
    value.refuse_word(*written, "brutal, infinity or a time such as 5s");
  }
}

void read_period(const JsonReader& value, std::chrono::seconds& target) {
  const auto written = value.string();
  if (!written) return;
  const auto parsed = parse_duration(*written);
  if (parsed && *parsed % std::chrono::seconds(1) == std::chrono::nanoseconds(0)) {
    target = std::chrono::duration_cast<std::chrono::seconds>(*parsed);
  } else {
    value.refuse(fmt::format("is {} but must be a time in whole seconds such as 5s", in_quotes(*written)));
  }
}

void read_input(const JsonReader& object, std::string& input) {
  object["input"].read(input);
  const JsonReader digits = object["input_hex"];
  if (const auto bytes = digits.hex()) input.assign(bytes->begin(), bytes->end());
  if (object["input"].is_there()) digits.refuse("stands beside input, and only one of them can be");
}

ChildSpec read_process(const JsonReader& object) {
  object.check_names(kProcessNames);
  ChildSpec child;
  object["id"].required().read(child.id);
  object["module"].required().read(child.module);
  read_name(object["restart"], child.restart, all_restart_types());
  read_shutdown(object["shutdown"], child.shutdown);
  read_input(object, child.input);
  return child;
}

PoolInstance read_pool_instance(const JsonReader& object) {
  object.check_names(kInstanceNames);
  PoolInstance one;
  object["supervisor"].read(one.supervisor);
  object["id"].required().read(one.instance.id);
  if (object["input"].is_there() || object["input_hex"].is_there()) {
    read_input(object, one.instance.input.emplace());
  }
  return one;
}

// Depth is bounded here too: what is read recursively must not outgrow the stack.
SupervisorSpec read_supervisor(const JsonReader& object, std::size_t depth) {
  SupervisorSpec supervisor;
  if (depth > kTreeDepthMax) {
    object.refuse(fmt::format("stands deeper than {} supervisors", kTreeDepthMax));
    return supervisor;
  }
  object.check_names(std::span(kSupervisorNames).subspan(depth == 1 ? kNamesOfInner : 0));
  if (depth > 1) {
    object["id"].required().read(supervisor.id);
    read_name(object["restart"], supervisor.restart, all_restart_types());
    read_shutdown(object["shutdown"], supervisor.shutdown);
  }
  read_name(object["strategy"], supervisor.strategy, all_strategies());
  read_intensity(object["intensity"], supervisor.intensity);
  read_period(object["period"], supervisor.period);
  object["children"].elements([&](const JsonReader& child) {
    if (!child.is_object()) {
      child.refuse("is not a JSON object");
    } else if (child["children"].is_there()) {
      supervisor.children.emplace_back(read_supervisor(child, depth + 1));
    } else {
      supervisor.children.emplace_back(read_process(child));
    }
  });
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
    object["input_hex"] = to_hex(as_bytes(child.input));
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

SupervisorSpec read_tree(const JsonReader& tree) {
  if (tree.is_object()) return read_supervisor(tree, 1);
  tree.refuse("is not a JSON object");
  return {};
}

// A child has six fields, so that no more than these and their names are wanted.
Result<SpawnSpec> parse_spawned(std::string_view json, std::size_t bytes_max,
                                const std::function<bool()>& may_continue) {
  const auto parsed = parse_json(json, {.bytes_max = bytes_max, .depth_max = 1, .values_max = 16}, may_continue);
  if (!parsed) return fail(parsed.error().error("the child"));
  if (!parsed->is_object()) return fail(ErrorCode::parse_failed, "a child is a JSON object");
  Complaints complaints;
  const JsonReader reader(*parsed, complaints);
  SpawnSpec child =
      reader["supervisor"].is_there() ? SpawnSpec(read_pool_instance(reader)) : SpawnSpec(read_process(reader));
  PETRI_TRY(complaints.result(ErrorCode::validation_failed, kTreeOpening));
  return child;
}

Result<SupervisorSpec> parse_tree(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return fail(parsed.error().error("the tree"));
  Complaints complaints;
  SupervisorSpec tree = read_tree(JsonReader(*parsed, complaints));
  PETRI_TRY(complaints.result(ErrorCode::validation_failed, kTreeOpening));
  return tree;
}

std::string to_json(const SupervisorSpec& tree) {
  return write_tree(tree).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace petri
