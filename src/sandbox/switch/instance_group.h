// The instances of one process: of its module, and of those it is linked with.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/instance/linked_code.h"

namespace petri {

// The instances of a process by the names of their modules; one that is by itself is a group of one, so that state
// crosses by one rule for both. Made for one crossing, by the thread that has taken the process; instance and name
// outlive it.
class InstanceGroup {
 public:
  InstanceGroup(Instance& instance, const std::string& module) : instance_(instance), module_(module) {
    for (std::size_t at = 0; at < size(); ++at) places_.emplace(name(at), at);
  }

  // Members stand after those that they import from, so the module of the process comes last.
  std::size_t size() const { return linked() == nullptr ? 1 : linked()->members().size(); }
  const std::string& name(std::size_t at) const { return linked() == nullptr ? module_ : linked()->members()[at].name; }
  Instance& instance(std::size_t at) const { return linked() == nullptr ? instance_ : linked()->member(at); }
  // The place of a member in the linked instance; nullopt for an instance that is by itself.
  std::optional<std::size_t> place(std::size_t at) const {
    return linked() == nullptr ? std::nullopt : std::optional(at);
  }
  std::optional<std::size_t> find(std::string_view module) const {
    const auto found = places_.find(module);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  LinkedInstance* linked() const { return instance_.linked(); }
  Instance& instance_;
  const std::string& module_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace petri
