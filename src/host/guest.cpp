#include "host/guest.h"

#include <algorithm>

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

// An end other than `returned`: there is none.
Result<End> Guest::make_instance(const Code& code) {
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
  return End{.memory_bytes = memory_bytes_};
}

Result<End> Guest::instantiate(const Code& code, Initialize initialize) {
  PETRI_TRY(End end, make_instance(code));
  if (end.kind != EndKind::returned) return end;
  auto started = run_start_functions(initialize);
  whole_ = started && started->kind == EndKind::returned;
  return started;
}

template <typename Fill>
Result<End> Guest::make_filled(const Code& code, std::uint64_t memory_bytes, Fill fill) {
  PETRI_TRY(End end, make_instance(code));
  if (end.kind != EndKind::returned) return end;
  const std::uint64_t tables = artifact_.facts().table_slots_min * 8;
  if (memory_bytes + tables > memory_bytes_ && context_.try_grow(memory_bytes + tables) != Growth::allowed) {
    drop();
    return End{.kind = EndKind::memory_limit};
  }
  memory_bytes_ = end.memory_bytes = std::max(memory_bytes_, memory_bytes + tables);
  auto filled = fill();
  if (filled) return end;
  drop();
  return fail(std::move(filled.error()));
}

Result<End> Guest::go_on_from(const Code& code, Instance& from) {
  return make_filled(code, from.memory().size(), [&] { return instance_->adopt(from); });
}

Result<End> Guest::go_on_from(const Code& code, const InstanceImage& image) {
  return make_filled(code, image.memory_bytes(), [&] { return image.restore(*instance_); });
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
