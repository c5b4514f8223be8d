// Trees inside larger JSON documents.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json/json_reader.h"
#include "petri/tree.h"

namespace petri {

// Reads as far as it can; what it cannot is a complaint, and holds the default in the tree.
SupervisorSpec read_tree(const JsonReader& tree);
// One more child after the template of a simple_one_for_one.
struct PoolInstance {
  std::string supervisor;
  InstanceSpec instance;
};
using SpawnSpec = std::variant<ChildSpec, PoolInstance>;
// One child that is a process, which a guest asks for: {"id": "a", "module": "m"} has the fields of a child,
// {"supervisor": "pool", "id": "a", "input": "text"} follows a template. On the guest's clock: `may_continue` is asked
// while it is parsed, false gives up. At most `bytes_max` bytes are read.
Result<SpawnSpec> parse_spawned(std::string_view json, std::size_t bytes_max,
                                const std::function<bool()>& may_continue);
nlohmann::json write_tree(const SupervisorSpec& tree);

}  // namespace petri
