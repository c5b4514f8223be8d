// A live instance together with the host's side of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/instance/instance.h"
#include "engine/instance/instance_image.h"
#include "engine/loadable_artifact.h"
#include "host/host_context.h"
#include "petri/outcome.h"

namespace petri {

// The cost bound of one piece of work, however many calls it takes.
struct Allowance {
  std::uint64_t fuel = 0;
  std::uint64_t deadline_ns = Budget::kNever;  // of the monotonic clock
  std::uint32_t call_depth = 1'024;
  std::uint64_t turn_ns = Budget::kNever;  // when the context's port is asked for the next turn
};

// The export of a WASI command: it runs once in an instance.
inline constexpr std::string_view kCommandStart = "_start";

enum class Initialize : std::uint8_t { yes, no };
// `_start` is a program's own start, and a call of `_initialize` is the initialization.
Initialize initialize_for(std::string_view function);
// The modules whose start functions run: all, or only those that the module is linked with, not its own.
enum class Starts : std::uint8_t { all, others };

// Made once and used for many instances and calls: a call allocates nothing. One thread at a time.
class Guest {
 public:
  // The artifact, the context and the flag outlive the guest.
  Guest(const LoadableArtifact& artifact, HostContext& context, const std::atomic<std::uint32_t>* interrupt = nullptr);

  // A new piece of work with a budget of its own. The input is borrowed until the next.
  void begin(const Allowance& allowance, std::string_view input);

  // Makes a fresh instance in place of the one before, runs its start function and, if asked to, `_initialize`.
  // After anything but EndKind::returned it is not alive(); place() says how far it came.
  Result<End> instantiate(const Code& code, Initialize initialize, Starts starts = Starts::all);
  // Calls an export by its number in the artifact's list, on what is left of the allowance. `slots` as for
  // Instance::call. An instance is needed: ask alive() first.
  Result<End> call(std::uint32_t export_number, std::span<std::uint64_t> slots);
  // Calls an export several times, as Instance::call_series; each call has the whole allowance. The guest imports
  // nothing, so that nothing of its context changes from call to call. fuel_used() is that of the last call.
  Result<CallSeries> call_series(std::uint32_t export_number, std::span<std::uint64_t> slots, std::size_t calls,
                                 std::uint64_t fuel_max);

  // A fresh instance in place of the one before that has the memory and globals of another, or of the image of one, of
  // the same layout; nothing of the guest runs, and the other stays as it is. memory_limit when there is no room for
  // it, cancelled when the interrupt was raised meanwhile.
  Result<End> continue_from(const Code& code, Instance& from);
  Result<End> continue_from(const Code& code, const InstanceImage& image);

  // Does that for one member of a group, which is movable and has the layout of `from`: it is instantiated, then given
  // the state of `from`.
  Result<End> continue_member_from(std::size_t member, Instance& from);
  Result<End> call_member(std::size_t member, std::uint32_t export_number, std::span<std::uint64_t> slots);

  // Continues in other code of the same movable artifact, between two calls. On failure it continues where it was.
  Result<void> move_to(const Code& code);

  // There is an instance, and it has not ended.
  bool alive() const { return instance_ != nullptr && whole_; }
  void drop();

  Place place() const { return place_; }
  std::uint64_t fuel_used() const { return context_.fuel_before; }
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  // The last instance, for its memory and its backtrace; may be nullptr.
  Instance* instance() { return instance_.get(); }

 private:
  Result<End> enter(Place place, std::uint32_t export_number, std::span<std::uint64_t> slots);
  Result<End> enter_member(Place place, std::size_t member, std::uint32_t export_number,
                           std::span<std::uint64_t> slots);
  Budget begin_call(Place place);
  Result<End> end_call(Result<End> end);
  Result<End> start_others();
  Result<End> make_instance(const Code& code, const MakingTime* time);
  Budget budget_left() const;
  MakingTime time_of_host(std::uint64_t turn_ns);
  template <typename Fill>
  Result<End> make_filled(const Code& code, std::uint64_t memory_bytes, Fill fill);
  Result<End> run_start_functions(Initialize initialize, Starts starts);
  void adopt_instance(std::unique_ptr<Instance> instance);
  Result<End> refused(End end) const;

  const LoadableArtifact& artifact_;
  HostContext& context_;
  HostHooks hooks_;
  std::optional<std::uint32_t> initialize_;
  Allowance allowance_;
  std::unique_ptr<Instance> instance_;
  bool whole_ = false;
  Place place_ = Place::instantiate;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace petri
