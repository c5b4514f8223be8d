// The place of one process on the account of its sandbox.
#pragma once

#include <cstdint>
#include <string>

#include "petri/result.h"
#include "process/account/tree_account.h"

namespace petri {

// One of processes_max, and the bytes that the host holds for a live process. The thread that has entered the process
// takes the place before it creates an instance, and gives it back once the instance is gone.
class AccountPlace {
 public:
  // Made where it is needed, and not kept: every process would have one. Both outlive it; `process` is the name.
  AccountPlace(TreeAccount& account, const std::string& process) : account_(account), process_(process) {}

  bool try_take();
  // limit_exceeded when there is no room; the limit that was met is reported.
  Result<void> take();
  void give_back();

 private:
  std::uint64_t bytes() const;

  TreeAccount& account_;
  const std::string& process_;
};

}  // namespace petri
