// The state that processes had when their code was switched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/instance/instance_image.h"
#include "petri/state.h"
#include "process/account/tree_account.h"
#include "sandbox/timers/guest_timers.h"

namespace petri {

// The state that the processes of a module had when it was switched, for the way back. On the account of the sandbox,
// which outlives it.
class SwitchSnapshot {
 public:
  struct Kept {
    std::shared_ptr<const InstanceImage> image;  // all of it, of what is movable,
    std::optional<StateDocument> document;       // else what it describes
    std::vector<ArtifactId> modules;             // of which code: its module and those it is linked with
  };

  SwitchSnapshot(TreeAccount& account, std::uint64_t from, std::uint64_t to)
      : account_(account), from_(from), to_(to) {}
  ~SwitchSnapshot() { account_.give_back(bytes_); }
  SwitchSnapshot(const SwitchSnapshot&) = delete;
  SwitchSnapshot& operator=(const SwitchSnapshot&) = delete;

  // Keeps the state of one process. Where there is no room for it, or nothing that can be kept, an empty state is kept:
  // a roll back then says why that process has lost its state.
  void keep(const std::string& process, Kept state);
  // Takes an image that somebody else keeps anyway.
  void borrow(const std::string& process, std::shared_ptr<const InstanceImage> image) {
    kept_[process].image = std::move(image);
  }
  // nullptr if this process did not take part in the switch.
  const Kept* find(const std::string& process) const;
  void keep_timers(const std::string& process, std::vector<GuestTimer> timers) {
    timers_.insert_or_assign(process, std::move(timers));
  }
  // The timers of a process; nullptr if nobody kept them.
  const std::vector<GuestTimer>* timers_of(const std::string& process) const;
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return to_; }

 private:
  TreeAccount& account_;
  const std::uint64_t from_, to_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, Kept> kept_;
  std::map<std::string, std::vector<GuestTimer>> timers_;
};

}  // namespace petri
