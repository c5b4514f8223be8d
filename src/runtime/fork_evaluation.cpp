// Evaluates candidates in forks of a live sandbox.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/access.h"
#include "host/guest/inside.h"
#include "runtime/no_sandbox.h"
#include "runtime/runtime_impl.h"
#include "sandbox/snapshots/snapshot_data.h"

namespace petri {
namespace {

// An id that is not too long, whatever the original's is.
std::string twin_id(std::string_view id, std::uint64_t number) {
  const std::string suffix = fmt::format("_fork{}", number);
  return std::string(id.substr(0, kSandboxIdBytesMax - suffix.size())) + suffix;
}

// Returns false if no other case follows.
bool call_case(Sandbox& twin, const Case& with, const ForkEvaluation& how, const std::stop_token& stop,
               ForkRecord& record) {
  auto outcome = twin.call(how.function, with.arguments, {.process = how.process, .input = with.input, .stop = stop});
  if (!outcome) {
    record.error = std::move(outcome.error());
    return false;
  }
  record.fuel_used += outcome->fuel_used;
  record.memory_peak_bytes = std::max(record.memory_peak_bytes, outcome->memory_peak_bytes);
  record.outcomes.push_back(std::move(*outcome));
  return record.outcomes.back().kind == OutcomeKind::ok;
}

Result<ForkRecord> evaluate_in(Sandbox& twin, const Source& candidate, const std::vector<Case>& cases,
                               const ForkEvaluation& how, const std::stop_token& stop) {
  ForkRecord record;
  PETRI_TRY(record.reload, twin.reload(how.module, candidate, how.reload));
  for (const Case& with : cases) {
    if (!call_case(twin, with, how, stop, record)) break;
  }
  return record;
}

}  // namespace

std::vector<Result<ForkRecord>> Runtime::evaluate_forks(std::string_view id, std::vector<Source> candidates,
                                                        std::vector<Case> cases, ForkEvaluation how,
                                                        const BatchOptions& options) {
  constexpr std::string_view kVerb = "evaluate_forks";
  const std::size_t count = candidates.size();
  const CorePtr core = impl_->registry.find(id);
  if (core == nullptr) return impl_->refuse<ForkRecord>(kVerb, count, no_sandbox(id).error());
  if (auto may = core->may_be_waited_for_here("evaluate in forks of"); !may)
    return impl_->refuse<ForkRecord>(kVerb, count, may.error());
  auto like = core->clone_source();
  if (!like) return impl_->refuse<ForkRecord>(kVerb, count, like.error());
  // They are nobody's individuals.
  like->spec.labels.clear();
  like->spec.generation.reset();
  auto snapshot = core->snapshots().snapshot();
  if (!snapshot) return impl_->refuse<ForkRecord>(kVerb, count, snapshot.error());

  struct Rows {
    std::string id;
    SandboxCore::CloneSource like;
    Snapshot snapshot;
    std::vector<Source> candidates;
    std::vector<Case> cases;
    ForkEvaluation how;
  };
  const auto rows = std::make_shared<Rows>(Rows{std::string(id), std::move(*like), std::move(*snapshot),
                                                std::move(candidates), std::move(cases), std::move(how)});
  const auto evaluate = [impl = impl_.get(), &threads = *impl_->batch_threads, rows](
                            std::size_t row, const std::stop_token& stop) -> Result<ForkRecord> {
    const SnapshotOrigin origin{.data = detail::Access::data(rows->snapshot), .share_random = true, .way = WayIn::fork};
    PETRI_TRY(Sandbox twin, impl->make_twin(twin_id(rows->id, ++impl->twins), rows->like, origin, {}));
    const std::stop_callback end(stop, [impl, &threads, core = twin.core_] {
      if (!threads.submit([impl, core] { impl->destroy(*core); })) core->begin_destroy();
    });
    auto record = evaluate_in(twin, rows->candidates[row], rows->cases, rows->how, stop);
    impl->destroy(*twin.core_);
    return record;
  };
  return impl_->carry_out<ForkRecord>(kVerb, count, options, {.row = evaluate, .undo = {}, .keeps = rows});
}

}  // namespace petri
