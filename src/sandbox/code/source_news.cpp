#include "sandbox/code/source_news.h"

#include <algorithm>
#include <utility>

namespace petri {

void SourceNews::note(const CompileReport& report) {
  auto kept = std::make_shared<CompileReport>(report);
  for (CompiledSource& module : kept->modules) {
    module.artifact = nullptr;
    module.text = nullptr;
  }
  if (kept->diagnostics.size() > kDiagnosticsMax) kept->diagnostics.resize(kDiagnosticsMax);
  MutexLock lock(mutex_);
  this->kept().compile = std::move(kept);
}

std::shared_ptr<const CompileReport> SourceNews::last_compile() const {
  MutexLock lock(mutex_);
  return kept_ == nullptr ? nullptr : kept_->compile;
}

void SourceNews::add(WatchInfo watch) {
  MutexLock lock(mutex_);
  std::vector<WatchInfo>& all = kept().watched;
  std::erase_if(all, [&](const WatchInfo& one) { return one.path == watch.path; });
  const auto place = std::ranges::lower_bound(all, watch.path, {}, &WatchInfo::path);
  all.insert(place, std::move(watch));
}

void SourceNews::remove(const std::string& path) {
  MutexLock lock(mutex_);
  if (kept_ != nullptr) std::erase_if(kept_->watched, [&](const WatchInfo& one) { return one.path == path; });
}

void SourceNews::change(const std::string& path, const std::function<void(WatchInfo&)>& change) {
  MutexLock lock(mutex_);
  if (kept_ == nullptr) return;
  const auto found = std::ranges::find(kept_->watched, path, &WatchInfo::path);
  if (found != kept_->watched.end()) change(*found);
}

std::vector<WatchInfo> SourceNews::watched() const {
  MutexLock lock(mutex_);
  return kept_ == nullptr ? std::vector<WatchInfo>() : kept_->watched;
}

}  // namespace petri
