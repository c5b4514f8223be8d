// A tree whose processes exist only as rows of a table: it does at once what the tree asks for, and writes it down.
#pragma once

#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "supervisor/supervision_tree.h"

namespace petri {

class TreeFixture {
 public:
  using Log = std::vector<std::string>;

  explicit TreeFixture(const SupervisorSpec& spec, StopOrder order = StopOrder::reverse) : tree(spec, order) {}

  SupervisionTree tree;
  std::set<std::string> failing;   // whose starts fail
  std::set<std::string> stubborn;  // who do not end when told to stop
  std::set<std::string> slow;      // whose starts take until finish_start()
  std::map<Ticket, Result<void>> answers;
  std::vector<std::string> gave_up;
  std::vector<std::string> left;  // places where nobody is any more
  std::optional<TreeEnded> ended;

  // Each answers with what happened meanwhile: "start a", "again a", "fail a", "stop a", "kill a", "removed a".
  Log start() { return carry_out(tree.start(now())); }
  Log crash(const std::string& address, ExitReason reason = ExitReason::abnormal) {
    const Incarnation incarnation = alive.at(address);
    alive.erase(address);
    return carry_out(tree.exited(incarnation, reason, now()));
  }
  Log ask(Request request, const std::string& supervisor = "") {
    return carry_out(tree.request(++tickets, supervisor, std::move(request), now()));
  }
  Log stop() { return carry_out(tree.stop(now())); }
  Log kill() { return carry_out(tree.kill(now())); }
  Log pass(std::chrono::nanoseconds time) {
    elapsed_ += time;
    return carry_out(tree.expire(now()));
  }
  Log finish_start(const std::string& address) {
    slow.erase(address);
    const Incarnation incarnation = starting.at(address);
    starting.erase(address);
    alive[address] = incarnation;
    return carry_out(tree.started(incarnation, now()));
  }

  Log fail_start(const std::string& address) {
    const Incarnation incarnation = starting.at(address);
    starting.erase(address);
    return carry_out(tree.start_failed(incarnation, now()));
  }

  ErrorCode last_error() const { return answers.at(tickets).error().code; }
  bool last_ok() const { return answers.at(tickets).has_value(); }
  bool runs(const std::string& address) const { return alive.contains(address); }
  Incarnation incarnation(const std::string& address) const { return alive.at(address); }

  std::map<std::string, Incarnation> alive;
  std::map<std::string, Incarnation> starting;
  Ticket tickets = 0;

 private:
  Clock::TimePoint now() const { return Clock::TimePoint(elapsed_); }

  Log carry_out(TreeActions actions) {
    std::move(actions.begin(), actions.end(), std::back_inserter(actions_));
    while (!actions_.empty()) {
      const TreeAction action = std::move(actions_.front());
      actions_.pop_front();
      std::visit([&](const auto& one) { act(one); }, action);
    }
    return std::exchange(log_, {});
  }
  void queue(TreeActions actions) { std::move(actions.begin(), actions.end(), std::back_inserter(actions_)); }

  void act(const StartProcess& action) {
    addresses_[action.incarnation] = action.address;
    if (failing.contains(action.address)) {
      log_.push_back("fail " + action.address);
      queue(tree.start_failed(action.incarnation, now()));
      return;
    }
    log_.push_back((action.again ? "again " : "start ") + action.address);
    if (slow.contains(action.address)) {
      starting[action.address] = action.incarnation;
      return;
    }
    alive[action.address] = action.incarnation;
    queue(tree.started(action.incarnation, now()));
  }
  void act(const StopProcess& action) {
    const std::string address = addresses_.at(action.incarnation);
    log_.push_back("stop " + address);
    if (stubborn.contains(address)) return;
    alive.erase(address);
    queue(tree.exited(action.incarnation, ExitReason::shutdown, now()));
  }
  void act(const KillProcess& action) {
    const std::string address = addresses_.at(action.incarnation);
    log_.push_back("kill " + address);
    alive.erase(address);
    if (starting.erase(address) > 0) {
      queue(tree.start_failed(action.incarnation, now()));
    } else {
      queue(tree.exited(action.incarnation, ExitReason::abnormal, now()));
    }
  }
  void act(const PlaceStopped& action) { left.push_back(action.address); }
  void act(const PlaceRemoved& action) { log_.push_back("removed " + action.address); }
  void act(const SupervisorGaveUp& action) { gave_up.push_back(action.supervisor + ":" + action.child); }
  void act(const Answer& action) { answers[action.ticket] = action.result; }
  void act(const TreeStarted& /*action*/) { log_.emplace_back("started"); }
  void act(const TreeEnded& action) {
    ended = action;
    log_.emplace_back("ended");
  }

  std::chrono::nanoseconds elapsed_{0};
  std::deque<TreeAction> actions_;
  std::unordered_map<Incarnation, std::string> addresses_;
  Log log_;
};

}  // namespace petri
