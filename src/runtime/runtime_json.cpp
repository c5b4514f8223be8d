// RuntimeOptions as JSON.
#include <nlohmann/json.hpp>

#include "base/bounded_json.h"
#include "base/json_reader.h"
#include "petri/runtime.h"
#include "runtime/options_check.h"
#include "sandbox/spec_json.h"

namespace petri {
namespace {

using Json = nlohmann::json;

class OptionsReader {
 public:
  explicit OptionsReader(Complaints& complaints) : reader_(complaints) {}

  RuntimeOptions read(const Json& json) {
    reader_.fields(json, {{"workers", into(options_.workers)},
                          {"threads_max", into(options_.threads_max)},
                          {"threads_reserve", into(options_.threads_reserve)},
                          {"descriptors_max", into(options_.descriptors_max)},
                          {"descriptors_reserve", into(options_.descriptors_reserve)},
                          {"sampling_interval", into(options_.sampling_interval)},
                          {"samples_max", into(options_.samples_max)},
                          {"promote_fuel", into(options_.promote_fuel)},
                          {"promote_fuel_per_byte", into(options_.promote_fuel_per_byte)},
                          {"promote_instances", into(options_.promote_instances)},
                          {"promotion_time_max", into(options_.promotion_time_max)},
                          {"compile", [this](const Json& value) { compile(value); }},
                          {"defaults", [this](const Json& value) { defaults(value); }},
                          {"limits", [this](const Json& value) { limits(value); }},
                          {"audit", [this](const Json& value) { audit(value); }},
                          {"quarantine", [this](const Json& value) { quarantine(value); }},
                          {"breaker", [this](const Json& value) { breaker(value); }},
                          {"memory_budget_bytes", into(options_.memory_budget_bytes)}});
    return std::move(options_);
  }

 private:
  template <typename Field>
  std::function<void(const Json&)> into(Field& field) {
    return [this, &field](const Json& value) { reader_.read(value, field); };
  }
  void compile(const Json& value) {
    CompileOptions& compile = options_.compile;
    reader_.fields(value, {{"time_max", into(compile.time_max)},
                           {"memory_bytes_max", into(compile.memory_bytes_max)},
                           {"worker", into(compile.worker)},
                           {"in_process", into(compile.in_process)}});
  }
  void audit(const Json& value) {
    AuditOptions& audit = options_.audit;
    reader_.fields(
        value,
        {{"entries_max", into(audit.entries_max)}, {"bytes_max", into(audit.bytes_max)}, {"file", into(audit.file)}});
  }
  void quarantine(const Json& value) {
    QuarantineOptions& quarantine = options_.quarantine;
    reader_.fields(value, {{"limits_max", into(quarantine.limits_max)},
                           {"window", into(quarantine.window)},
                           {"period", into(quarantine.period)}});
  }
  void breaker(const Json& value) { reader_.fields(value, breaker_fields(reader_, options_.breaker)); }
  void defaults(const Json& value) { options_.defaults = read_defaults(value, reader_.where(), reader_.complaints()); }
  void limits(const Json& value) {
    reader_.members(
        value, [this](const std::string& name, const Json& member) { reader_.read(member, options_.limits[name]); });
  }

  JsonReader reader_;
  RuntimeOptions options_;
};

// Also what is wrong with the values that could be read; a place that could not is not complained about twice.
void add_what_the_options_check_finds(const RuntimeOptions& options, Complaints& complaints) {
  Complaints found;
  check_options(options, found);
  for (const Complaints::Complaint& complaint : found.kept()) {
    if (!complaints.covers(complaint.where)) complaints.add(complaint);
  }
}

}  // namespace

Result<RuntimeOptions> RuntimeOptions::from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error().error("the text of a runtime's options"));
  if (!json->is_object()) return fail(ErrorCode::validation_failed, "the options of a runtime are not a JSON object");
  Complaints complaints;
  RuntimeOptions options = OptionsReader(complaints).read(*json);
  add_what_the_options_check_finds(options, complaints);
  PETRI_TRY(complaints.result());
  return options;
}

}  // namespace petri
