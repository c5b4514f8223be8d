// Marks a thread as running code of the embedder that a process waits for: a completion, or a host function.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace petri {

// While it lives, this thread is in such code, and the process does nothing else until it returns. A verb that would
// wait for that process is refused as `deadlock` instead. Lives on the stack: marks of one thread nest.
class Inside {
 public:
  enum class What : std::uint8_t { completion, host_function };
  struct Process {
    const void* owner = nullptr;  // the sandbox; nullptr: a guest outside of one
    std::string_view name;
  };

  Inside(What what, Process process) : what_(what), process_(process), outer_(std::exchange(innermost(), this)) {}
  ~Inside() { innermost() = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // The innermost mark of this thread, or nullptr if there is none; outer() is the one around it.
  static const Inside* here() { return innermost(); }
  const Inside* outer() const { return outer_; }
  std::string_view what() const {
    return what_ == What::completion ? "a completion of the process" : "a host function that was called by the process";
  }
  const Process& process() const { return process_; }

 private:
  static const Inside*& innermost() {
    static thread_local const Inside* inside = nullptr;
    return inside;
  }

  const What what_;
  const Process process_;
  const Inside* const outer_;
};

}  // namespace petri
