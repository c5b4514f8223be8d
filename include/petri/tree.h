// The supervision tree of a sandbox, as a value: which processes there are, in which order, and what happens when one
// ends. The words and their meaning are those of the supervisor of Erlang/OTP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "petri/result.h"

namespace petri {

// The children that are restarted when one of them ends: that one, all of them, or that one and those after it in start
// order. Under simple_one_for_one no child exists at the start; all are added later and follow one template.
enum class Strategy { one_for_one, one_for_all, rest_for_one, simple_one_for_one };
std::string_view name_of(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
const std::vector<Strategy>& all_strategies();

// When a child that ended is started anew: always, only after an end that was not orderly, never.
enum class RestartType { permanent, transient, temporary };
std::string_view name_of(RestartType type);
std::optional<RestartType> restart_type_named(std::string_view name);
const std::vector<RestartType>& all_restart_types();

// The time that a child has to end when it is stopped: none (it is killed at once), a time to end in order, or all the
// time it takes. Written "brutal", "5s" or "infinity".
class Shutdown {
 public:
  static constexpr std::chrono::nanoseconds kDefault = std::chrono::seconds(5);

  constexpr Shutdown() = default;
  // The three ways, and their words.
  static constexpr Shutdown brutal() { return Shutdown(Kind::brutal, {}); }
  static constexpr Shutdown after(std::chrono::nanoseconds timeout) { return Shutdown(Kind::timeout, timeout); }
  static constexpr Shutdown infinity() { return Shutdown(Kind::infinity, {}); }
  static Result<Shutdown> parse(std::string_view text);

  constexpr bool is_brutal() const { return kind_ == Kind::brutal; }
  // The time it has to end in order; none when it is killed at once or may take for ever.
  constexpr std::optional<std::chrono::nanoseconds> timeout() const {
    return kind_ == Kind::timeout ? std::optional(timeout_) : std::nullopt;
  }
  std::string to_text() const;
  constexpr bool operator==(const Shutdown&) const = default;

 private:
  enum class Kind { brutal, timeout, infinity };
  constexpr Shutdown(Kind kind, std::chrono::nanoseconds timeout) : kind_(kind), timeout_(timeout) {}

  Kind kind_ = Kind::timeout;
  std::chrono::nanoseconds timeout_ = kDefault;
};

// One process of the tree.
struct ChildSpec {
  std::string id;      // its name among its siblings
  std::string module;  // whose active version it is an instance of
  RestartType restart = RestartType::permanent;
  Shutdown shutdown;
  std::string input;  // bytes handed to petri_init
  bool operator==(const ChildSpec&) const = default;
};

class TreeChild;

// A supervisor and what is below it. `id`, `restart` and `shutdown` are those of a child, and mean nothing at the root.
struct SupervisorSpec {
  std::string id;
  Strategy strategy = Strategy::one_for_one;
  std::uint32_t intensity = 1;                            // restarts allowed ...
  std::chrono::seconds period = std::chrono::seconds(5);  // ... in this time; with one more the supervisor gives up
  RestartType restart = RestartType::permanent;
  Shutdown shutdown = Shutdown::infinity();
  std::vector<TreeChild> children;  // in start order; with simple_one_for_one the template alone
  bool operator==(const SupervisorSpec& other) const;
};

// A process, or a supervisor with a tree of its own.
class TreeChild {
 public:
  TreeChild(ChildSpec child) : node_(std::move(child)) {}                 // NOLINT: a list of children reads as one
  TreeChild(SupervisorSpec supervisor) : node_(std::move(supervisor)) {}  // NOLINT

  const ChildSpec* process() const { return std::get_if<ChildSpec>(&node_); }
  const SupervisorSpec* supervisor() const { return std::get_if<SupervisorSpec>(&node_); }

  const std::string& id() const;
  RestartType restart() const;
  Shutdown shutdown() const;
  bool operator==(const TreeChild&) const = default;

 private:
  std::variant<ChildSpec, SupervisorSpec> node_;
};

// The fields that one child of a simple_one_for_one has of its own; the rest is the template's.
struct InstanceSpec {
  std::string id;                    // empty: one is derived from the template's, "worker-1"
  std::optional<std::string> input;  // bytes handed to petri_init; nullopt: the template's
};

constexpr std::size_t kTreeDepthMax = 16;            // supervisors on the way to a process, the root included
constexpr std::size_t kTreeChildrenMax = 1'000'000;  // processes and supervisors together
constexpr std::uint32_t kIntensityMax = 1'000'000;
constexpr std::chrono::seconds kPeriodMax = std::chrono::hours(24 * 366);
constexpr std::chrono::nanoseconds kShutdownTimeoutMax = std::chrono::hours(24);

// Everything that is wrong with the tree in one validation_failed: ids, duplicates among siblings, modules that are not
// among those given, values out of range, too many children, too deep. Each has a detail "field" that says where, such
// as "children[1].intensity"; beyond kTreeComplaintsMax they are only counted.
Result<void> validate(const SupervisorSpec& tree, std::span<const std::string> modules);
constexpr std::size_t kTreeComplaintsMax = 100;

// {"strategy": "rest_for_one", "intensity": 3, "period": "10s", "children": [
//    {"id": "store", "module": "kv", "restart": "transient", "shutdown": "brutal", "input": "text"},
//    {"id": "pool", "strategy": "simple_one_for_one", "children": [{"id": "worker", "module": "w"}]}]}
// What has "children" is a supervisor. Input that is no UTF-8 stands in "input_hex" instead of "input". What is not
// JSON is parse_failed; unknown, missing and mistyped fields are one validation_failed with all of them. Says nothing
// about whether the tree makes sense: that is validate().
Result<SupervisorSpec> parse_tree(std::string_view json);
// One line that parse_tree() reads back as an equal tree; values that are the default are left out.
std::string to_json(const SupervisorSpec& tree);

}  // namespace petri
