// Which completion a thread is in, if it is in one.
#pragma once

#include <string_view>
#include <utility>

namespace petri {

class SandboxCore;

// While it lives, this thread calls a completion of this process, which answers nobody else meanwhile.
class InCompletion {
 public:
  struct Of {
    const SandboxCore* sandbox = nullptr;  // none
    std::string_view process;
  };

  explicit InCompletion(Of of) : before_(std::exchange(current(), of)) {}
  ~InCompletion() { current() = before_; }
  InCompletion(const InCompletion&) = delete;
  InCompletion& operator=(const InCompletion&) = delete;

  static Of here() { return current(); }

 private:
  static Of& current() {
    thread_local Of of;
    return of;
  }

  const Of before_;
};

}  // namespace petri
