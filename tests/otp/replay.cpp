#include "replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <unordered_map>

#include "supervisor/supervision_tree.h"

namespace petri::otp {
namespace {

ExitReason reason_of(Crash crash) {
  if (crash == Crash::normal) return ExitReason::normal;
  const bool asked = crash == Crash::shutdown || crash == Crash::shutdown_term;
  return asked ? ExitReason::shutdown : ExitReason::abnormal;
}

class World {
 public:
  explicit World(const SupervisorSpec& spec)
      : tree_(spec), root_is_simple_(spec.strategy == Strategy::simple_one_for_one) {}

  std::string live(const Trace& trace) {
    log_ = fmt::format("trace {}\n", trace.number);
    for (const TraceStep& step : trace.before) std::visit([&](const auto& one) { take(one); }, step);
    queue(tree_.start(now()));
    close_step();
    for (const TraceStep& step : trace.steps) {
      if (tree_.ended()) break;
      std::visit([&](const auto& one) { take(one); }, step);
      close_step();
    }
    if (!tree_.ended()) {
      queue(tree_.stop(now()));
      close_step();
    }
    return std::move(log_);
  }

 private:
  struct Answered {
    std::string text;
    bool stops_instance;
  };
  struct Planned {
    std::string victim;
    Crash how;
  };

  Clock::TimePoint now() const { return Clock::TimePoint(std::chrono::seconds(seconds_)); }

  // Steps of the trace --------------------------------------------------------------------------------------------

  void take(const CrashProcess& step) { crash(step.address, step.how); }
  void take(const FailStarts& step) { failing_[step.address] = step.count; }
  void take(const CrashDuring& step) {
    (step.stop ? on_stop_ : on_start_)[step.address] = {.victim = step.victim, .how = step.how};
  }
  void take(const PassTime& step) { seconds_ += step.seconds; }
  // Nothing that follows from an item is carried out before the last is reported, as if the supervisor had been asleep.
  // Only one that ends over an item must be kept from being asked under its next incarnation.
  void take(const Burst& step) {
    const Incarnation asleep = incarnation_of(step.supervisor);
    for (const BurstItem& item : step.items) {
      const bool over = asleep != kNoIncarnation && incarnation_of(step.supervisor) != asleep;
      if (over && std::holds_alternative<Ask>(item)) {
        answers_.push_back({.text = "cancelled", .stops_instance = false});
      } else {
        std::visit([&](const auto& one) { take(one); }, item);
      }
    }
  }
  Incarnation incarnation_of(const std::string& supervisor) const {
    constexpr Incarnation kRoot = ~Incarnation{0};
    if (supervisor.empty()) return tree_.ended() ? kNoIncarnation : kRoot;
    const auto entry = tree_.find(supervisor);
    return entry && entry->spec->supervisor() ? entry->incarnation : kNoIncarnation;
  }
  void take(const Ask& step) {
    answers_.push_back({.text = "none", .stops_instance = step.of_template && step.verb == Verb::stop_one});
    queue(tree_.request(answers_.size() - 1, step.supervisor, request(step), now()));
  }

  static Request request(const Ask& step) {
    switch (step.verb) {
      case Verb::add_child: return AddChild{.child = step.child.front()};
      case Verb::add_instance: return AddInstance{{.id = step.id}};
      case Verb::stop_one: return StopOne{.id = step.id};
      case Verb::restart_one: return RestartOne{.id = step.id};
      case Verb::remove_one: break;
    }
    return RemoveOne{.id = step.id};
  }

  void crash(const std::string& address, Crash how) {
    const auto found = alive_.find(address);
    if (found == alive_.end()) return;
    const Incarnation incarnation = found->second;
    die(incarnation);
    queue(tree_.exited(incarnation, reason_of(how), now()));
  }

  // Actions that the supervisors want --------------------------------------------------------------------------------

  void queue(TreeActions actions) { std::ranges::move(actions, std::back_inserter(actions_)); }

  void carry_out(const StartProcess& action) {
    addresses_[action.incarnation] = action.address;
    if (!inside_a_start(action.address)) disturb(on_start_, action.address);
    std::uint32_t& failing = failing_[action.address];
    const bool fails = failing > 0;
    if (fails) --failing;
    say("{} {}", fails ? "fail" : "start", action.address);
    if (!fails) alive_[action.address] = action.incarnation;
    queue(fails ? tree_.start_failed(action.incarnation, now()) : tree_.started(action.incarnation, now()));
  }

