#include "sandbox/switch/module_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "sandbox/switch/described_state.h"
#include "sandbox/switch/instance_group.h"

namespace petri {
namespace {

std::string how_it_ended(const Outcome& outcome) {
  std::string text(name_of(outcome.kind));
  if (outcome.trap) text += fmt::format(" ({})", name_of(*outcome.trap));
  if (outcome.exit_code) text += fmt::format(" with code {}", *outcome.exit_code);
  if (!outcome.cause.empty()) text += fmt::format(" because of {}", outcome.cause);
  return text;
}

// The error says how the guest ended; the caller adds whose it was.
Result<Outcome> expect_ok(Result<Outcome> outcome, ErrorCode code, std::string_view what) {
  if (!outcome) return outcome;
  if (outcome->kind == OutcomeKind::ok) return outcome;
  return fail(
      Error{.code = code, .message = fmt::format("{} ended as {}", what, how_it_ended(*outcome)), .details = {}}.with(
          "outcome", std::string(name_of(outcome->kind))));
}

// A hook that is called for its effect: nobody reads its output, so output that was cut off is not missed.
Result<void> expect_done(Result<Outcome> outcome, ErrorCode code, std::string_view what) {
  if (outcome && outcome->kind == OutcomeKind::output_limit && outcome->returned) return {};
  PETRI_TRY(expect_ok(std::move(outcome), code, what));
  return {};
}

// A hook that is called for its output, all of which is state.
Result<std::string> expect_state(Result<Outcome> outcome, std::string_view what) {
  if (outcome && (outcome->kind == OutcomeKind::output_limit || outcome->cause == "output_bytes_max")) {
    return fail(ErrorCode::limit_exceeded, fmt::format("{} writes more than state_bytes_max allows", what));
  }
  PETRI_TRY(Outcome written, expect_ok(std::move(outcome), ErrorCode::migration_failed, what));
  return std::move(written.output);
}

std::unexpected<Error> of_process(const Process& process, Error error) {
  error.message = fmt::format("the process {}: {}", process.name(), error.message);
  return fail(std::move(error).with("process", process.name()));
}

std::unexpected<Error> no_room() {
  return fail(ErrorCode::limit_exceeded, "memory_bytes_max leaves no room for the new version beside the running one");
}

Result<void> expect_instance(const Result<End>& end) {
  if (!end) return fail(end.error());
  if (end->kind == EndKind::cancelled) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  if (end->kind != EndKind::returned) return no_room();
  return {};
}

// The artifacts of a module and of those it is linked with, in their order.
std::vector<ArtifactId> artifacts_of(const ModuleCode& code) {
  if (code.linked == nullptr) return {code.artifact->id()};
  std::vector<ArtifactId> all;
  for (const ModulePart& part : code.linked->parts()) all.push_back(part.code->artifact->id());
  return all;
}

// One that is linked with the module whose process it is.
std::unexpected<Error> of_member(const std::string& member, const std::string& module, Error error) {
  if (member == module) return fail(std::move(error));
  error.message = fmt::format("the module {}, with which it is linked: {}", member, error.message);
  return fail(std::move(error));
}

}  // namespace

const SwitchSnapshot::Kept* ModuleSwitch::kept_for(const Process& process) const {
  return terms_.back_to == nullptr ? nullptr : terms_.back_to->find(process.name());
}

bool ModuleSwitch::goes_back(const Process& process) const {
  if (terms_.back_to == nullptr) return false;
  return terms_.unknown == SwitchTerms::Unknown::starts_fresh || kept_for(process) != nullptr;
}

// ---- beside the process ---------------------------------------------------------------------------------------

Result<void> ModuleSwitch::prepare(Process& process, Clock::TimePoint deadline) {
  Beside beside{.port = std::make_unique<HookPort>(process.name(), terms_.from_number), .live = {}};
  beside.live = process.standby().create(terms_.to, *beside.port);
  beside.live.version = terms_.to_number;
  PETRI_TRY(note_started(process.shared_from_this()));
  if (auto started = begin(process, beside, deadline); !started) return of_process(process, std::move(started.error()));
  beside_.insert_or_assign(&process, std::move(beside));
  return {};
}

// An instance that is to have the memory of another runs nothing before it has it.
Result<void> ModuleSwitch::begin(Process& process, Beside& beside, Clock::TimePoint deadline) {
  const SwitchSnapshot::Kept* kept = kept_for(process);
  if (kept != nullptr && !kept->image && !kept->document) {
    return fail(ErrorCode::state_incompatible, "the state it had at the switch could not be kept");
  }
  if (kept != nullptr && kept->image) {
    if (!kept->modules.empty() && kept->modules != artifacts_of(*terms_.to)) {
      return fail(ErrorCode::state_incompatible,
                  "the state it had at the switch is of other versions of the modules it is linked with");
    }
    return expect_instance(beside.live.continue_from(*kept->image));
  }
  const bool has_memory_of_another = terms_.way == StateWay::memory && !goes_back(process);
  if (has_memory_of_another && terms_.to->linked == nullptr && terms_.from->linked == nullptr) return {};
  auto started = process.standby().begin(beside.live, deadline, has_memory_of_another ? Starts::others : Starts::all);
  if (started && started->kind == OutcomeKind::memory_limit && started->place == Place::instantiate) return no_room();
  return expect_done(std::move(started), ErrorCode::start_failed, "the new version");
}

// Nobody is to have this instance: whether the code starts is all there is to see.
Result<void> ModuleSwitch::try_start(ProcessOwner& owner, Clock::TimePoint deadline) {
  HookPort port(terms_.module, terms_.from_number);
  Standby standby(owner, terms_.module, trial_start_);
  LiveInstance live = standby.create(terms_.to, port);
  PETRI_TRY(note_started(nullptr));
  return expect_done(standby.begin(live, deadline), ErrorCode::start_failed,
                     fmt::format("the new version of {}", terms_.module));
}

// A change that is abandoned from here on ends what is started.
Result<void> ModuleSwitch::note_started(ProcessPtr process) {
  MutexLock lock(mutex_);
  if (abandoned_) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  if (process != nullptr) started_.push_back(std::move(process));
  return {};
}

void ModuleSwitch::abandon() {
  MutexLock lock(mutex_);
  abandoned_ = true;
  for (const ProcessPtr& process : started_) process->end_standby();
  trial_start_.raise();
}

// ---- while it is quiescent -----------------------------------------------------------------------------------

Result<void> ModuleSwitch::carry(Process& process, Clock::TimePoint deadline) {
  Beside& beside = beside_.at(&process);
  if (terms_.keep != nullptr) keep_state(process);
  auto crossed = cross(process, beside, deadline);
  if (crossed) crossed = ask_ready(process, beside.live, deadline);
  if (!crossed) return of_process(process, std::move(crossed.error()));
  return {};
}

// State that cannot be kept is left out: then there is no way back to it, and the reload works all the same.
void ModuleSwitch::keep_state(Process& process) const {
  Instance& instance = *process.live().guest->instance();
  SwitchSnapshot::Kept kept;
  if (process.live().movable()) {
    auto image = InstanceImage::capture(instance, image_terms(terms_));
    if (image) {
      kept.image = std::make_shared<const InstanceImage>(std::move(*image));
      kept.modules = artifacts_of(*process.live().code);
    }
  }
  // A group's state would be kept only in part.
  if (!kept.image && instance.linked() == nullptr && describes_state(terms_.from->module())) {
    auto described = DescribedState::of(terms_.from->module(), instance, terms_.state_bytes_max);
    if (auto document = described ? described->capture() : fail(described.error()))
      kept.document = std::move(*document);
  }
  // State that was given up at the switch is not missed on the way back.
  const bool given_up = terms_.way == StateWay::none && !kept.image && !kept.document;
  if (!given_up) terms_.keep->keep(process.name(), std::move(kept));
}

Result<void> ModuleSwitch::cross(Process& process, Beside& beside, Clock::TimePoint deadline) {
  if (goes_back(process)) {
    const SwitchSnapshot::Kept* kept = kept_for(process);
    return kept == nullptr ? Result<void>() : restore_kept(beside.live, *kept);
  }
  if (!process.live()) return {};  // it is to be revived, and there was nothing to keep of it
  Instance& from = *process.live().guest->instance();
  Instance* const to = beside.live.guest->instance();
  if (to == nullptr) {  // it is made of the other
    PETRI_TRY(check_memory_crosses(*process.live().code, from, terms_));
    return expect_instance(beside.live.continue_from(from));
  }
  if (from.linked() != nullptr || to->linked() != nullptr) return cross_group(process, beside, deadline);
  return cross_by_terms({process, beside, own_, from, *to, {}, {}, deadline});
}

Result<void> ModuleSwitch::cross_group(Process& process, Beside& beside, Clock::TimePoint deadline) {
  InstanceGroup old(*process.live().guest->instance(), terms_.module),
      next(*beside.live.guest->instance(), terms_.module);
  const std::size_t size = next.size();  // one that is by itself may be made anew below
  for (std::size_t place = 0; place < size; ++place) {
    const std::string& name = next.name(place);
    const auto before = old.find(name);
    if (!before) continue;  // it is new here, and starts afresh
    Change* change = change_of(name);
    std::optional<Change> same;
    if (change == nullptr) change = &same.emplace(unchanged(*process.live().code, name));
    auto crossed = cross_by_terms({process, beside, *change, old.instance(*before), next.instance(place),
                                   old.place(*before), next.place(place), deadline});
    if (!crossed) return of_member(name, terms_.module, std::move(crossed.error()));
  }
  return {};
}

Result<void> ModuleSwitch::cross_by_terms(const Crossing& crossing) const {
  switch (crossing.terms().way) {
    case StateWay::described: return cross_described(crossing);
    case StateWay::hooks: return cross_hooks(crossing);
    case StateWay::memory: return cross_memory(crossing);
    case StateWay::none: return {};
    case StateWay::best: break;
  }
  return fail(ErrorCode::state_incompatible, "its state has no way to the version it goes back to");
}

ModuleSwitch::Change* ModuleSwitch::change_of(std::string_view module) {
  if (module == terms_.module) return &own_;
  const auto found = std::ranges::find(members_, module, [](const Change& change) { return change.terms.module; });
  return found == members_.end() ? nullptr : &*found;
}

// A module that stays as it is keeps its memory.
ModuleSwitch::Change ModuleSwitch::unchanged(const ModuleCode& group, const std::string& module) const {
  const ModuleCodePtr code = group.linked == nullptr ? nullptr : group.linked->find(module)->code;
  return Change(
      {.module = module, .from = code, .to = code, .way = StateWay::memory, .state_bytes_max = terms_.state_bytes_max});
}

const std::optional<StatePlan>& ModuleSwitch::plan_of(std::string_view module) const {
  const auto found = std::ranges::find(members_, module, [](const Change& change) { return change.terms.module; });
  return found == members_.end() ? own_.plan : found->plan;
}

Result<void> ModuleSwitch::restore_kept(LiveInstance& live, const SwitchSnapshot::Kept& kept) const {
  if (!kept.document) return {};
  PETRI_TRY(DescribedState place,
            DescribedState::of(terms_.to->module(), *live.guest->instance(), terms_.state_bytes_max));
  return place.restore(*kept.document);
}

Result<void> ModuleSwitch::check_memory_crosses(const ModuleCode& code, Instance& from,
                                                const SwitchTerms& terms) const {
  if (!code.movable()) {
    return fail(ErrorCode::state_incompatible, "the running version is not movable, so its memory stays with it");
  }
  if (from.memory().size() <= terms.state_bytes_max) return {};
  return InstanceImage::check_fits(from, image_terms(terms));
}

ImageTerms ModuleSwitch::image_terms(const SwitchTerms& terms) const {
  return {.bytes_max = terms.state_bytes_max, .is_ended = [this] { return abandoned_.load(); }};
}

Result<void> ModuleSwitch::cross_memory(const Crossing& crossing) const {
  PETRI_TRY(check_memory_crosses(*by_itself(crossing.terms().from), crossing.from, crossing.terms()));
  LiveInstance& live = crossing.beside.live;
  if (crossing.place_to) return expect_instance(live.guest->continue_member_from(*crossing.place_to, crossing.from));
  return expect_instance(live.continue_from(crossing.from));
}

Result<void> ModuleSwitch::ask_ready(Process& process, LiveInstance& live, Clock::TimePoint deadline) const {
  const auto ask = [&](const SwitchTerms& terms, std::optional<std::size_t> place) -> Result<void> {
    if (!terms.to->ready) return {};
    return expect_done(process.standby().call(live, {.export_number = *terms.to->ready, .member = place}, {}, deadline),
                       ErrorCode::start_failed, "petri_ready of the new version");
  };
  const InstanceGroup group(*live.guest->instance(), terms_.module);
  for (const Change& change : members_) {
    const auto place = group.find(change.terms.module);
    if (place) {
      PETRI_TRY(ask(change.terms, group.place(*place)));
    }
  }
  return ask(terms_, std::nullopt);
}

// ---- described state ------------------------------------------------------------------------------------------

Result<void> ModuleSwitch::cross_described(const Crossing& crossing) {
  const SwitchTerms& terms = crossing.terms();
  PETRI_TRY(DescribedState old, DescribedState::of(terms.from->module(), crossing.from, terms.state_bytes_max));
  PETRI_TRY(DescribedState next, DescribedState::of(terms.to->module(), crossing.to, terms.state_bytes_max));
  PETRI_TRY(StateDocument document, old.capture());
  const bool by_handler = terms.policy.migrate.described != nullptr;
  if (by_handler) {
    PETRI_TRY(document, migrated(crossing, document));
  }
  PETRI_TRY(const StateDocument initial, next.capture());
  const auto plan = plan_between(crossing.change, document.shared_schema(), next.schema());
  auto crossed = plan ? (*plan)->apply(document, initial) : fail(plan.error());
  if (crossed) return next.restore(*crossed);
  if (by_handler) crossed.error().code = ErrorCode::migration_failed;
  return fail(std::move(crossed.error()));
}

Result<const StatePlan*> ModuleSwitch::plan_between(Change& change, const std::shared_ptr<const StateSchema>& from,
                                                    const std::shared_ptr<const StateSchema>& to) {
  std::optional<StatePlan>& plan = change.plan;
  if (plan && plan->from() == *from && plan->to() == *to) return &*plan;
  const StatePolicy policy{.drop = change.terms.policy.drop};
  PETRI_TRY(plan, StatePlan::create(from, to, change.terms.renames, policy));
  return &*plan;
}

Migration ModuleSwitch::migration_of(const Crossing& crossing) {
  const SwitchTerms& terms = crossing.terms();
  return {.module = terms.module, .process = crossing.process.name(), .from = terms.from_number, .to = terms.to_number};
}

namespace {

// The caller's code: what it throws, and what it says is wrong, is migration_failed.
template <typename State>
Result<State> ask_handler(const auto& handler, const Migration& migration, const auto& state) {
  std::string why;
  try {
    Result<State> answer = handler(migration, state);
    if (answer) return answer;
    why = answer.error().message;
  } catch (const std::exception& error) {
    why = fmt::format("it threw: {}", error.what());
  } catch (...) {
    why = "it threw";
  }
  return fail(ErrorCode::migration_failed, fmt::format("the migration handler failed: {}", why));
}

}  // namespace

Result<StateDocument> ModuleSwitch::migrated(const Crossing& crossing, const StateDocument& document) {
  return ask_handler<StateDocument>(crossing.terms().policy.migrate.described, migration_of(crossing), document);
}

// ---- hooks ----------------------------------------------------------------------------------------------------

Result<void> ModuleSwitch::cross_hooks(const Crossing& crossing) {
  PETRI_TRY(std::string bytes, saved(crossing));
  PETRI_TRY(bytes, migrated(crossing, std::move(bytes)));
  const Standby::Hook load{.export_number = *crossing.terms().to->load, .member = crossing.place_to};
  return expect_done(crossing.process.standby().call(crossing.beside.live, load, bytes, crossing.deadline),
                     ErrorCode::migration_failed, "petri_load of the new version");
}

// In a copy, so that whatever the hook does costs the running one nothing.
Result<std::string> ModuleSwitch::saved(const Crossing& crossing) {
  const SwitchTerms& terms = crossing.terms();
  PETRI_TRY(LiveInstance copy, crossing.process.standby().copy(crossing.process.live(), *crossing.beside.port));
  const Standby::Hook save{
      .export_number = *terms.from->save, .member = crossing.place_from, .output_bytes_max = terms.state_bytes_max};
  return expect_state(crossing.process.standby().call(copy, save, {}, crossing.deadline),
                      "petri_save of the running version");
}

Result<std::string> ModuleSwitch::migrated(const Crossing& crossing, std::string bytes) {
  const SwitchTerms& terms = crossing.terms();
  if (terms.policy.migrate.hooks) {
    PETRI_TRY(bytes,
              ask_handler<std::string>(terms.policy.migrate.hooks, migration_of(crossing), std::string_view(bytes)));
  } else if (terms.to->migrate && by_itself(terms.to) != by_itself(terms.from)) {
    const Standby::Hook migrate{
        .export_number = *terms.to->migrate, .member = crossing.place_to, .output_bytes_max = terms.state_bytes_max};
    PETRI_TRY(bytes,
              expect_state(crossing.process.standby().call(crossing.beside.live, migrate, bytes, crossing.deadline),
                           "petri_migrate of the new version"));
  }
  if (bytes.size() <= terms.state_bytes_max) return bytes;
  return fail(ErrorCode::limit_exceeded,
              fmt::format("its state has {} bytes and state_bytes_max allows {}", bytes.size(), terms.state_bytes_max));
}

// ---- the exchange ---------------------------------------------------------------------------------------------

void ModuleSwitch::exchange(Process& process) { process.exchange(take_instance(process), trial_); }

LiveInstance ModuleSwitch::take_instance(const Process& process) { return std::move(beside_.at(&process).live); }

}  // namespace petri
