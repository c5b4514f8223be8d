#include "host/guest.h"

#include "base/assert.h"
#include "engine/move_instance.h"
#include "host/process_port.h"

namespace petri {
namespace {

std::uint32_t grow(void* context, std::uint64_t, std::uint64_t want) {
  return static_cast<std::uint32_t>(static_cast<HostContext*>(context)->try_grow(want));
}

std::uint64_t next_turn(void* context, std::uint64_t /*now_ns*/) {
  return static_cast<HostContext*>(context)->port->next_turn();
}

}  // namespace

Guest::Guest(const LoadableArtifact& artifact, HostContext& context, const std::atomic<std::uint32_t>* interrupt)
    : artifact_(artifact),
      context_(context),
      hooks_{.interrupt = interrupt, .grow = &grow, .turn = &next_turn},
      initialize_(artifact.export_number("_initialize")) {}

void Guest::begin(const Allowance& allowance, std::string_view input) {
  allowance_ = allowance;
  context_.begin(input, allowance.deadline_ns);
}

void Guest::drop() {
  if (instance_ != nullptr) context_.end_instance();
  instance_.reset();
  whole_ = false;
}

Result<End> Guest::instantiate(const Code& code, Initialize initialize) {
  drop();
  place_ = Place::instantiate;
  memory_bytes_ = 0;
  if (!context_.begin_instance(artifact_.facts().memory_bytes_min())) return End{.kind = EndKind::memory_limit};
  auto made = code.instantiate(hooks_, context_.limits().memory_bytes_max);
  if (!made || made->instance == nullptr) {
    context_.end_instance();
    if (!made) return fail(std::move(made.error()));
    return made->end;
  }
  instance_ = std::move(made->instance);
  let_context_bound_memory();
  whole_ = true;
  memory_bytes_ = artifact_.facts().memory_bytes_min();
  auto end = run_start_functions(initialize);
  whole_ = end && end->kind == EndKind::returned;
  return end;
}

Result<End> Guest::run_start_functions(Initialize initialize) {
  End end{.memory_bytes = memory_bytes_};
  if (artifact_.facts().has_start) {
    PETRI_TRY(end, enter(Place::start, Instance::kStartFunction, {}));
    if (end.kind != EndKind::returned) return end;
  }
  if (initialize == Initialize::no || !initialize_) return end;
  return enter(Place::initialize, *initialize_, {});
}

// A host function has ended the guest, and the context knows why.
Result<End> Guest::refused(End end) const {
  if (!context_.refusal)
    return fail(ErrorCode::host_fault, std::string("a host function could not do its work: ") + context_.fault);
  end.kind = *context_.refusal;
  return end;
}

Result<void> Guest::move_to(const Code& code) {
  PETRI_ASSERT(alive());
  PETRI_TRY(auto moved, move_instance(*instance_, code, hooks_, context_.limits().memory_bytes_max));
  instance_ = std::move(moved);
  let_context_bound_memory();
  return {};
}

// Where limits that are met are told of, the context is asked for every growth: the engine would refuse in silence.
void Guest::let_context_bound_memory() {
  if (context_.settings().account != nullptr) instance_->set_memory_bytes_max(Budget::kNever);
}

Result<End> Guest::call(std::uint32_t export_number, std::span<std::uint64_t> slots) {
  return enter(Place::call, export_number, slots);
}

Result<End> Guest::enter(Place place, std::uint32_t export_number, std::span<std::uint64_t> slots) {
  PETRI_ASSERT(alive());
  place_ = place;
  whole_ = false;  // until it has come back
  const Budget budget{.fuel = allowance_.fuel - context_.fuel_before,
                      .deadline_ns = allowance_.deadline_ns,
                      .turn_ns = allowance_.turn_ns,
                      .call_depth = allowance_.call_depth};
  Result<End> end = instance_->call(export_number, budget, &context_, slots);
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
