#include "sandbox/module_switch.h"

#include <fmt/format.h>

#include <exception>

#include "sandbox/described_state.h"

namespace petri {
namespace {

std::string how_it_ended(const Outcome& outcome) {
  std::string text(name_of(outcome.kind));
  if (outcome.trap) text += fmt::format(" ({})", name_of(*outcome.trap));
  if (outcome.exit_code) text += fmt::format(" with code {}", *outcome.exit_code);
  return text;
}

// What a guest did in place of the process is told with the process.
Result<Outcome> expect_ok(Result<Outcome> outcome, ErrorCode code, std::string_view what) {
  if (!outcome) return outcome;
  if (outcome->kind == OutcomeKind::ok) return outcome;
  if (outcome->kind == OutcomeKind::output_limit) {
    return fail(ErrorCode::limit_exceeded, fmt::format("{} writes more than state_bytes_max allows", what));
  }
  return fail(
      Error{.code = code, .message = fmt::format("{} ended as {}", what, how_it_ended(*outcome)), .details = {}}.with(
          "outcome", std::string(name_of(outcome->kind))));
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
  if (end->kind != EndKind::returned) return no_room();
  return {};
}

}  // namespace

// ---- snapshot -------------------------------------------------------------------------------------------------

void SwitchSnapshot::keep(const std::string& process, Kept state) {
  const std::uint64_t bytes =
      state.image ? state.image->bytes_kept() : (state.document ? state.document->bytes().size() : 0);
  const bool room = account_.try_take(bytes);
  if (room) bytes_ += bytes;
  if (!room) state = {};
  kept_.insert_or_assign(process, std::move(state));
}

const SwitchSnapshot::Kept* SwitchSnapshot::find(const std::string& process) const {
  const auto found = kept_.find(process);
  return found == kept_.end() ? nullptr : &found->second;
}

const SwitchSnapshot::Kept* ModuleSwitch::kept_for(const Process& process) const {
  return terms_.back_to == nullptr ? nullptr : terms_.back_to->find(process.name());
}

// ---- beside the process ---------------------------------------------------------------------------------------

Result<void> ModuleSwitch::prepare(Process& process, Clock::TimePoint deadline) {
  Beside beside{.port = std::make_unique<HookPort>(process.name(), terms_.from_number), .life = {}};
  beside.life = process.make_life_beside(terms_.to, *beside.port);
  PETRI_TRY(note_begun(process));
  if (auto begun = begin(process, beside, deadline); !begun) return of_process(process, std::move(begun.error()));
  beside_.insert_or_assign(&process, std::move(beside));
  return {};
}

// What is to have the memory of another runs nothing before it has it.
Result<void> ModuleSwitch::begin(Process& process, Beside& beside, Clock::TimePoint deadline) {
  const SwitchSnapshot::Kept* kept = kept_for(process);
  if (kept != nullptr && !kept->image && !kept->document) {
    return fail(ErrorCode::state_incompatible, "the state it had at the switch could not be kept");
  }
  if (kept != nullptr && kept->image) return expect_instance(beside.life.go_on_from(*kept->image));
  if (terms_.way == StateWay::memory && terms_.back_to == nullptr) return {};
  auto begun = process.begin_in(beside.life, deadline);
  if (begun && begun->kind == OutcomeKind::memory_limit && begun->place == Place::instantiate) return no_room();
  PETRI_TRY(expect_ok(std::move(begun), ErrorCode::start_failed, "the new version"));
  return {};
}

Result<void> ModuleSwitch::note_begun(Process& process) {
  MutexLock lock(mutex_);
  if (abandoned_) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  begun_.push_back(process.shared_from_this());
  return {};
}

void ModuleSwitch::abandon() {
  MutexLock lock(mutex_);
  abandoned_ = true;
  for (const ProcessPtr& process : begun_) process->end_life_beside();
}

// ---- while it is at rest --------------------------------------------------------------------------------------

Result<void> ModuleSwitch::carry(Process& process, Clock::TimePoint deadline) {
  Beside& beside = beside_.at(&process);
  if (terms_.keep != nullptr) keep_state(process);
  auto crossed = cross(process, beside, deadline);
  if (crossed) crossed = ask_ready(process, beside.life, deadline);
  if (!crossed) return of_process(process, std::move(crossed.error()));
  return {};
}

// What cannot be kept is not: then there is no way back to it, and reload works all the same.
void ModuleSwitch::keep_state(Process& process) const {
  Instance& instance = *process.life().guest->instance();
  SwitchSnapshot::Kept kept;
  if (process.life().movable()) {
    auto image = InstanceImage::capture(instance);
    if (image && image->bytes_kept() <= terms_.state_bytes_max) {
      kept.image = std::make_shared<const InstanceImage>(std::move(*image));
    }
  }
  if (!kept.image && describes_state(terms_.from->module())) {
    auto described = DescribedState::of(terms_.from->module(), instance, terms_.state_bytes_max);
    if (auto document = described ? described->capture() : fail(described.error()))
      kept.document = std::move(*document);
  }
  // What was given up at the switch is not missed on the way back.
  const bool given_up = terms_.way == StateWay::none && !kept.image && !kept.document;
  if (!given_up) terms_.keep->keep(process.name(), std::move(kept));
}

Result<void> ModuleSwitch::cross(Process& process, Beside& beside, Clock::TimePoint deadline) {
  if (terms_.back_to != nullptr) {
    const SwitchSnapshot::Kept* kept = kept_for(process);
    return kept == nullptr ? Result<void>() : restore_kept(beside.life, *kept);
  }
  switch (terms_.way) {
    case StateWay::described: return cross_described(process, beside.life);
    case StateWay::hooks: return cross_hooks(process, beside, deadline);
    case StateWay::memory: return cross_memory(process, beside.life);
    default: return {};
  }
}

Result<void> ModuleSwitch::restore_kept(Life& life, const SwitchSnapshot::Kept& kept) const {
  if (!kept.document) return {};
  PETRI_TRY(DescribedState place,
            DescribedState::of(terms_.to->module(), *life.guest->instance(), terms_.state_bytes_max));
  return place.restore(*kept.document);
}

Result<void> ModuleSwitch::cross_memory(Process& process, Life& life) const {
  Instance& from = *process.life().guest->instance();
  if (!process.life().movable()) {
    return fail(ErrorCode::state_incompatible, "the running version is not movable, so its memory stays with it");
  }
  if (from.memory().size() > terms_.state_bytes_max) {
    PETRI_TRY(const InstanceImage image, InstanceImage::capture(from));
    if (image.bytes_kept() > terms_.state_bytes_max) {
      return fail(ErrorCode::limit_exceeded, fmt::format("its memory holds {} bytes and state_bytes_max allows {}",
                                                         image.bytes_kept(), terms_.state_bytes_max));
    }
  }
  return expect_instance(life.go_on_from(from));
}

Result<void> ModuleSwitch::ask_ready(Process& process, Life& life, Clock::TimePoint deadline) const {
  if (!terms_.to->ready) return {};
  PETRI_TRY(expect_ok(process.call_in(life, *terms_.to->ready, {}, deadline), ErrorCode::start_failed,
                      "petri_ready of the new version"));
  return {};
}

// ---- described state ------------------------------------------------------------------------------------------

Result<void> ModuleSwitch::cross_described(Process& process, Life& life) {
  PETRI_TRY(DescribedState old,
            DescribedState::of(terms_.from->module(), *process.life().guest->instance(), terms_.state_bytes_max));
  PETRI_TRY(DescribedState next,
            DescribedState::of(terms_.to->module(), *life.guest->instance(), terms_.state_bytes_max));
  PETRI_TRY(StateDocument document, old.capture());
  const bool by_handler = terms_.policy.migrate.described != nullptr;
  if (by_handler) {
    PETRI_TRY(document, migrated(process, document));
  }
  PETRI_TRY(const StateDocument initial, next.capture());
  const auto plan = plan_between(document.shared_schema(), next.schema());
  auto crossed = plan ? (*plan)->apply(document, initial) : fail(plan.error());
  if (crossed) return next.restore(*crossed);
  if (by_handler) crossed.error().code = ErrorCode::migration_failed;
  return fail(std::move(crossed.error()));
}

Result<const StatePlan*> ModuleSwitch::plan_between(const std::shared_ptr<const StateSchema>& from,
                                                    const std::shared_ptr<const StateSchema>& to) {
  if (plan_ && plan_->from() == *from && plan_->to() == *to) return &*plan_;
  const StatePolicy policy{.drop = terms_.policy.drop};
  PETRI_TRY(plan_, StatePlan::create(from, to, terms_.renames, policy));
  return &*plan_;
}

Migration ModuleSwitch::migration_of(const Process& process) const {
  return {.module = terms_.module, .process = process.name(), .from = terms_.from_number, .to = terms_.to_number};
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

Result<StateDocument> ModuleSwitch::migrated(const Process& process, const StateDocument& document) const {
  return ask_handler<StateDocument>(terms_.policy.migrate.described, migration_of(process), document);
}

// ---- hooks ----------------------------------------------------------------------------------------------------

Result<void> ModuleSwitch::cross_hooks(Process& process, Beside& beside, Clock::TimePoint deadline) {
  PETRI_TRY(std::string bytes, saved(process, *beside.port, deadline));
  PETRI_TRY(bytes, migrated(process, beside.life, std::move(bytes), deadline));
  PETRI_TRY(expect_ok(process.call_in(beside.life, *terms_.to->load, bytes, deadline), ErrorCode::migration_failed,
                      "petri_load of the new version"));
  return {};
}

// In a copy, so that whatever the hook does costs the running one nothing.
Result<std::string> ModuleSwitch::saved(Process& process, HookPort& port, Clock::TimePoint deadline) const {
  PETRI_TRY(Life copy, process.copy_life(port));
  PETRI_TRY(Outcome outcome, expect_ok(process.call_in(copy, *terms_.from->save, {}, deadline, terms_.state_bytes_max),
                                       ErrorCode::migration_failed, "petri_save of the running version"));
  return std::move(outcome.output);
}

Result<std::string> ModuleSwitch::migrated(Process& process, Life& life, std::string bytes,
                                           Clock::TimePoint deadline) const {
  if (terms_.policy.migrate.hooks) {
    PETRI_TRY(bytes,
              ask_handler<std::string>(terms_.policy.migrate.hooks, migration_of(process), std::string_view(bytes)));
  } else if (terms_.to->migrate) {
    PETRI_TRY(Outcome outcome,
              expect_ok(process.call_in(life, *terms_.to->migrate, bytes, deadline, terms_.state_bytes_max),
                        ErrorCode::migration_failed, "petri_migrate of the new version"));
    bytes = std::move(outcome.output);
  }
  if (bytes.size() <= terms_.state_bytes_max) return bytes;
  return fail(ErrorCode::limit_exceeded, fmt::format("its state has {} bytes and state_bytes_max allows {}",
                                                     bytes.size(), terms_.state_bytes_max));
}

// ---- the exchange ---------------------------------------------------------------------------------------------

void ModuleSwitch::exchange(Process& process, const std::shared_ptr<TrialPeriod>& trial) {
  process.exchange(take_life(process), trial);
}

Life ModuleSwitch::take_life(const Process& process) { return std::move(beside_.at(&process).life); }

}  // namespace petri
