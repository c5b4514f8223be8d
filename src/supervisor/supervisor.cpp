#include "supervisor/supervisor.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace petri {

Supervisor::Supervisor(const SupervisorSpec& spec, Incarnations& incarnations, StopOrder order, std::string address)
    : incarnations_(incarnations),
      address_(std::move(address)),
      strategy_(spec.strategy),
      order_(order),
      budget_(spec.intensity, spec.period) {
  if (is_simple()) {
    PETRI_ASSERT(spec.children.size() == 1);
    template_ = std::make_unique<TreeChild>(spec.children.front());
    return;
  }
  for (const TreeChild& child : spec.children) children_.append({.spec = std::make_shared<const TreeChild>(child)});
}

// Calls and reports ----------------------------------------------------------------------------------------------

SupervisorActions Supervisor::start(TimePoint now) {
  const std::vector<Place> places = children_.places_from(0);
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::begin, .starts = {places.begin(), places.end()}});
  return advance(now);
}

SupervisorActions Supervisor::started(Incarnation incarnation, TimePoint now) {
  const Place* const place = children_.find_incarnation(incarnation);
  if (place == nullptr || children_.at(*place).status != ChildStatus::starting) return {};
  SupervisedChild& child = children_.at(*place);
  child.status = ChildStatus::running;
  child.started_before = true;
  awaited_.erase(incarnation);
  return advance(now);
}

SupervisorActions Supervisor::start_failed(Incarnation incarnation, TimePoint now) {
  const Place* const found = children_.find_incarnation(incarnation);
  if (found == nullptr) return {};
  const Place place = *found;
  awaited_.erase(incarnation);
  if (children_.at(place).status == ChildStatus::starting) {
    on_start_failed(place);
  } else {
    settle(place);  // it was killed while it started
  }
  return advance(now);
}

SupervisorActions Supervisor::exited(Incarnation incarnation, ExitReason reason, TimePoint now) {
  const Place* const found = children_.find_incarnation(incarnation);
  if (found == nullptr || children_.at(*found).exited) return {};
  const Place place = *found;
  SupervisedChild& child = children_.at(place);
  if (child.status == ChildStatus::starting) return start_failed(incarnation, now);
  awaited_.erase(incarnation);
  forget_deadline(child);
  if (child.status == ChildStatus::stopping) {
    settle(place);
  } else {
    child.exited = true;
    inbox_.push_back(Exit{.incarnation = incarnation, .reason = reason});
  }
  return advance(now);
}

SupervisorActions Supervisor::updated(Incarnation incarnation, std::vector<std::string> failures, TimePoint now) {
  if (awaited_.erase(incarnation) == 0) return {};
  std::ranges::move(failures, std::back_inserter(work_->failures));
  return advance(now);
}

SupervisorActions Supervisor::request(Ticket ticket, Request request, TimePoint now) {
  inbox_.push_back(Asked{.ticket = ticket, .request = std::move(request)});
  return advance(now);
}

SupervisorActions Supervisor::stop(TimePoint now) {
  inbox_.push_back(StopAll{});
  return advance(now);
}

SupervisorActions Supervisor::kill(TimePoint now) {
  if (ended_) return {};
  if (work_ && work_->ticket) cancel(*work_->ticket);
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::end, .ending = {.reason = ExitReason::abnormal}});
  awaited_.clear();
  deadlines_ = {};
  for (const Place place : children_.places_from(0)) {
    SupervisedChild& child = children_.at(place);
    if (child.incarnation == kNoIncarnation || child.exited) continue;
    child.status = ChildStatus::stopping;
    child.stop_by.reset();
    awaited_.insert(child.incarnation);
    send_kill(child);
  }
  return advance(now);
}

SupervisorActions Supervisor::expire(TimePoint now) {
  while (!deadlines_->empty() && deadlines_->begin()->first <= now) {
    SupervisedChild& child = children_.at(*children_.find_incarnation(deadlines_->begin()->second));
    forget_deadline(child);
    send_kill(child);
  }
  return std::exchange(actions_, {});
}

// Work -----------------------------------------------------------------------------------------------------------

SupervisorActions Supervisor::advance(TimePoint now) {
  while (awaited_.empty()) {
    if (ended_) {
      refuse_inbox();
      break;
    }
    if (work_) {
      step(now);
    } else if (!inbox_.empty()) {
      take(now);
    } else {
      break;
    }
  }
  return std::exchange(actions_, {});
}

void Supervisor::step(TimePoint now) {
  const auto pop = [](std::list<Place>& places) {
    const Place place = places.front();
    places.pop_front();
    return place;
  };
  if (!work_->stops.empty()) {
    do {
      begin_stop(pop(work_->stops), now);
    } while (work_->stops_together && !work_->stops.empty());
  } else if (work_->update) {
    apply(*std::exchange(work_->update, std::nullopt));
  } else if (!work_->updates.empty()) {
    begin_update(pop(work_->updates));
  } else if (!work_->starts.empty()) {
    begin_start(pop(work_->starts));
  } else {
    finish();
  }
}

void Supervisor::begin_start(Place place) {
  const Incarnation incarnation = incarnations_.next();
  children_.begin_incarnation(place, incarnation);
  SupervisedChild& child = children_.at(place);
  child.status = ChildStatus::starting;
  awaited_.insert(incarnation);
  work_->incarnation = incarnation;
  actions_.emplace_back(StartChild{.incarnation = incarnation, .spec = child.spec, .again = child.started_before});
}

