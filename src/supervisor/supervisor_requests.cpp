// A live supervisor's answers to requests.
#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/text/escape.h"
#include "supervisor/supervision_tree.h"
#include "supervisor/supervisor.h"

namespace petri {
namespace {

std::string shown(std::string_view id) { return escape_text(id, kWordShownBytesMax); }

// These say the whole address.
std::unexpected<Error> no_child(std::string_view address) {
  return fail(ErrorCode::not_found,
              fmt::format("there is no child \"{}\"; children lists those that there are", shown(address)));
}

std::unexpected<Error> not_of_a_template(std::string_view address) {
  return fail(ErrorCode::rejected,
              fmt::format("\"{}\" can be neither started again nor removed: children of a simple_one_for_one are gone "
                          "once they stop; start_instance starts another",
                          shown(address)));
}

std::unexpected<Error> is_there(const SupervisedChild& child) {
  std::string message = fmt::format("there is a child \"{}\" already", shown(child.id()));
  if (child.status == ChildStatus::stopped)
    message += ", which is stopped; restart_child starts it, remove_child removes it";
  return fail(ErrorCode::already_exists, std::move(message));
}

std::unexpected<Error> being_restarted(std::string_view id) {
  return fail(ErrorCode::busy, fmt::format("the child \"{}\" is being restarted; stop it first", shown(id)));
}

std::unexpected<Error> could_not_start(const std::vector<std::string>& ids) {
  return fail(ErrorCode::start_failed, fmt::format("the child{} \"{}\" could not be started",
                                                   ids.size() > 1 ? "ren" : "", fmt::join(ids, "\", \"")));
}

}  // namespace

void Supervisor::answer(Ticket ticket, Result<void> result) {
  actions_.emplace_back(Answer{.ticket = ticket, .result = std::move(result)});
}

void Supervisor::cancel(Ticket ticket) {
  Error error{.code = ErrorCode::cancelled,
              .message = "the supervisor ended before it was done with this request",
              .details = {}};
  answer(ticket, fail(std::move(error).with("component", "supervisor")));
}

void Supervisor::refuse_inbox() {
  for (const Message& message : std::exchange(inbox_, {})) {
    if (const auto* const asked = std::get_if<Asked>(&message)) cancel(asked->ticket);
  }
}

void Supervisor::finish() {
  const Work work = *std::exchange(work_, nullptr);
  if (work.ticket) {
    actions_.emplace_back(Answer{.ticket = *work.ticket,
                                 .result = work.failures.empty() ? Result<void>() : could_not_start(work.failures),
                                 .incarnation = work.incarnation,
                                 .failed = work.failures,
                                 .added = work.failures.empty() ? work.added : ""});
  }
  if (work.purpose == Purpose::begin) actions_.emplace_back(SupervisorStarted{});
  if (work.purpose != Purpose::end) return;
  ended_ = true;
  refuse_inbox();
  actions_.emplace_back(work.ending);
}

void Supervisor::handle(Asked& asked, TimePoint /*now*/) {
  std::visit([&](auto& request) { ask(asked.ticket, request); }, asked.request);
}

void Supervisor::ask(Ticket ticket, AddChild& request) {
  if (is_simple()) {
    answer(ticket, fail(ErrorCode::rejected,
                        "this supervisor is simple_one_for_one: its children follow its template; use start_instance"));
    return;
  }
  add(ticket, {.spec = std::make_shared<const TreeChild>(std::move(request.child)),
               .charge = std::move(request.charge),
               .added = true});
}

void Supervisor::ask(Ticket ticket, AddInstance& request) {
  if (!is_simple()) {
    answer(ticket, fail(ErrorCode::rejected,
                        fmt::format("this supervisor is {} and has no template; use start_child", name_of(strategy_))));
    return;
  }
  auto& [id, input] = request.instance;
  if (input && template_->supervisor()) {
    answer(ticket, fail(ErrorCode::validation_failed,
                        fmt::format("the template \"{}\" is a supervisor, which takes no input", template_->id())));
    return;
  }
  const bool own_input = input.has_value();
  ChildSpec own{.id = id.empty() ? unused_id() : std::move(id)};
  own.input = std::move(input).value_or("");
  SupervisedChild child{.spec = std::make_shared<const TreeChild>(std::move(own)),
                        .charge = std::move(request.charge),
                        .added = true,
                        .own_input = own_input};
  follow_template(child);
  add(ticket, std::move(child));
}

void Supervisor::add(Ticket ticket, SupervisedChild child) {
  if (const Place* const taken = children_.find_id(child.id())) {
    answer(ticket, is_there(children_.at(*taken)));
    return;
  }
  std::string id = child.id();
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::add,
                                      .starts = {children_.append(std::move(child))},
                                      .ticket = ticket,
                                      .added = std::move(id)});
}

