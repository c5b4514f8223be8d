// The compile workers that one executable gives this process: started when they are needed, replaced when they die.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "compiling/worker_process.h"
#include "petri/result.h"
#include "petri/tier.h"

namespace petri {

// A module to be compiled, which the engines have rewritten and validated.
struct CompileOrder {
  std::span<const std::uint8_t> module;
  bool frugal = false;
  SteadyTime deadline;
  std::chrono::nanoseconds time_max{0};  // for the message: what the deadline came from
  std::uint64_t memory_bytes_max = 0;
  std::stop_token stop;
};

// Any thread. Each worker compiles one module at a time.
class CompileWorkers {
 public:
  // Workers that are alive at a time; a caller that finds all of them at work waits for one until the deadline.
  static std::size_t workers_max();
  // One of them is for modules below this size, which take no longer than milliseconds: they do not wait behind
  // modules that take seconds, however many of these there are.
  static constexpr std::size_t kSmallBytes = 64 * 1'024;

  explicit CompileWorkers(std::string path) : path_(std::move(path)) {}

  // Machine code. `timeout` past the deadline, `limit_exceeded` over the memory, `cancelled` once stopped: the worker
  // is killed, and nobody waits for its end. `engine_fault` when the compiler fails or crashes, `host_fault` when the
  // worker is killed from outside, cannot be started, or is of another petri.
  Result<std::vector<std::uint8_t>> compile(const CompileOrder& order) EXCLUDES(mutex_);
  // Reaps those that have ended since; all of them, if that takes no longer than this. False: some have not.
  bool settle(std::chrono::milliseconds wait) EXCLUDES(mutex_);

 private:
  using WorkerPtr = std::unique_ptr<WorkerProcess>;

  Result<std::vector<std::uint8_t>> compile_in(WorkerPtr worker, const CompileOrder& order) EXCLUDES(mutex_);
  Result<WorkerPtr> take(const CompileOrder& order) EXCLUDES(mutex_);
  Result<WorkerPtr> wait_for_worker(const CompileOrder& order) EXCLUDES(mutex_);
  bool may_begin(const CompileOrder& order) const REQUIRES(mutex_);
  void end_large(const CompileOrder& order) EXCLUDES(mutex_);
  void give_back(WorkerPtr worker) EXCLUDES(mutex_);
  Error retire(WorkerPtr worker, ExchangeEnd end, const CompileOrder& order) EXCLUDES(mutex_);
  void count_down() EXCLUDES(mutex_);

  const std::string path_;
  Mutex mutex_;
  Condition changed_;
  std::size_t alive_ GUARDED_BY(mutex_) = 0;           // at work or idle
  std::size_t large_ GUARDED_BY(mutex_) = 0;           // modules that are being compiled and are not small
  std::vector<WorkerPtr> idle_ GUARDED_BY(mutex_);     // the last one used is the first one taken
  std::vector<WorkerPtr> leaving_ GUARDED_BY(mutex_);  // told to end, not yet reaped
};

// The workers of this executable; they live as long as the process.
CompileWorkers& compile_workers_at(const std::string& path);

// Compiles as the options say. not_found names the places where the worker was looked for.
Result<std::vector<std::uint8_t>> compile_in_worker(std::span<const std::uint8_t> module, bool frugal,
                                                    const MachineCodeOptions& options, SteadyTime deadline,
                                                    const std::stop_token& stop);

// not_found when the options ask for a compile worker and there is none: better said before much work than often.
Result<void> check_compiles(const MachineCodeOptions& options);

// Settles the workers of all executables, as CompileWorkers::settle.
bool settle_compile_workers(std::chrono::milliseconds wait);

}  // namespace petri
