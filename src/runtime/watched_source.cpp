#include "runtime/watched_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "petri/compile.h"
#include "sandbox/journal/compile_events.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// Another change of the same module, by a caller, is over after some of these.
constexpr int kAttemptsMax = 20;
constexpr std::size_t kProblemsMax = FolderTree::kProblemsMax;

std::uint64_t this_thread() { return std::hash<std::thread::id>{}(std::this_thread::get_id()) | 1; }

void merge(FolderChange& into, FolderChange change) {
  into.everything = into.everything || change.everything;
  into.files.insert(into.files.end(), change.files.begin(), change.files.end());
  if (into.files.size() > FolderTree::kFilesMax) {
    into.files.clear();
    into.everything = true;
  }
  for (std::string& problem : change.problems) {
    if (into.problems.size() < kProblemsMax) into.problems.push_back(std::move(problem));
  }
}

std::string names_of(const std::vector<ReloadReport>& reports) {
  std::vector<std::string> names;
  for (const ReloadReport& report : reports) {
    if (!report.no_change) names.push_back(report.module);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

// ---- one sandbox ----------------------------------------------------------------------------------------------

void WatchSubscriber::end() {
  ended_ = true;
  if (at_work_ == this_thread()) return;
  MutexLock lock(mutex_);
}

void WatchSubscriber::unless_ended(const std::function<void(const CorePtr& core)>& work) {
  MutexLock lock(mutex_);
  const CorePtr core = core_.lock();
  if (core == nullptr || ended_) return;
  at_work_ = this_thread();
  work(core);
  at_work_ = 0;
}

// ---- changes --------------------------------------------------------------------------------------------------

void WatchedSource::add(SubscriberPtr subscriber) {
  MutexLock lock(mutex_);
  subscribers_.push_back(std::move(subscriber));
}

bool WatchedSource::remove(const SubscriberPtr& subscriber) {
  MutexLock lock(mutex_);
  std::erase(subscribers_, subscriber);
  return subscribers_.empty();
}

std::vector<SubscriberPtr> WatchedSource::subscribers() const {
  MutexLock lock(mutex_);
  return subscribers_;
}

// A machine that gives no thread loses nothing: the change waits for the next one.
void WatchedSource::note(FolderChange change) {
  MutexLock lock(mutex_);
  if (ended_) return;
  if (!waiting_) waiting_.emplace();
  merge(*waiting_, std::move(change));
  if (at_work_) return;
  at_work_ = parts_.threads.submit([self = shared_from_this()] { self->work(); }).has_value();
}

void WatchedSource::end() {
  MutexLock lock(mutex_);
  ended_ = true;
  waiting_.reset();
}

std::optional<FolderChange> WatchedSource::take() {
  MutexLock lock(mutex_);
  std::optional<FolderChange> taken = std::exchange(waiting_, std::nullopt);
  if (!taken || ended_) at_work_ = false;
  return ended_ ? std::nullopt : taken;
}

void WatchedSource::work() {
  while (const auto change = take()) {
    report_problems(*change);
    if (change->has_change()) compile_and_reload();
  }
}

// ---- a change becomes running code ----------------------------------------------------------------------------

Result<CompileReport> WatchedSource::compile() const {
  const EventSubject of_all{.sandbox = {}, .correlation = parts_.events.new_correlation()};
  const Clock::TimePoint started = parts_.clock.now();
  publish_compile_start(parts_.events, of_all, place_.source());
  auto report = parts_.compiler.compile(place_.source(), CompileOptions().artifact_bytes_max, parts_.stop);
  publish_compile_end(parts_.events, parts_.metrics, of_all, place_.source(), report, parts_.clock.now() - started);
  return report;
}

void WatchedSource::compile_and_reload() {
  parts_.look(*this);
  const auto report = compile();
  if (!report) return fail_all(report.error());
  bool again = false;
  for (const SubscriberPtr& subscriber : subscribers()) {
    subscriber->unless_ended([&](const CorePtr& core) {
      const UnderWay::Verb verb(core->under_way());
      core->source_news().note(*report);
      if (report->error) return report_failure(core, *report->error, &*report);
      const auto reloaded = reload(core, *subscriber, *report);
      if (reloaded || subscriber->has_ended()) return;
      if (reloaded.error().code == ErrorCode::busy && attempts_ < kAttemptsMax) {
        again = true;
      } else if (reloaded.error().code != ErrorCode::cancelled) {
        report_failure(core, reloaded.error(), &*report);
      }
    });
  }
  attempts_ = again ? attempts_ + 1 : 0;
  if (again) parts_.later(shared_from_this(), place_.debounce);
}

Result<void> WatchedSource::reload(const CorePtr& core, const WatchSubscriber& subscriber,
                                   const CompileReport& report) const {
  const Clock::TimePoint started = parts_.clock.now();
  const std::vector<ModulePlace> present = core->module_places();
  const std::vector<ModuleSpec> modules = modules_for(report, place_.source(), present);
  if (modules.empty()) {
    return fail(ErrorCode::validation_failed, no_module_sentence(report, place_.source(), present));
  }
  std::vector<ReloadReport> reports;
  if (core->lacks_code()) {
    PETRI_TRY(core->restart_with(modules));
    for (const ModuleSpec& module : modules) reports.push_back({.module = module.name, .to = 1});
  } else {
    PETRI_TRY(reports, core->reloads().reload_all(modules, {.policy = subscriber.policy(), .actor = "watch"}));
  }
  const auto changed = std::ranges::count(reports, false, &ReloadReport::no_change);
  core->source_news().change(place_.path, [&](WatchInfo& info) {
    info.reloads += changed > 0 ? 1 : 0;
    info.last_error.clear();
  });
  const std::chrono::nanoseconds took = parts_.clock.now() - started + report.duration;
  parts_.events.publish(EventKind::watch_reloaded, {.sandbox = core->id()}, [&](Event& event) {
    event.add("path", place_.path).add("modules", names_of(reports)).add("reloaded", changed);
    event.add("unchanged", std::ssize(reports) - changed).add("compile_ns", report.duration).add("duration_ns", took);
  });
  return {};
}

// ---- what is reported -----------------------------------------------------------------------------------------

void WatchedSource::report_problems(const FolderChange& change) const {
  for (const std::string& problem : change.problems) {
    for (const SubscriberPtr& subscriber : subscribers()) {
      const CorePtr core = subscriber->core();
      if (core == nullptr) continue;
      parts_.events.publish(EventKind::watch_problem, {.sandbox = core->id()},
                            [&](Event& event) { event.add("path", place_.path).add("message", problem); });
    }
  }
}

void WatchedSource::fail_all(const Error& error) const {
  if (parts_.stop.stop_requested()) return;
  for (const SubscriberPtr& subscriber : subscribers()) {
    subscriber->unless_ended([&](const CorePtr& core) { report_failure(core, error, nullptr); });
  }
}

void WatchedSource::report_failure(const CorePtr& core, const Error& error, const CompileReport* report) const {
  core->source_news().change(place_.path, [&](WatchInfo& info) {
    ++info.failures;
    info.last_error = error.message;
  });
  parts_.events.publish(EventKind::watch_failed, {.sandbox = core->id()}, [&](Event& event) {
    event.add("path", place_.path).add("error", name_of(error.code)).add("message", error.message);
    event.add("errors", report == nullptr ? 0 : report->errors);
    if (report == nullptr) return;
    const auto first = std::ranges::find(report->diagnostics, DiagnosticSeverity::error, &Diagnostic::severity);
    if (first == report->diagnostics.end()) return;
    event.add("file", first->file).add("line", first->line).add("column", first->column);
  });
}

}  // namespace petri
