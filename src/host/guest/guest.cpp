#include "host/guest/guest.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/instance/linked_code.h"
#include "engine/instance/move_instance.h"
#include "host/process_port.h"

namespace petri {
namespace {

// One of several instances may ask: the rest stays as large as it is.
std::uint32_t grow(void* data, std::uint64_t have, std::uint64_t want) {
  auto& context = *static_cast<HostContext*>(data);
  return static_cast<std::uint32_t>(context.try_grow(context.memory_bytes() - have + want));
}

// The stack that a guest's calls may take is memory too, beyond what every guest has for it.
std::uint64_t stack_to_count(const LoadableArtifact& artifact, const Code& code, std::uint64_t call_depth) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  const std::uint64_t bytes = artifact.facts().value_bytes(call_depth) + code.others_value_bytes(call_depth);
  return bytes - std::min(bytes, kFree);
}

// Memory that the engine keeps is counted where there may be many instances: a process counts for the smallest
// instance.
std::uint64_t instance_to_count(const LoadableArtifact& artifact, const Code& code, const HostContext& context) {
  if (context.settings().account == nullptr) return 0;
  return artifact.facts().instance_bytes + code.others_instance_bytes();
}

std::uint64_t next_turn(void* data, std::uint64_t fuel_used) {
  auto& context = *static_cast<HostContext*>(data);
  return context.turns->next_turn(context, context.fuel_before + fuel_used);
}

}  // namespace

Initialize initialize_for(std::string_view function) {
  return function == kCommandStart || function == "_initialize" ? Initialize::no : Initialize::yes;
}

Guest::Guest(const LoadableArtifact& artifact, HostContext& context, const std::atomic<std::uint32_t>* interrupt)
    : artifact_(artifact),
      context_(context),
      hooks_{.interrupt = interrupt, .grow = &grow, .turn = &next_turn, .stacks = context.settings().stacks},
      initialize_(artifact.export_number("_initialize")) {
  context_.kill = interrupt;
}

void Guest::begin(const Allowance& allowance, std::string_view input) {
  allowance_ = allowance;
  context_.begin(input, allowance.deadline_ns);
  context_.turn_ns = allowance.turn_ns;
}

void Guest::drop() {
  if (instance_ != nullptr) context_.end_instance();
  instance_.reset();
  context_.linked = nullptr;
  whole_ = false;
}

// An end other than `returned`: there is none.
Result<End> Guest::make_instance(const Code& code, const MakingTime* time) {
  drop();
  place_ = Place::instantiate;
  memory_bytes_ = 0;
  const std::uint64_t bytes_min = artifact_.facts().memory_bytes_min() + code.others_bytes_min();
  const std::uint64_t stack_bytes = stack_to_count(artifact_, code, context_.limits().call_depth_max);
  const bool fits = bytes_min + stack_bytes <= context_.limits().memory_bytes_max;
  const std::uint64_t held_bytes = stack_bytes + instance_to_count(artifact_, code, context_);
  if (!fits || !context_.begin_instance(bytes_min, held_bytes)) return End{.kind = EndKind::memory_limit};
  auto made = code.instantiate_within(time, hooks_, context_.limits().memory_bytes_max);
  if (!made || made->instance == nullptr) {
    context_.end_instance();
    if (!made) return fail(std::move(made.error()));
    return made->end;
  }
  adopt_instance(std::move(made->instance));
  whole_ = true;
  memory_bytes_ = bytes_min;
  return End{.memory_bytes = memory_bytes_};
}

// Where limits that are met are reported, the context is asked for every growth: the engine would refuse in silence.
void Guest::adopt_instance(std::unique_ptr<Instance> instance) {
  instance_ = std::move(instance);
  context_.linked = instance_->linked();
  if (context_.settings().account != nullptr) instance_->set_memory_bytes_max(Budget::kNever);
}

Result<End> Guest::instantiate(const Code& code, Initialize initialize, Starts starts) {
  const MakingTime time{.budget = budget_left(), .context = &context_};
  PETRI_TRY(End end, make_instance(code, &time));
  if (end.kind != EndKind::returned) return end;
  auto started = run_start_functions(initialize, starts);
  whole_ = started && started->kind == EndKind::returned;
  return started;
}

// The host's own work, so that no deadline of the guest ends it; but others have their turns meanwhile, and a kill ends
// it.
MakingTime Guest::time_of_host(std::uint64_t turn_ns) { return {.budget = {.turn_ns = turn_ns}, .context = &context_}; }

template <typename Fill>
Result<End> Guest::make_filled(const Code& code, std::uint64_t memory_bytes, Fill fill) {
  const MakingTime time = time_of_host(allowance_.turn_ns);
  PETRI_TRY(End end, make_instance(code, &time));
  if (end.kind != EndKind::returned) return end;
  const std::uint64_t tables = memory_bytes_ - memory_size_of(*instance_);
  if (memory_bytes + tables > memory_bytes_ && context_.try_grow(memory_bytes + tables) != Growth::allowed) {
    drop();
    return End{.kind = EndKind::memory_limit};
  }
  memory_bytes_ = end.memory_bytes = std::max(memory_bytes_, memory_bytes + tables);
  auto filled = fill();
  if (filled) return end;
  drop();
  if (filled.error().code == ErrorCode::cancelled) return End{.kind = EndKind::cancelled};
  return fail(std::move(filled.error()));
}

