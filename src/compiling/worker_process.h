// One compile worker: a child process at the other end of a socketpair.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "compiling/compile_protocol.h"
#include "compiling/live_workers.h"
#include "petri/result.h"

namespace petri {

using SteadyTime = std::chrono::steady_clock::time_point;

// How an exchange with a worker went.
enum class ExchangeEnd : std::uint8_t {
  answered,
  timed_out,
  stopped,
  lost,     // it closed its end, or never had one
  garbled,  // it answered what no worker of this petri answers
};

struct Exchange {
  ExchangeEnd end = ExchangeEnd::lost;
  CompileStatus status = CompileStatus::message;
  std::vector<std::uint8_t> bytes;
};

// One thread at a time. The worker ends with this object, and nobody waits for that: reap() finds out.
class WorkerProcess {
 public:
  // Without environment, in a process group of its own, with the socket as its only descriptor.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::string& path);
  // Hangs up if that was not done, and waits for the end: call reap() first where waiting is not wanted.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  bool is_there() const;
  // After anything but `answered` the worker is of no more use. The bytes that are read back are at most
  // `request.memory_bytes_max`.
  Exchange exchange(const CompileRequest& request, std::span<const std::uint8_t> module, SteadyTime deadline,
                    const std::stop_token& stop);

  // Asks the worker to end: it kills its compilation and exits.
  void hang_up();
  // How it exited, as waitpid() says it, once it has; waits until then, or for so long. Kills one that was told to end
  // long ago.
  std::optional<int> reap(std::chrono::milliseconds wait);

 private:
  explicit WorkerProcess(const WorkerIds& ids) : ids_(ids), live_(std::in_place, ids) {}

  const WorkerIds ids_;
  std::optional<LiveWorker> live_;
  std::optional<SteadyTime> hung_up_;
  std::optional<int> status_;
};

}  // namespace petri
