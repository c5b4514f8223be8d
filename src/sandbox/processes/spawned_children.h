// The children that guests have spawned, by address: who asked for each, where it is, and who gets a message when it
// ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/child_exit.h"
#include "process/process.h"

namespace petri {

// A name is here from before its child is started until its place is empty, so that no other child gets it meanwhile.
// Not for several threads at once.
class SpawnedChildren {
 public:
  // dynamic: the tree that only spawned children are in. pool: a simple_one_for_one of the spec's tree.
  enum class Where : std::uint8_t { dynamic, pool };
  struct Child {
    std::weak_ptr<Process> parent;
    Where where = Where::dynamic;
    bool started = false;             // the end of a child that never started is not reported
    std::optional<ChildExit> exited;  // it has ended, and its supervisor has not said yet what comes next
  };
  // A message and who gets it.
  struct Notice {
    ProcessPtr parent;
    Message message;
  };

  // Returns false if there is one of this address already.
  bool add(std::string address, Child child) { return children_.emplace(std::move(address), std::move(child)).second; }
  // It was not started after all.
  void remove(std::string_view address);
  void clear() { children_.clear(); }
  // Their tree is gone.
  void remove_dynamic() {
    std::erase_if(children_, [](const auto& child) { return child.second.where == Where::dynamic; });
  }

  // The child of this address; nullptr if no guest has spawned one.
  const Child* find(std::string_view address) const;
  bool is_dynamic(std::string_view address) const;
  std::vector<std::string> dynamic() const;

  // Reports to the parent what becomes of a child. Other addresses concern nobody here.
  void exited(std::string_view address, const Result<Outcome>& how);
  // It runs: for the first time, or again after an end that is reported to its parent now.
  std::optional<Notice> started(std::string_view address);
  // Its place is empty, and its name free.
  std::optional<Notice> gone(std::string_view address);

 private:
  static std::optional<Notice> notice(const std::string& address, const Child& child, bool runs_again);

  std::map<std::string, Child, std::less<>> children_;
};

}  // namespace petri
