#include "compiling/compile_workers.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <thread>
#include <utility>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "compiling/compile_fault.h"
#include "compiling/worker_path.h"

namespace petri {
namespace {

using std::chrono::milliseconds;

// A worker that was told to end has most often ended by then; one with much memory to give back takes longer.
constexpr milliseconds kEndsSoon{20};
constexpr std::size_t kMessageBytesMax = 800;

Error failed(ErrorCode code, std::string message) {
  return Error{.code = code, .message = std::move(message), .details = {}}.with("component", "compile_worker");
}

Error timed_out(const CompileOrder& order) {
  return failed(ErrorCode::timeout, fmt::format("compiling the module took longer than {}; allow more time for "
                                                "compiling, or run it interpreted",
                                                format_duration(order.time_max)));
}

Error no_worker(const CompileOrder& order) {
  return failed(ErrorCode::timeout, fmt::format("the module waited {} for a compile worker, all of which are busy; try "
                                                "again later, or run it interpreted",
                                                format_duration(order.time_max)));
}

bool is_small(const CompileOrder& order) { return order.module.size() < CompileWorkers::kSmallBytes; }

Error stopped() { return failed(ErrorCode::cancelled, "compiling the module was stopped"); }

Error out_of_memory(const CompileOrder& order) {
  return failed(ErrorCode::limit_exceeded, fmt::format("compiling the module takes more than {} of memory; allow more "
                                                       "memory for compiling, or run it interpreted",
                                                       format_bytes(order.memory_bytes_max)));
}

Error ended_by(int signal, const CompileOrder& order) {
  switch (signal) {
    case SIGABRT: return out_of_memory(order);  // as Rust and C++ end when an allocation fails
    case SIGXCPU: return timed_out(order);
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS: return failed(ErrorCode::engine_fault, fmt::format("the compiler crashed with signal {}", signal));
    default:
      return failed(ErrorCode::host_fault,
                    fmt::format("the compile worker was killed with signal {} while it compiled; try again", signal));
  }
}

// How a worker that nobody told to end has ended, as waitpid() says it.
Error lost(int status, const std::string& path, const CompileOrder& order) {
  if (WIFSIGNALED(status)) return ended_by(WTERMSIG(status), order);
  if (WEXITSTATUS(status) > kEndedBySignal) return ended_by(WEXITSTATUS(status) - kEndedBySignal, order);
  return failed(ErrorCode::host_fault,
                fmt::format("the compile worker {} ended with {} before it answered", path, WEXITSTATUS(status)));
}

Error garbled(const std::string& path) {
  return failed(ErrorCode::host_fault,
                fmt::format("the compile worker {} is not of this version of petri; install the one that is", path));
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return escape_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kMessageBytesMax);
}

// The processor time is a second bound, for a host that is itself stopped and cannot kill.
std::uint32_t seconds_of(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count() + 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 1, 1 << 20));
}

}  // namespace

std::size_t CompileWorkers::workers_max() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 4, 16);
}

Result<std::vector<std::uint8_t>> CompileWorkers::compile(const CompileOrder& order) {
  PETRI_TRY(WorkerPtr worker, take(order));
  auto code = compile_in(std::move(worker), order);
  end_large(order);
  return code;
}

Result<std::vector<std::uint8_t>> CompileWorkers::compile_in(WorkerPtr worker, const CompileOrder& order) {
  const CompileRequest request{.frugal = order.frugal ? 1U : 0U,
                               .module_bytes = order.module.size(),
                               .memory_bytes_max = order.memory_bytes_max,
                               .processor_seconds_max = seconds_of(order.time_max),
                               .fault = take_compile_fault()};
  Exchange exchange = worker->exchange(request, order.module, order.deadline, order.stop);
  if (exchange.end != ExchangeEnd::answered) return fail(retire(std::move(worker), exchange.end, order));
  give_back(std::move(worker));
  if (exchange.status == CompileStatus::machine_code) return std::move(exchange.bytes);
  return fail(failed(ErrorCode::engine_fault, fmt::format("a WebAssembly engine failed: {}", text_of(exchange.bytes))));
}

// One that was killed while it had nothing to do is replaced without a word.
Result<CompileWorkers::WorkerPtr> CompileWorkers::take(const CompileOrder& order) {
  settle(milliseconds(0));
  for (;;) {
    PETRI_TRY(WorkerPtr worker, wait_for_worker(order));
    if (worker == nullptr) {
      auto started = WorkerProcess::start(path_);
      if (!started) {
        count_down();
        end_large(order);
      }
      return started;
    }
    if (worker->is_there()) return worker;
    static_cast<void>(retire(std::move(worker), ExchangeEnd::lost, order));
    end_large(order);
  }
}

