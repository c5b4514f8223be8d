#include "cli/shell/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petri::cli {
namespace {

constexpr std::size_t kNamesMax = 1'000;

std::vector<ArtifactId> kept_artifacts(const Sandbox& sandbox) {
  std::vector<ArtifactId> kept;
  for (const ModuleSummary& module : sandbox.info().modules) {
    const auto versions = sandbox.versions(module.name);
    if (!versions) continue;
    for (const VersionInfo& version : *versions) kept.push_back(version.artifact);
  }
  return kept;
}

std::vector<std::string> version_numbers(const Sandbox& sandbox, const std::string& module) {
  std::vector<std::string> numbers;
  const auto versions = sandbox.versions(module);
  if (!versions) return numbers;
  for (const VersionInfo& version : *versions) numbers.push_back(fmt::format("{}", version.number));
  return numbers;
}

}  // namespace

Address Address::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {.sandbox = std::string(text)};
  return {.sandbox = std::string(text.substr(0, slash)), .inside = std::string(text.substr(slash + 1))};
}

Result<std::unique_ptr<ShellSession>> ShellSession::create(RuntimeOptions options) {
  PETRI_TRY(auto runtime, Runtime::create(std::move(options)));
  return std::unique_ptr<ShellSession>(new ShellSession(std::move(runtime)));
}

void ShellSession::remember_code(const std::string& sandbox, std::vector<ArtifactPtr> code) {
  code_[sandbox] = std::move(code);
}

void ShellSession::learn_code(const Sandbox& sandbox, ArtifactPtr code) {
  if (code == nullptr) return;
  std::vector<ArtifactPtr>& known = code_[sandbox.id()];
  known.push_back(std::move(code));
  const std::vector<ArtifactId> kept = kept_artifacts(sandbox);
  std::erase_if(known, [&](const ArtifactPtr& one) { return std::ranges::find(kept, one->id()) == kept.end(); });
}

void ShellSession::copy_code(std::string_view from, const std::string& to) {
  if (const auto found = code_.find(from); found != code_.end()) code_[to] = found->second;
}

void ShellSession::forget_code(std::string_view sandbox) {
  const auto found = code_.find(sandbox);
  if (found != code_.end()) code_.erase(found);
}

ArtifactPtr ShellSession::code_of(const SandboxInfo& sandbox, std::string_view module) const {
  const auto known = code_.find(sandbox.id);
  const auto named = std::ranges::find(sandbox.modules, module, &ModuleSummary::name);
  if (known == code_.end() || named == sandbox.modules.end()) return nullptr;
  const auto found =
      std::ranges::find_if(known->second, [&](const auto& code) { return code->id() == named->artifact; });
  return found == known->second.end() ? nullptr : *found;
}

std::string ShellSession::module_of(const Sandbox& sandbox, std::string_view process) {
  std::vector<ChildInfo> processes = sandbox.children();
  std::erase_if(processes, [](const ChildInfo& child) { return child.module.empty(); });
  if (process.empty()) return processes.size() == 1 ? processes.front().module : "";
  const auto found = std::ranges::find(processes, process, &ChildInfo::address);
  return found == processes.end() ? "" : found->module;
}

void ShellSession::remember_call(std::uint64_t number, BackgroundCall call) {
  const std::vector<std::uint64_t> under_way = news_->calls_under_way();
  std::erase_if(calls_, [&](const auto& entry) { return !std::ranges::binary_search(under_way, entry.first); });
  calls_[number] = std::move(call);
}

Result<BackgroundCall> ShellSession::background_call(std::uint64_t number) const {
  const auto found = calls_.find(number);
  const bool under_way = std::ranges::binary_search(news_->calls_under_way(), number);
  if (found != calls_.end() && under_way) return found->second;
  return fail(ErrorCode::not_found, fmt::format("there is no call or run {} under way", number));
}

Result<void> ShellSession::listen(SubscriptionOptions options) {
  PETRI_TRY(subscription_, runtime_->subscribe(std::move(options)));
  listens_ = true;
  kinds_taken_ = {};
  return {};
}

void ShellSession::stop_listening() {
  subscription_.end();
  listens_ = false;
}

std::vector<EventPtr> ShellSession::take_events() {
  std::vector<EventPtr> events = std::exchange(events_seen_, {});
  while (listens_ && events.size() < kEventQueueMax) {
    EventPtr event = subscription_.next();
    if (event == nullptr) break;
    events.push_back(std::move(event));
  }
  for (const EventPtr& event : events) kinds_taken_ = kinds_taken_.with({event->kind});
  return events;
}

bool ShellSession::took_event(EventKind kind) {
  if (!kinds_taken_.has(kind)) return false;
  kinds_taken_ = {};
  return true;
}

EventPtr ShellSession::wait_for_event(Subscription::TimePoint deadline) {
  EventPtr event = subscription_.wait_until(deadline, stop_);
  if (event != nullptr) events_seen_.push_back(event);
  return event;
}

KnownNames ShellSession::known_names() const {
  KnownNames known;
  for (const SandboxInfo& info : runtime_->list({.limit = kNamesMax}).sandboxes) {
    KnownNames::OfSandbox& names = known.sandboxes[info.id];
    for (const ModuleSummary& module : info.modules) {
      names.modules.push_back(module.name);
      const ArtifactPtr code = code_of(info, module.name);
      if (code == nullptr) continue;
      for (const ExportInfo& exported : code->exports()) {
        if (exported.kind == ExternKind::function) names.functions.push_back(exported.name);
      }
    }
    if (const auto sandbox = runtime_->find(info.id)) {
      for (const ChildInfo& child : sandbox->children()) names.processes.push_back(child.address);
      for (const std::string& module : names.modules) names.versions[module] = version_numbers(*sandbox, module);
    }
  }
  for (const std::uint64_t number : news_->calls_under_way())
    known.background_calls.push_back(fmt::format("{}", number));
  return known;
}

}  // namespace petri::cli
