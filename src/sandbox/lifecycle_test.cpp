#include "sandbox/lifecycle.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace petri {
namespace {

// "from -> to" for each status in which the event means something.
std::string transitions_of(LifecycleEvent event) {
  std::string all;
  for (const SandboxStatus from : all_sandbox_statuses()) {
    const auto to = next_status(from, event);
    if (!to) continue;
    all += (all.empty() ? "" : ", ") + std::string(name_of(from)) + " -> " + std::string(name_of(*to));
  }
  return all;
}

TEST(Lifecycle, IsThisTable) {
  using enum LifecycleEvent;
  const std::map<LifecycleEvent, std::string> table{
      {load,
       "initializing -> compiling, starting -> compiling, stopping -> compiling, stopped -> compiling, "
       "failed -> compiling"},
      {start,
       "compiling -> starting, starting -> starting, stopping -> starting, stopped -> starting, failed -> starting"},
      {started, "starting -> running"},
      {change, "running -> reloading"},
      {changed, "reloading -> running"},
      {ended,
       "compiling -> stopped, starting -> stopped, running -> stopped, reloading -> stopped, stopping -> stopped"},
      {isolate, "starting -> isolated, running -> isolated, reloading -> isolated, stopping -> isolated"}};
  for (const auto& [event, wanted] : table) EXPECT_EQ(transitions_of(event), wanted) << name_of(event);
}

TEST(Lifecycle, EndsAndFailsFromEveryStatus) {
  for (const SandboxStatus status : all_sandbox_statuses()) {
    EXPECT_EQ(next_status(status, LifecycleEvent::end), SandboxStatus::stopping) << name_of(status);
    EXPECT_EQ(next_status(status, LifecycleEvent::fail), SandboxStatus::failed) << name_of(status);
  }
}

TEST(Lifecycle, LeadsFromCreateOverAReloadToDestroy) {
  using enum LifecycleEvent;
  SandboxStatus status = SandboxStatus::initializing;
  std::string seen;
  for (const LifecycleEvent event : {load, start, started, change, changed, end, ended}) {
    status = next_status(status, event).value_or(SandboxStatus::failed);
    seen += std::string(name_of(status)) + " ";
  }
  EXPECT_EQ(seen, "compiling starting running reloading running stopping stopped ");
}

TEST(Lifecycle, AnswersOnlyWhileItRunsOrReloads) {
  for (const SandboxStatus status : all_sandbox_statuses()) {
    EXPECT_EQ(is_up(status), name_of(status) == "running" || name_of(status) == "reloading") << name_of(status);
  }
}

}  // namespace
}  // namespace petri
