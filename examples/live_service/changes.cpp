#include "live_service/changes.h"

#include <stdexcept>

namespace live_service {
namespace {

using petri::ReloadOptions;
using petri::ReloadPolicy;
using petri::StateDocument;

const Field kWrong{"wrong", "i32"};
const Field kOutOfOrder{"out_of_order", "i32"};
const Field kTotal{"total", "i64"};
const Field kChecksum{"checksum", "i64"};
const Field kLargest{"largest", "i64"};
const Field kAverage{"average", "f64"};
const Field kFounded{"founded", "i64"};

ReloadOptions with(ReloadPolicy policy) { return {.policy = std::move(policy)}; }

// How much had been counted when the field came: only the caller knows that it is worth keeping.
petri::Result<StateDocument> remember_total(const petri::Migration&, const StateDocument& state) {
  std::vector<petri::StateEntry> entries = state.entries();
  PETRI_TRY(const petri::StateValue total, state.get("total"));
  entries.push_back({.field = {.name = "founded", .type = petri::StateType::i64}, .values = {total}});
  return StateDocument::create(entries);
}

petri::Result<StateDocument> fail_to_migrate(const petri::Migration&, const StateDocument&) {
  throw std::runtime_error("the list of prices is not there");
}

}  // namespace

Version first_version() { return {.fields = {kWrong}}; }

std::vector<Change> all_changes() {
  ReloadPolicy by_handler, failing, by_memory, dropping;
  by_handler.migrate.described = remember_total;
  failing.migrate.described = fail_to_migrate;
  by_memory.state = petri::StateWay::memory;
  dropping.drop = true;
  const std::vector<Field> rich{kOutOfOrder, kTotal, kChecksum, kLargest, kAverage};
  const std::vector<Field> founded{kOutOfOrder, kTotal, kChecksum, kLargest, kAverage, kFounded};
  const std::vector<Field> lean{kOutOfOrder, kTotal, kChecksum, kAverage, kFounded};
  return {
      {"a new field, total", {.fields = {kWrong, {"total", "i32"}}}},
      {"total grows to i64", {.fields = {kWrong, kTotal}}},
      {"a new field, checksum", {.fields = {kWrong, kTotal, kChecksum}}},
      {"a version that crashes", {.fields = {kWrong, kTotal, kChecksum}, .crashes = true}, {}, Ending::rolled_back},
      {"wrong is called out_of_order",
       {.fields = {kOutOfOrder, kTotal, kChecksum}},
       {.renames = {{"wrong", "out_of_order"}}}},
      {"a migration that fails", {.fields = {kOutOfOrder, kTotal}}, with(failing), Ending::refused},
      {"a new field, largest", {.fields = {kOutOfOrder, kTotal, kChecksum, kLargest}}},
      {"a new field, average", {.fields = rich}},
      {"other code, memory as it is", {.fields = rich, .patch = 1}, with(by_memory)},
      {"founded, filled by the caller", {.fields = founded}, with(by_handler)},
      {"largest is dropped", {.fields = lean}, with(dropping)},
      {"the last patch", {.fields = lean, .patch = 2}},
  };
}

}  // namespace live_service