  void carry_out(const StopProcess& action) {
    if (!lives(action.incarnation)) return;
    const std::string address = addresses_.at(action.incarnation);
    say("stop {}", address);
    disturb(on_stop_, address);
    die(action.incarnation);
    queue(tree_.exited(action.incarnation, ExitReason::shutdown, now()));
  }

  void carry_out(const KillProcess& action) {
    if (!lives(action.incarnation)) return;
    die(action.incarnation);
    queue(tree_.exited(action.incarnation, ExitReason::abnormal, now()));
  }

  void carry_out(const Answer& action) {
    Answered& answered = answers_.at(action.ticket);
    answered.text = action.result ? "ok" : std::string(name_of(action.result.error().code));
    // OTP answers ok for any pid that is dead, as it cannot know whose it was.
    if (answered.stops_instance && answered.text == "not_found") answered.text = "ok";
  }
  void carry_out(const TreeStarted& /*action*/) { started_ = true; }
  void carry_out(const TreeEnded& action) { end_ = started_ ? std::string(name_of(action.reason)) : "start_failed"; }
  void carry_out(const PlaceRemoved& /*action*/) {}
  void carry_out(const PlaceStopped& /*action*/) {}
  void carry_out(const SupervisorGaveUp& /*action*/) {}

  // As in the oracle: the order of what a nested supervisor and its parent do at the same time is nobody's promise.
  bool inside_a_start(const std::string& address) const {
    const std::size_t slash = address.rfind('/');
    return slash != std::string::npos && tree_.find(address.substr(0, slash))->status == ChildStatus::starting;
  }

  void disturb(std::map<std::string, Planned>& planned, const std::string& address) {
    const auto found = planned.find(address);
    if (found == planned.end()) return;
    const Planned plan = found->second;
    planned.erase(found);
    // A process that kills itself in its own stop is gone, and the stop continues without it.
    if (plan.victim != address) crash(plan.victim, plan.how);
  }

  bool lives(Incarnation incarnation) const {
    const auto found = alive_.find(addresses_.at(incarnation));
    return found != alive_.end() && found->second == incarnation;
  }
  void die(Incarnation incarnation) { alive_.erase(addresses_.at(incarnation)); }

  // The log -------------------------------------------------------------------------------------------------------

  template <typename... Arguments>
  void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    log_.append(fmt::format(format, std::forward<Arguments>(arguments)...)).push_back('\n');
  }

  void close_step() {
    while (!actions_.empty()) {
      const TreeAction action = std::move(actions_.front());
      actions_.pop_front();
      std::visit([&](const auto& one) { carry_out(one); }, action);
    }
    for (const Answered& answered : answers_) say("answer {}", answered.text);
    answers_.clear();
    if (tree_.ended()) {
      say("end {}", end_);
    } else {
      say("tree{}", below(""));
    }
  }

  std::string below(const std::string& supervisor) const {
    const std::string prefix = supervisor.empty() ? "" : supervisor + "/";
    std::vector<std::string> rows;
    for (const TreeEntry& entry : tree_.entries()) {
      const bool here =
          entry.address.starts_with(prefix) && entry.address.find('/', prefix.size()) == std::string::npos;
      if (here) rows.push_back(row(entry));
    }
    if (is_simple(supervisor)) std::ranges::sort(rows);
    return fmt::format("[{}]", fmt::join(rows, " "));
  }

  std::string row(const TreeEntry& entry) const {
    const char mark = entry.status == ChildStatus::running ? '+' : entry.status == ChildStatus::stopped ? '-' : '~';
    std::string text = entry.address + mark;
    if (entry.spec->supervisor() && mark == '+') text += below(entry.address);
    return text;
  }

  bool is_simple(const std::string& supervisor) const {
    if (supervisor.empty()) return root_is_simple_;
    const auto entry = tree_.find(supervisor);
    return entry->spec->supervisor()->strategy == Strategy::simple_one_for_one;
  }

  SupervisionTree tree_;
  bool root_is_simple_;
  std::int64_t seconds_ = 0;
  std::deque<TreeAction> actions_;
  std::unordered_map<Incarnation, std::string> addresses_;
  std::map<std::string, Incarnation> alive_;
  std::map<std::string, std::uint32_t> failing_;
  std::map<std::string, Planned> on_start_;
  std::map<std::string, Planned> on_stop_;
  std::vector<Answered> answers_;
  std::string end_;
  bool started_ = false;
  std::string log_;
};

}  // namespace

std::string replay(const Trace& trace) { return World(trace.tree).live(trace); }

}  // namespace petri::otp