// An idle one, or nothing when one more may be started; that one is counted already.
Result<CompileWorkers::WorkerPtr> CompileWorkers::wait_for_worker(const CompileOrder& order) {
  const std::stop_callback wake(order.stop, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  for (bool waited = false;; waited = true) {
    if (order.stop.stop_requested()) return fail(stopped());
    if (std::chrono::steady_clock::now() >= order.deadline) return fail(waited ? no_worker(order) : timed_out(order));
    if (!may_begin(order)) {
      changed_.wait_until(mutex_, order.deadline);
      continue;
    }
    if (!is_small(order)) ++large_;
    if (!idle_.empty()) {
      WorkerPtr worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
    ++alive_;
    return nullptr;
  }
}

bool CompileWorkers::may_begin(const CompileOrder& order) const {
  if (!is_small(order) && large_ + 1 >= workers_max()) return false;
  return !idle_.empty() || alive_ < workers_max();
}

void CompileWorkers::end_large(const CompileOrder& order) {
  if (is_small(order)) return;
  const MutexLock lock(mutex_);
  --large_;
  changed_.notify_all();
}

void CompileWorkers::give_back(WorkerPtr worker) {
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(worker));
  changed_.notify_all();
}

void CompileWorkers::count_down() {
  const MutexLock lock(mutex_);
  --alive_;
  changed_.notify_all();
}

// A caller that waits for a worker can have the next one at once: this one only has to go.
Error CompileWorkers::retire(WorkerPtr worker, ExchangeEnd end, const CompileOrder& order) {
  worker->hang_up();
  count_down();
  const std::optional<int> status = worker->reap(end == ExchangeEnd::lost ? milliseconds(1'000) : kEndsSoon);
  if (!status) {
    const MutexLock lock(mutex_);
    leaving_.push_back(std::move(worker));
  }
  switch (end) {
    case ExchangeEnd::timed_out: return timed_out(order);
    case ExchangeEnd::stopped: return stopped();
    case ExchangeEnd::garbled: return garbled(path_);
    default: return lost(status.value_or(0), path_, order);
  }
}

bool CompileWorkers::settle(milliseconds wait) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + wait;
  std::vector<WorkerPtr> leaving;
  {
    const MutexLock lock(mutex_);
    leaving.swap(leaving_);
  }
  std::erase_if(leaving, [&](const WorkerPtr& worker) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    return worker->reap(std::max(left, milliseconds(0))).has_value();
  });
  const MutexLock lock(mutex_);
  std::ranges::move(leaving, std::back_inserter(leaving_));
  return leaving_.empty();
}

namespace {

struct Pools {
  Mutex mutex;
  std::map<std::string, std::unique_ptr<CompileWorkers>> by_path GUARDED_BY(mutex);
};

// Never destroyed: code may be compiled by objects that are. A forked child starts with none: the workers are the
// parent's, and a lock may be held by a thread that the child does not have.
std::atomic<Pools*> current{nullptr};

Pools& pools() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { current.store(nullptr); });
  static_cast<void>(registered);
  Pools* known = current.load();
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<Pools>();
  if (current.compare_exchange_strong(known, fresh.get())) return *fresh.release();
  return *known;
}

}  // namespace

CompileWorkers& compile_workers_at(const std::string& path) {
  Pools& all = pools();
  const MutexLock lock(all.mutex);
  auto& workers = all.by_path[path];
  if (workers == nullptr) workers = std::make_unique<CompileWorkers>(path);
  return *workers;
}

Result<std::vector<std::uint8_t>> compile_in_worker(std::span<const std::uint8_t> module, bool frugal,
                                                    const MachineCodeOptions& options, SteadyTime deadline,
                                                    const std::stop_token& stop) {
  PETRI_TRY(const std::string path, find_worker(options.worker));
  return compile_workers_at(path).compile({.module = module,
                                           .frugal = frugal,
                                           .deadline = deadline,
                                           .time_max = options.time_max,
                                           .memory_bytes_max = options.memory_bytes_max,
                                           .stop = stop});
}

Result<void> check_compiles(const MachineCodeOptions& options) {
  if (!options.in_process) PETRI_TRY(find_worker(options.worker));
  return {};
}

bool settle_compile_workers(milliseconds wait) {
  Pools& all = pools();
  const MutexLock lock(all.mutex);
  bool settled = true;
  for (const auto& [path, workers] : all.by_path) settled = workers->settle(wait) && settled;
  return settled;
}

}  // namespace petri
