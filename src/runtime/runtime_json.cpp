// RuntimeOptions as JSON.
#include <nlohmann/json.hpp>

#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"
#include "petri/runtime.h"
#include "runtime/options_check.h"
#include "sandbox/spec/spec_check.h"

namespace petri {
namespace {

using Fields = JsonReader::Fields;

Fields compile_fields(MachineCodeOptions& compile) {
  return {{"time_max", JsonReader::into(compile.time_max)},
          {"memory_bytes_max", JsonReader::into_bytes(compile.memory_bytes_max)},
          {"worker", JsonReader::into(compile.worker)},
          {"in_process", JsonReader::into(compile.in_process)},
          {"cache", JsonReader::into(compile.cache)}};
}

Fields audit_fields(AuditOptions& audit) {
  return {{"entries_max", JsonReader::into(audit.entries_max)},
          {"bytes_max", JsonReader::into_bytes(audit.bytes_max)},
          {"file", JsonReader::into(audit.file)}};
}

Fields quarantine_fields(QuarantineOptions& quarantine) {
  return {{"limits_max", JsonReader::into(quarantine.limits_max)},
          {"window", JsonReader::into(quarantine.window)},
          {"period", JsonReader::into(quarantine.period)}};
}

RuntimeOptions read_options(const JsonReader& document) {
  RuntimeOptions options;
  const auto fields_of = [](Fields fields) {
    return [fields = std::move(fields)](const JsonReader& value) { value.fields(fields); };
  };
  document.fields({{"workers", JsonReader::into(options.workers)},
                   {"threads_max", JsonReader::into(options.threads_max)},
                   {"threads_reserve", JsonReader::into(options.threads_reserve)},
                   {"descriptors_max", JsonReader::into(options.descriptors_max)},
                   {"descriptors_reserve", JsonReader::into(options.descriptors_reserve)},
                   {"sampling_interval", JsonReader::into(options.sampling_interval)},
                   {"samples_max", JsonReader::into(options.samples_max)},
                   {"promote_fuel", JsonReader::into(options.promote_fuel)},
                   {"promote_fuel_per_byte", JsonReader::into(options.promote_fuel_per_byte)},
                   {"promote_instances", JsonReader::into(options.promote_instances)},
                   {"promotion_time_max", JsonReader::into(options.promotion_time_max)},
                   {"compile", fields_of(compile_fields(options.compile))},
                   {"defaults", [&](const JsonReader& value) { options.defaults = read_defaults(value); }},
                   {"limits", [&](const JsonReader& value) { options.limits = read_limits(value); }},
                   {"audit", fields_of(audit_fields(options.audit))},
                   {"quarantine", fields_of(quarantine_fields(options.quarantine))},
                   {"breaker", fields_of(breaker_fields(options.breaker))},
                   {"memory_budget_bytes", JsonReader::into_bytes(options.memory_budget_bytes)},
                   {"gc_interval", JsonReader::into(options.gc_interval)},
                   {"gc_retain_generations", JsonReader::into(options.gc_retain_generations)},
                   {"dead_keep", JsonReader::into(options.dead_keep)}});
  return options;
}

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
  RuntimeOptions options = read_options(JsonReader(*json, complaints));
  add_what_the_options_check_finds(options, complaints);
  PETRI_TRY(complaints.result());
  return options;
}

}  // namespace petri