void Supervisor::ask(Ticket ticket, StopOne& request) {
  const Place* const place = children_.find_id(request.id);
  if (place == nullptr) {
    answer(ticket, no_child(address_below(address_, request.id)));
    return;
  }
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::stop_one, .stops = {*place}, .ticket = ticket});
}

// The place of a child that is stopped and may be started again or removed. `runs` is the code and the end of the
// sentence for one that is not.
Result<Supervisor::Place> Supervisor::stopped_child(const std::string& id, ErrorCode code, std::string_view runs) {
  if (is_simple()) return not_of_a_template(address_below(address_, id));
  const Place* const place = children_.find_id(id);
  if (place == nullptr) return no_child(address_below(address_, id));
  const ChildStatus status = children_.at(*place).status;
  if (status == ChildStatus::restarting) return being_restarted(id);
  if (status != ChildStatus::stopped) return fail(code, fmt::format("the child \"{}\" {}", shown(id), runs));
  return *place;
}

void Supervisor::ask(Ticket ticket, RestartOne& request) {
  auto place = stopped_child(request.id, ErrorCode::already_exists, "runs already");
  if (!place) return answer(ticket, fail(std::move(place.error())));
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::restart_one, .starts = {*place}, .ticket = ticket});
}

void Supervisor::ask(Ticket ticket, RemoveOne& request) {
  auto place = stopped_child(request.id, ErrorCode::busy, "runs; stop it first");
  if (!place) return answer(ticket, fail(std::move(place.error())));
  remove(*place);
  answer(ticket, {});
}

void Supervisor::ask(Ticket ticket, UpdateChildren& request) {
  std::vector<PresentChild> present;
  for (const auto& [place, child] : children_.all()) present.push_back({.spec = child.spec, .added = child.added});
  UpdatePlan plan = plan_update(strategy_, present, request.spec);
  work_ = std::make_unique<Work>(Work{.purpose = Purpose::update, .ticket = ticket});
  for (const std::string& id : plan.stop) work_->stops.push_back(*children_.find_id(id));
  work_->update = Update{.plan = std::move(plan), .wanted = std::move(request.spec)};
}

void Supervisor::apply(const Update& update) {
  strategy_ = update.wanted.strategy;
  budget_.change(update.wanted.intensity, update.wanted.period);
  template_.reset();
  if (is_simple()) template_ = std::make_unique<TreeChild>(update.wanted.children.front());
  children_.replace(children_after(update.plan));
  std::size_t index = 0;
  for (const Place place : children_.places_from(0)) {
    const ChildChange change = update.plan.children[index++].change;
    if (change == ChildChange::update) work_->updates.push_back(place);
    if (change == ChildChange::start || change == ChildChange::replace) work_->starts.push_back(place);
  }
}

std::vector<SupervisedChild> Supervisor::children_after(const UpdatePlan& plan) {
  std::vector<SupervisedChild> children;
  std::unordered_set<std::string_view> stay;
  for (const PlannedChild& planned : plan.children) {
    const Place* const place = children_.find_id(planned.spec->id());
    SupervisedChild child = place == nullptr ? SupervisedChild{} : children_.at(*place);
    child.spec = planned.spec;
    child.added = planned.added;
    if (is_simple()) follow_template(child);
    children.push_back(std::move(child));
    stay.insert(planned.spec->id());
  }
  for (const auto& [place, child] : children_.all()) {
    if (!stay.contains(child.id())) actions_.emplace_back(ChildRemoved{.id = child.id()});
  }
  return children;
}

void Supervisor::follow_template(SupervisedChild& child) const {
  if (const SupervisorSpec* supervisor = template_->supervisor()) {
    SupervisorSpec spec = *supervisor;
    spec.id = child.id();
    child.spec = std::make_shared<const TreeChild>(std::move(spec));
    return;
  }
  ChildSpec spec = *template_->process();
  spec.id = child.id();
  if (child.own_input) spec.input = child.spec->process()->input;
  child.spec = std::make_shared<const TreeChild>(std::move(spec));
}

std::string Supervisor::unused_id() {
  std::string id;
  do {
    id = fmt::format("{}-{}", template_->id(), ++added_);
  } while (children_.find_id(id) != nullptr);
  return id;
}

}  // namespace petri
