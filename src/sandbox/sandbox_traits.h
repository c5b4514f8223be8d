// Traits that sandboxes made alike have in common, kept once: populations are large, and alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "host/host_context.h"
#include "petri/sandbox.h"
#include "sandbox/spec/spec_check.h"

namespace petri {

// Immutable once it is shared: live_limits and update_permissions change the account and the granted permissions, never
// the traits. Compared whole, since a sandbox that differs in one of them has traits of its own.
struct SandboxTraits {
  ProfileSpec profile;
  LimitActions on_limit;
  ImportRules imports;
  Recovery recovery;
  std::shared_ptr<const ReloadPolicy> reload;  // nullptr: the default; by address, since handlers cannot be compared
  BreakerOptions breaker;
  std::string folder;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::optional<std::chrono::nanoseconds> idle_keep;
  std::chrono::nanoseconds dead_keep{};
  SandboxPolicy policy;        // as at the start; limits and permissions may have been changed since
  EndingLimits ending_limits;  // of on_limit

  const ReloadPolicy& reload_policy() const {
    static const ReloadPolicy as_it_is;
    return reload == nullptr ? as_it_is : *reload;
  }
  bool operator==(const SandboxTraits&) const = default;
};
// The part of a spec that no other sandbox has.
struct OwnSpec {
  std::string id;
  std::optional<std::uint64_t> generation;
  std::uint64_t seed = 0;
  bool deterministic = false;
  bool auto_reload = false;
  Tier tier = Tier::automatic;
  std::function<void(std::string_view process, LogLevel level, std::string_view line)> on_log;
};
using SandboxTraitsPtr = std::shared_ptr<const SandboxTraits>;

// Takes its parts out of the spec.
SandboxTraits take_traits(SandboxSpec& spec, SandboxPolicy policy);

// Remembers those that were asked for last, which finds nearly all: populations are created one kind after the other.
// Any thread.
class SharedTraits {
 public:
  SandboxTraitsPtr share(SandboxTraits traits) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  SandboxTraitsPtr last_ GUARDED_BY(mutex_);
};

}  // namespace petri