void Supervisor::begin_stop(Place place, TimePoint now) {
  SupervisedChild& child = children_.at(place);
  if (!child.runs()) {
    settle(place);
    return;
  }
  child.status = ChildStatus::stopping;
  awaited_.insert(child.incarnation);
  const Shutdown shutdown = child.spec->shutdown();
  if (shutdown.is_brutal()) {
    send_kill(child);
    return;
  }
  if (shutdown.timeout()) set_deadline(child, now + *shutdown.timeout());
  actions_.emplace_back(StopChild{.incarnation = child.incarnation});
}

void Supervisor::begin_update(Place place) {
  const SupervisedChild& child = children_.at(place);
  if (!child.runs()) return;
  awaited_.insert(child.incarnation);
  actions_.emplace_back(UpdateChild{.incarnation = child.incarnation, .spec = child.spec});
}

void Supervisor::send_kill(SupervisedChild& child) {
  if (!std::exchange(child.killed, true)) actions_.emplace_back(KillChild{.incarnation = child.incarnation});
}

void Supervisor::set_deadline(SupervisedChild& child, TimePoint time) {
  child.stop_by = time;
  deadlines_.write().emplace(time, child.incarnation);
}

void Supervisor::forget_deadline(SupervisedChild& child) {
  if (!child.stop_by) return;
  deadlines_.write().erase({*child.stop_by, child.incarnation});
  child.stop_by.reset();
}

void Supervisor::on_start_failed(Place place) {
  SupervisedChild& child = children_.at(place);
  const Incarnation incarnation = child.incarnation;
  children_.end_incarnation(place);
  child.status = ChildStatus::stopped;
  switch (work_->purpose) {
    case Purpose::begin:
      work_ = std::make_unique<Work>(
          ending({.reason = ExitReason::shutdown, .failed_child = child.id(), .failed_incarnation = incarnation}));
      return;
    case Purpose::restart_round:
      // Requests that arrive meanwhile go first, and the next try counts like any restart.
      child.status = ChildStatus::restarting;
      inbox_.push_back(TryAgain{.id = child.id()});
      work_.reset();
      return;
    default: break;
  }
  work_->failures.push_back(child.id());
  if (work_->purpose == Purpose::add) return remove(place);
  actions_.emplace_back(ChildStopped{.id = child.id()});
}

void Supervisor::settle(Place place) {
  SupervisedChild& child = children_.at(place);
  if (is_simple() || child.spec->restart() == RestartType::temporary) {
    remove(place);
    return;
  }
  children_.end_incarnation(place);
  child.status = ChildStatus::stopped;
  const bool may_come_back = work_ && work_->purpose != Purpose::stop_one;
  if (!may_come_back) actions_.emplace_back(ChildStopped{.id = child.id()});
}

void Supervisor::remove(Place place) {
  actions_.emplace_back(ChildRemoved{.id = children_.at(place).id()});
  children_.erase(place);
}

// Decisions ------------------------------------------------------------------------------------------------------

void Supervisor::take(TimePoint now) {
  Message message = std::move(inbox_.front());
  inbox_.pop_front();
  std::visit([&](auto& one) { handle(one, now); }, message);
}

void Supervisor::handle(const Exit& exit, TimePoint now) {
  const Place* const found = children_.find_incarnation(exit.incarnation);
  if (found == nullptr) return;  // it has been stopped meanwhile
  const Place place = *found;
  if (should_restart(children_.at(place).spec->restart(), exit.reason)) {
    restart(place, now);
  } else {
    settle(place);
  }
}

void Supervisor::handle(const TryAgain& again, TimePoint now) {
  const Place* const place = children_.find_id(again.id);
  if (place != nullptr && children_.at(*place).status == ChildStatus::restarting) restart(*place, now);
}

void Supervisor::handle(const StopAll& /*stop*/, TimePoint /*now*/) {
  work_ = std::make_unique<Work>(ending({.reason = ExitReason::shutdown}));
}

void Supervisor::restart(Place place, TimePoint now) {
  if (!budget_.spend(now)) {
    actions_.emplace_back(GaveUp{.child = children_.at(place).id()});
    settle(place);
    work_ = std::make_unique<Work>(ending({.reason = ExitReason::shutdown}));
    return;
  }
  children_.end_incarnation(place);
  children_.at(place).status = ChildStatus::stopped;
  work_ = std::make_unique<Work>(restart_round(place));
}

Supervisor::Work Supervisor::restart_round(Place place) const {
  Work work{.purpose = Purpose::restart_round};
  const bool alone = strategy_ == Strategy::one_for_one || is_simple();
  const Place first = strategy_ == Strategy::one_for_all ? 0 : place;
  for (const Place one : alone ? std::vector{place} : children_.places_from(first)) {
    const SupervisedChild& child = children_.all().at(one);
    if (one != place) work.stops.push_front(one);
    // A temporary sibling is stopped with the others but never comes back.
    if (child.spec->restart() != RestartType::temporary) work.starts.push_back(one);
  }
  return work;
}

Supervisor::Work Supervisor::ending(SupervisorEnded how) const {
  const bool together = is_simple() || order_ == StopOrder::together;
  Work work{.purpose = Purpose::end, .stops_together = together, .ending = std::move(how)};
  for (const Place place : children_.places_from(0)) work.stops.push_front(place);
  return work;
}

}  // namespace petri
