#include "petri/tree.h"

#include "base/name_table.h"
#include "base/text/units.h"

namespace petri {
namespace {

constexpr NameTable<4> kStrategies = {"one_for_one", "one_for_all", "rest_for_one", "simple_one_for_one"};
constexpr NameTable<3> kRestartTypes = {"permanent", "transient", "temporary"};

}  // namespace

std::string_view name_of(Strategy strategy) { return name_in(kStrategies, strategy); }
std::optional<Strategy> strategy_named(std::string_view name) { return find_name<Strategy>(kStrategies, name); }

const std::vector<Strategy>& all_strategies() {
  static const std::vector<Strategy> all = {Strategy::one_for_one, Strategy::one_for_all, Strategy::rest_for_one,
                                            Strategy::simple_one_for_one};
  return all;
}

std::string_view name_of(RestartType type) { return name_in(kRestartTypes, type); }
std::optional<RestartType> restart_type_named(std::string_view name) {
  return find_name<RestartType>(kRestartTypes, name);
}

const std::vector<RestartType>& all_restart_types() {
  static const std::vector<RestartType> all = {RestartType::permanent, RestartType::transient, RestartType::temporary};
  return all;
}

Result<Shutdown> Shutdown::parse(std::string_view text) {
  if (text == "brutal") return brutal();
  if (text == "infinity") return infinity();
  PETRI_TRY(const auto timeout, parse_duration(text));
  return after(timeout);
}

std::string Shutdown::to_text() const {
  if (kind_ == Kind::brutal) return "brutal";
  return kind_ == Kind::infinity ? "infinity" : format_duration(timeout_);
}

bool SupervisorSpec::operator==(const SupervisorSpec& other) const = default;

const std::string& TreeChild::id() const {
  return std::visit([](const auto& node) -> const std::string& { return node.id; }, node_);
}
RestartType TreeChild::restart() const {
  return std::visit([](const auto& node) { return node.restart; }, node_);
}
Shutdown TreeChild::shutdown() const {
  return std::visit([](const auto& node) { return node.shutdown; }, node_);
}

}  // namespace petri
