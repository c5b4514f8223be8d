// The news of a sandbox about its sources: the last compile, and what it watches.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "petri/compile_report.h"
#include "petri/watch.h"

namespace petri {

// Any thread.
class SourceNews {
 public:
  static constexpr std::size_t kDiagnosticsMax = 100;

  // Keeps the report without artifacts and texts, and with the first diagnostics.
  void note(const CompileReport& report) EXCLUDES(mutex_);
  // nullptr if nothing was compiled.
  std::shared_ptr<const CompileReport> last_compile() const EXCLUDES(mutex_);

  // In place of the one of the same path.
  void add(WatchInfo watch) EXCLUDES(mutex_);
  void remove(const std::string& path) EXCLUDES(mutex_);
  // Does nothing if it is watched no more.
  void change(const std::string& path, const std::function<void(WatchInfo&)>& change) EXCLUDES(mutex_);
  std::vector<WatchInfo> watched() const EXCLUDES(mutex_);

 private:
  struct Kept {
    std::shared_ptr<const CompileReport> compile;
    std::vector<WatchInfo> watched;  // by path
  };
  mutable Mutex mutex_;
  std::unique_ptr<Kept> kept_ GUARDED_BY(mutex_);  // most sandboxes never have it

  Kept& kept() REQUIRES(mutex_) {
    if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
    return *kept_;
  }
};

}  // namespace petri