Result<End> Guest::continue_from(const Code& code, Instance& from) {
  return make_filled(code, memory_size_of(from), [&] {
    instance_->set_command_has_run(from.command_has_run());
    return instance_->adopt(from);
  });
}

Result<End> Guest::continue_from(const Code& code, const InstanceImage& image) {
  return make_filled(code, image.memory_bytes(), [&] { return image.restore(*instance_); });
}

Result<End> Guest::continue_member_from(std::size_t member, Instance& from) {
  LinkedInstance& linked = *instance_->linked();
  const std::uint64_t before = linked.memory_bytes_of(member);
  const MakingTime time = time_of_host(allowance_.turn_ns);
  PETRI_TRY(linked.renew(member, &time));
  const std::uint64_t fresh = linked.memory_bytes_of(member);
  context_.shrink(before - fresh);
  const std::uint64_t have = linked.member(member).memory().size();
  const std::uint64_t more = from.memory().size() - std::min<std::uint64_t>(from.memory().size(), have);
  if (context_.try_grow(context_.memory_bytes() + more) != Growth::allowed) return End{.kind = EndKind::memory_limit};
  PETRI_TRY(linked.member(member).adopt(from));
  linked.measure(member);
  memory_bytes_ = context_.memory_bytes();
  return End{.memory_bytes = memory_bytes_};
}

Result<End> Guest::run_start_functions(Initialize initialize, Starts starts) {
  End end{.memory_bytes = memory_bytes_};
  if (context_.linked != nullptr) {
    PETRI_TRY(end, start_others());
    if (end.kind != EndKind::returned) return end;
  }
  if (starts == Starts::others) return end;
  if (artifact_.facts().has_start) {
    PETRI_TRY(end, enter(Place::start, Instance::kStartFunction, {}));
    if (end.kind != EndKind::returned) return end;
  }
  if (initialize == Initialize::no || !initialize_) return end;
  return enter(Place::initialize, *initialize_, {});
}

// Nobody starts before those it may call.
Result<End> Guest::start_others() {
  End end{.memory_bytes = memory_bytes_};
  const LinkedMembers& members = context_.linked->members();
  for (std::size_t index = 0; index + 1 < members.size() && end.kind == EndKind::returned; ++index) {
    const LoadableArtifact& module = loadable(*members[index].artifact);
    if (module.facts().has_start) {
      PETRI_TRY(end, enter_member(Place::start, index, Instance::kStartFunction, {}));
    }
    const auto initialize = module.export_number("_initialize");
    if (end.kind != EndKind::returned || !initialize) continue;
    PETRI_TRY(end, enter_member(Place::initialize, index, *initialize, {}));
  }
  return end;
}

// A host function has ended the guest, and the context knows why.
Result<End> Guest::refused(End end) const {
  if (!context_.refusal)
    return context_.fault == kCommandRunsOnce
               ? fail(ErrorCode::rejected, kCommandRunsOnce)
               : fail(ErrorCode::host_fault, std::string("a host function could not do its work: ") + context_.fault);
  end.kind = *context_.refusal;
  return end;
}

Result<void> Guest::move_to(const Code& code) {
  PETRI_ASSERT(alive());
  const MakingTime time = time_of_host(Budget::kNever);  // its turn has not started
  PETRI_TRY(auto moved, move_instance(*instance_, code, hooks_, context_.limits().memory_bytes_max, &time));
  adopt_instance(std::move(moved));
  return {};
}

Result<End> Guest::call(std::uint32_t export_number, std::span<std::uint64_t> slots) {
  return enter(Place::call, export_number, slots);
}

Result<CallSeries> Guest::call_series(std::uint32_t export_number, std::span<std::uint64_t> slots, std::size_t calls,
                                      std::uint64_t fuel_max) {
  PETRI_ASSERT(artifact_.facts().imports == 0);
  const Budget budget = begin_call(Place::call);
  PETRI_TRY(CallSeries series, instance_->call_series(export_number, budget, &context_, slots, calls, fuel_max));
  PETRI_TRY(series.end, end_call(series.end));
  return series;
}

Result<End> Guest::call_member(std::size_t member, std::uint32_t export_number, std::span<std::uint64_t> slots) {
  return enter_member(Place::call, member, export_number, slots);
}

Result<End> Guest::enter(Place place, std::uint32_t export_number, std::span<std::uint64_t> slots) {
  const Budget budget = begin_call(place);
  return end_call(instance_->call(export_number, budget, &context_, slots));
}

Result<End> Guest::enter_member(Place place, std::size_t member, std::uint32_t export_number,
                                std::span<std::uint64_t> slots) {
  const Budget budget = begin_call(place);
  return end_call(context_.linked->call_member(member, export_number, budget, &context_, slots));
}

Budget Guest::begin_call(Place place) {
  PETRI_ASSERT(alive());
  place_ = place;
  whole_ = false;  // until it has come back
  return budget_left();
}

Budget Guest::budget_left() const {
  return {.fuel = allowance_.fuel - context_.fuel_before,
          .deadline_ns = allowance_.deadline_ns,
          .turn_ns = allowance_.turn_ns,
          .call_depth = allowance_.call_depth};
}

Result<End> Guest::end_call(Result<End> end) {
  if (!end) [[unlikely]]
    return end;
  whole_ = leaves_instance_whole(end->kind);
  context_.fuel_before += end->fuel_used;
  memory_bytes_ = end->memory_bytes;
  if (end->kind == EndKind::refused) [[unlikely]]
    return refused(*end);
  return end;
}

}  // namespace petri
