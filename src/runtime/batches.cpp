// The batch verbs: what a row of each does. Rows run on threads of the runtime's, and may end after the verb has
// returned, so all that they use is theirs.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "host/guest/inside.h"
#include "runtime/no_sandbox.h"
#include "runtime/runtime_impl.h"

namespace petri {
namespace {

// For each row the error that it has before it starts, if it has one.
using Refused = std::vector<std::optional<Error>>;

// The first row of each id.
template <typename Rows, typename IdOf>
std::vector<std::size_t> first_rows(const Rows& rows, const IdOf& id_of) {
  std::unordered_map<std::string_view, std::size_t> first;
  std::vector<std::size_t> all(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) all[row] = first.try_emplace(id_of(rows[row]), row).first->second;
  return all;
}

Error wrong_count(std::string_view verb, std::size_t rows) {
  return {ErrorCode::validation_failed,
          fmt::format("{} has {} rows and another number of payloads; give one payload for all rows or one for each",
                      verb, rows),
          {}};
}

// A row runs on another thread, which cannot know whom the caller's thread holds up.
Refused refused_here(Registry& registry, const std::vector<std::string>& ids, std::string_view verb) {
  Refused refused(ids.size());
  if (Inside::here() == nullptr) return refused;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const CorePtr core = registry.find(ids[row]);
    if (core == nullptr) continue;
    if (auto may = core->may_be_waited_for_here(verb); !may) refused[row] = std::move(may.error());
  }
  return refused;
}

// The data that the rows of a verb by ids share.
template <typename Payload>
struct RowsByID {
  std::vector<std::string> ids;
  Payload payload;
  Refused refused;
};

}  // namespace

std::vector<Result<Sandbox>> Runtime::create_all(std::vector<SandboxSpec> specs, const BatchOptions& options) {
  struct Rows {
    std::vector<SandboxSpec> specs;
    std::vector<std::size_t> first;
  };
  auto rows = std::make_shared<Rows>();
  rows->first = first_rows(specs, [](const SandboxSpec& spec) -> std::string_view { return spec.id; });
  rows->specs = std::move(specs);
  const auto create = [impl = impl_.get(), &threads = *impl_->batch_threads, rows](
                          std::size_t row, const std::stop_token& stop) -> Result<Sandbox> {
    SandboxSpec& spec = rows->specs[row];
    if (const std::size_t first = rows->first[row]; first != row && !spec.id.empty()) {
      return fail(ErrorCode::already_exists, fmt::format("row {} of the batch has the id {} already", first,
                                                         escape_text(spec.id, kSandboxIdBytesMax)));
    }
    PETRI_TRY(CorePtr core, impl->make_core(std::move(spec)));
    // A destroy ends what runs in it, and waits for that, so it has a thread of its own.
    const std::stop_callback end(stop, [impl, &threads, core] {
      if (!threads.submit([impl, core] { impl->destroy(*core); })) core->begin_destroy();
    });
    if (stop.stop_requested()) return fail(batch_over());
    auto created = impl->begin(core, nullptr);
    if (stop.stop_requested()) impl->destroy(*core);
    return created;
  };
  const auto undo = [impl = impl_.get()](std::size_t, Result<Sandbox>& created) {
    if (created) impl->destroy(*created->core_);
  };
  const std::size_t count = rows->specs.size();
  return impl_->carry_out<Sandbox>("create_all", count, options, {.row = create, .undo = undo, .keeps = rows});
}

std::vector<Result<void>> Runtime::destroy_all(std::vector<std::string> ids, const BatchOptions& options) {
  auto first = first_rows(ids, [](const std::string& id) -> std::string_view { return id; });
  auto refused = refused_here(impl_->registry, ids, "destroy");
  const auto rows = std::make_shared<RowsByID<std::vector<std::size_t>>>(
      RowsByID<std::vector<std::size_t>>{std::move(ids), std::move(first), std::move(refused)});
  const auto destroy = [impl = impl_.get(), rows](std::size_t row, const std::stop_token&) -> Result<void> {
    if (rows->refused[row]) return fail(*rows->refused[row]);
    const std::string& id = rows->ids[row];
    if (const std::size_t earlier = rows->payload[row]; earlier != row) {
      return fail(ErrorCode::not_found, fmt::format("row {} of the batch destroys the sandbox {} already", earlier,
                                                    escape_text(id, kSandboxIdBytesMax)));
    }
    const CorePtr core = impl->registry.find(id);
    if (core == nullptr || !impl->destroy(*core)) return no_sandbox(id);
    return {};
  };
  const std::size_t count = rows->ids.size();
  return impl_->carry_out<void>("destroy_all", count, options, {.row = destroy, .undo = {}, .keeps = rows});
}

template <typename T, typename Payload, typename Row>
std::vector<Result<T>> Runtime::Impl::carry_out_by_id(std::string_view verb, bool waits, std::vector<std::string> ids,
                                                      PerRow<Payload> payload, const BatchOptions& how, Row row_of) {
  const std::size_t count = ids.size();
  if (!payload.fits(count)) return refuse<T>(verb, count, wrong_count(verb, count));
  Refused refused = waits ? refused_here(registry, ids, verb) : Refused(count);
  const auto rows = std::make_shared<RowsByID<PerRow<Payload>>>(
      RowsByID<PerRow<Payload>>{std::move(ids), std::move(payload), std::move(refused)});
  const auto work = [this, rows, row_of](std::size_t row, const std::stop_token& stop) -> Result<T> {
    if (rows->refused[row]) return fail(*rows->refused[row]);
    CorePtr core = registry.find(rows->ids[row]);
    if (core == nullptr) return no_sandbox(rows->ids[row]);
    Sandbox sandbox(std::move(core));
    return row_of(sandbox, rows->payload.at(row), stop);
  };
  return carry_out<T>(verb, count, how, {.row = work, .undo = {}, .keeps = rows});
}

std::vector<Result<Outcome>> Runtime::call_all(std::vector<std::string> ids, PerRow<CallPayload> payload,
                                               const BatchOptions& options) {
  const auto call = [](Sandbox& sandbox, const CallPayload& with, const std::stop_token& stop) {
    return sandbox.call(with.function, with.arguments, {.process = with.process, .input = with.input, .stop = stop});
  };
  return impl_->carry_out_by_id<Outcome>("call_all", true, std::move(ids), std::move(payload), options, call);
}

std::vector<Result<Outcome>> Runtime::run_all(std::vector<std::string> ids, PerRow<RunPayload> payload,
                                              const BatchOptions& options) {
  const auto run = [](Sandbox& sandbox, const RunPayload& with, const std::stop_token& stop) {
    return sandbox.run(with.module, with.function, with.arguments, {.input = with.input, .stop = stop});
  };
  return impl_->carry_out_by_id<Outcome>("run_all", false, std::move(ids), std::move(payload), options, run);
}

std::vector<Result<ReloadReport>> Runtime::reload_all_of(std::vector<std::string> ids, PerRow<ReloadPayload> payload,
                                                         const BatchOptions& options) {
  const auto reload = [](Sandbox& sandbox, const ReloadPayload& with, const std::stop_token&) {
    return sandbox.reload(with.module, with.source, with.options);
  };
  return impl_->carry_out_by_id<ReloadReport>("reload_all_of", true, std::move(ids), std::move(payload), options,
                                              reload);
}

}  // namespace petri
