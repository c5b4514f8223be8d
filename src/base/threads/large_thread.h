// A thread with a stack large enough that no guest meets its end.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "petri/result.h"

namespace petri {

// Only what is touched takes memory: the pages are mapped without being reserved.
constexpr std::size_t kLargeStackBytes = std::size_t{512} << 20;

class LargeThread {
 public:
  struct Options {
    std::string name = "petri";  // as debuggers show it; the kernel keeps 15 bytes
    std::size_t stack_bytes = kLargeStackBytes;
  };

  // Runs `body`, which must not throw, on a new thread; `busy` when the machine gives no stack or thread for it.
  // Signals the embedding program may wait for are blocked there; those that tell of a fault are not.
  static Result<std::unique_ptr<LargeThread>> start(Options options, std::function<void()> body);

  // Waits for the end of the body.
  ~LargeThread();
  LargeThread(const LargeThread&) = delete;
  LargeThread& operator=(const LargeThread&) = delete;

 private:
  LargeThread(Options options, std::function<void()> body);
  Result<void> map_stack();
  Result<void> start_thread();
  static void* enter(void* self);

  const Options options_;
  const std::function<void()> body_;
  void* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  bool started_ = false;
  pthread_t thread_{};
};

}  // namespace petri
