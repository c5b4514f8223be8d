#include "supervisor/supervision_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/escape.h"

namespace petri {
namespace {

// The ticket of updates that a supervisor hands down; there is one at a time.
constexpr Ticket kUpdateBelow = SupervisionTree::kTicketMax;

}  // namespace

std::string address_below(std::string_view supervisor, std::string_view id) {
  return supervisor.empty() ? std::string(id) : fmt::format("{}/{}", supervisor, id);
}

ChildAddress split_address(std::string_view address) {
  const std::size_t slash = address.rfind('/');
  if (slash == std::string_view::npos) return {.supervisor = {}, .id = std::string(address)};
  return {.supervisor = std::string(address.substr(0, slash)), .id = std::string(address.substr(slash + 1))};
}

SupervisionTree::SupervisionTree(const SupervisorSpec& root, StopOrder order)
    : root_(std::make_unique<Node>(Node{.rules = Supervisor(root, incarnations_, order)})) {}

TreeActions SupervisionTree::start(TimePoint now) {
  dispatch(*root_, root_->rules.start(now));
  return settle(now);
}

TreeActions SupervisionTree::started(Incarnation process, TimePoint now) {
  const auto owner = owners_.find(process);
  if (owner == owners_.end()) return {};
  dispatch(*owner->second, owner->second->rules.started(process, now));
  return settle(now);
}

TreeActions SupervisionTree::start_failed(Incarnation process, TimePoint now) {
  const auto owner = owners_.find(process);
  if (owner == owners_.end()) return {};
  Node& node = *owner->second;
  owners_.erase(owner);
  dispatch(node, node.rules.start_failed(process, now));
  return settle(now);
}

TreeActions SupervisionTree::exited(Incarnation process, ExitReason reason, TimePoint now) {
  const auto owner = owners_.find(process);
  if (owner == owners_.end()) return {};
  Node& node = *owner->second;
  owners_.erase(owner);
  dispatch(node, node.rules.exited(process, reason, now));
  return settle(now);
}

TreeActions SupervisionTree::request(Ticket ticket, std::string_view supervisor, Request request, TimePoint now) {
  Node* const node = supervisor_at(supervisor);
  if (node == nullptr) {
    return {Answer{.ticket = ticket,
                   .result = fail(ErrorCode::not_found,
                                  fmt::format("there is no running supervisor \"{}\"", escape_text(supervisor, 200)))}};
  }
  dispatch(*node, node->rules.request(ticket, std::move(request), now));
  return settle(now);
}

TreeActions SupervisionTree::stop(TimePoint now) {
  dispatch(*root_, root_->rules.stop(now));
  return settle(now);
}

TreeActions SupervisionTree::kill(TimePoint now) {
  dispatch(*root_, root_->rules.kill(now));
  return settle(now);
}

std::optional<SupervisionTree::TimePoint> SupervisionTree::deadline() const {
  return deadlines_->empty() ? std::nullopt : std::optional(deadlines_->begin()->first);
}

TreeActions SupervisionTree::expire(TimePoint now) {
  TreeActions all;
  while (!deadlines_->empty() && deadlines_->begin()->first <= now) {
    Node& node = *deadlines_->begin()->second;
    dispatch(node, node.rules.expire(now));
    std::ranges::move(settle(now), std::back_inserter(all));
  }
  return all;
}

void SupervisionTree::dispatch(Node& node, SupervisorActions actions) {
  note_deadline(node);
  for (SupervisorAction& action : actions) steps_.push_back({.node = &node, .action = std::move(action)});
}

TreeActions SupervisionTree::settle(TimePoint now) {
  // Steps come while others are carried out, so this walks by index.
  std::size_t index = 0;
  while (index < steps_.size()) {
    Step step = std::move(steps_[index++]);
    std::visit([&](auto& action) { carry_out(*step.node, action, now); }, step.action);
  }
  std::vector<Step>().swap(steps_);  // with its memory: most trees never have another step
  return std::exchange(actions_, {});
}

void SupervisionTree::carry_out(Node& node, StartChild& action, TimePoint now) {
  const Incarnation incarnation = action.incarnation;
  std::string address = address_below(node, action.spec->id());
  if (action.spec->process()) {
    owners_.emplace(incarnation, &node);
    actions_.emplace_back(StartProcess{.incarnation = incarnation,
                                       .address = std::move(address),
                                       .spec = std::move(action.spec),
                                       .again = action.again});
    return;
  }
  auto below = std::make_unique<Node>(
      Node{.rules = Supervisor(*action.spec->supervisor(), incarnations_, StopOrder::reverse, address),
           .parent = &node,
           .incarnation = incarnation,
           .address = std::move(address)});
  Node& child = *below;
  supervisors_.write().emplace(incarnation, std::move(below));
  dispatch(child, child.rules.start(now));
}

void SupervisionTree::carry_out(Node& /*node*/, StopChild& action, TimePoint now) {
  const auto child = supervisors_->find(action.incarnation);
  if (child == supervisors_->end()) {
    actions_.emplace_back(StopProcess{.incarnation = action.incarnation});
  } else {
    dispatch(*child->second, child->second->rules.stop(now));
  }
}

void SupervisionTree::carry_out(Node& /*node*/, KillChild& action, TimePoint now) {
  const auto child = supervisors_->find(action.incarnation);
  if (child == supervisors_->end()) {
    actions_.emplace_back(KillProcess{.incarnation = action.incarnation});
  } else {
    dispatch(*child->second, child->second->rules.kill(now));
  }
}

void SupervisionTree::carry_out(Node& /*node*/, UpdateChild& action, TimePoint now) {
  const auto child = supervisors_->find(action.incarnation);
  if (child == supervisors_->end()) return;  // it has ended meanwhile, and its parent is notified of that
  dispatch(*child->second,
           child->second->rules.request(kUpdateBelow, UpdateChildren{.spec = *action.spec->supervisor()}, now));
}

void SupervisionTree::carry_out(Node& node, ChildRemoved& action, TimePoint /*now*/) {
  actions_.emplace_back(PlaceRemoved{.address = address_below(node, action.id)});
}

void SupervisionTree::carry_out(Node& node, ChildStopped& action, TimePoint /*now*/) {
  actions_.emplace_back(PlaceStopped{.address = address_below(node, action.id)});
}

void SupervisionTree::carry_out(Node& node, GaveUp& action, TimePoint /*now*/) {
  node.gave_up = true;
  actions_.emplace_back(SupervisorGaveUp{.supervisor = node.address, .child = address_below(node, action.child)});
}

void SupervisionTree::carry_out(Node& node, Answer& action, TimePoint now) {
  if (action.ticket == kUpdateBelow) {
    const std::string id = node.address.substr(node.address.rfind('/') + 1);
    for (std::string& failed : action.failed) failed = id + "/" + failed;
    dispatch(*node.parent, node.parent->rules.updated(node.incarnation, std::move(action.failed), now));
    return;
  }
  if (action.incarnation == node.last_failure->supervisor) action.incarnation = node.last_failure->process;
  if (!action.added.empty()) action.added = address_below(node, action.added);
  actions_.emplace_back(std::move(action));
}

void SupervisionTree::carry_out(Node& node, SupervisorStarted& /*action*/, TimePoint now) {
  node.started = true;
  if (node.parent == nullptr) {
    actions_.emplace_back(TreeStarted{});
  } else {
    dispatch(*node.parent, node.parent->rules.started(node.incarnation, now));
  }
}

void SupervisionTree::carry_out(Node& node, SupervisorEnded& action, TimePoint now) {
  FailedStart failure{.supervisor = node.incarnation,
                      .address = action.failed_child.empty() ? "" : address_below(node, action.failed_child),
                      .process = action.failed_incarnation};
  if (action.failed_incarnation != kNoIncarnation && action.failed_incarnation == node.last_failure->supervisor) {
    failure.address = node.last_failure->address;
    failure.process = node.last_failure->process;
  }
  if (node.parent == nullptr) {
    actions_.emplace_back(TreeEnded{.reason = action.reason,
                                    .gave_up = node.gave_up,
                                    .failed_child = std::move(failure.address),
                                    .failed_incarnation = failure.process});
    return;
  }
  Node& parent = *node.parent;
  const Incarnation incarnation = node.incarnation;
  const bool was_started = node.started;
  if (!was_started) parent.last_failure.write() = std::move(failure);
  supervisors_.write().erase(incarnation);
  dispatch(parent, was_started ? parent.rules.exited(incarnation, action.reason, now)
                               : parent.rules.start_failed(incarnation, now));
}

void SupervisionTree::note_deadline(Node& node) {
  if (node.deadline == node.rules.deadline()) return;
  if (node.deadline) deadlines_.write().erase({*node.deadline, &node});
  node.deadline = node.rules.deadline();
  if (node.deadline) deadlines_.write().insert({*node.deadline, &node});
}

// Queries --------------------------------------------------------------------------------------------------

SupervisionTree::Node* SupervisionTree::supervisor_at(std::string_view address) const {
  if (address.empty()) return root_.get();
  const std::optional<TreeEntry> entry = find(address);
  if (!entry) return nullptr;
  const auto found = supervisors_->find(entry->incarnation);
  return found == supervisors_->end() ? nullptr : found->second.get();
}

std::optional<TreeEntry> SupervisionTree::find(std::string_view address) const {
  const std::size_t slash = address.rfind('/');
  const bool below_root = slash == std::string_view::npos;
  if (slash == 0) return std::nullopt;
  const Node* const node = below_root ? root_.get() : supervisor_at(address.substr(0, slash));
  if (node == nullptr) return std::nullopt;
  const auto* const place = node->rules.children().find_id(below_root ? address : address.substr(slash + 1));
  if (place == nullptr) return std::nullopt;
  return entry_of(*node, node->rules.children().all().at(*place));
}

const TreeChild* SupervisionTree::template_at(std::string_view supervisor) const {
  const Node* const node = supervisor_at(supervisor);
  return node == nullptr ? nullptr : node->rules.child_template();
}

TreeEntry SupervisionTree::entry_of(const Node& node, const SupervisedChild& child) {
  return {.address = address_below(node, child.id()),
          .spec = child.spec,
          .status = child.status,
          .incarnation = child.incarnation,
          .added = child.added};
}

std::vector<TreeEntry> SupervisionTree::entries() const {
  std::vector<TreeEntry> entries;
  list(*root_, entries);
  return entries;
}

void SupervisionTree::list(const Node& node, std::vector<TreeEntry>& entries) const {
  for (const auto& [place, child] : node.rules.children().all()) {
    entries.push_back(entry_of(node, child));
    const auto below = supervisors_->find(child.incarnation);
    if (below != supervisors_->end()) list(*below->second, entries);
  }
}

}  // namespace petri
