#include "evaluation/spec_digest.h"

#include <algorithm>
#include <bit>

#include "base/access.h"
#include "engine/engine_tables.h"
#include "engine/sha256.h"
#include "evaluation/candidate/canonical_bytes.h"
#include "host/host_table.h"
#include "petri/limits.h"

namespace petri {
namespace {

void add(CanonicalBytes& bytes, const EvaluationSpec& spec) {
  bytes.text(spec.function);
  for (const std::uint64_t number : {spec.fuel_max, spec.memory_bytes_max, spec.output_bytes_max, spec.call_depth_max,
                                     spec.module_bytes_max, spec.seed, Limits{}.log_bytes_per_second_max}) {
    bytes.u64(number);
  }
  bytes.u8(static_cast<std::uint8_t>(spec.instances));
  bytes.u8(spec.stop_at_first_failure ? 1 : 0);
  bytes.list(std::span(spec.targets));
}

void add(CanonicalBytes& bytes, const Rules& rules) {
  bytes.u32(rules.abi);
  bytes.u32(rules.fuel_table);
  bytes.u64(rules.host_functions.size());
  for (const HostFunctionUsed& function : rules.host_functions) {
    bytes.text(function.module);
    bytes.text(function.name);
    bytes.text(function.type);
    bytes.u32(function.version);
    bytes.u32(function.fuel);
  }
}

void add(CanonicalBytes& bytes, const Case& one) {
  bytes.u64(one.arguments.size());
  for (const Value& value : one.arguments) {
    bytes.u8(static_cast<std::uint8_t>(value.type()));
    bytes.u64(value.bits());
  }
  bytes.text(one.input);
}

bool says_more(std::span<const Case> cases, const EvaluationSpec& spec) {
  const EvaluationSpec plain;
  return spec.scorer != plain.scorer || spec.tolerance != plain.tolerance || spec.metrics != plain.metrics ||
         spec.keep_output_bytes != plain.keep_output_bytes ||
         std::ranges::any_of(cases, [](const Case& one) { return one.expected.has_value(); });
}

void add_more(CanonicalBytes& bytes, std::span<const Case> cases, const EvaluationSpec& spec) {
  bytes.u8(static_cast<std::uint8_t>(spec.scorer));
  bytes.u64(std::bit_cast<std::uint64_t>(spec.tolerance));
  bytes.u64(spec.metrics.size());
  for (const std::string& metric : spec.metrics) bytes.text(metric);
  bytes.u64(spec.keep_output_bytes);
  for (const Case& one : cases) {
    bytes.u8(one.expected ? 1 : 0);
    bytes.text(one.expected.value_or(""));
  }
  bytes.u8(spec.harness ? 1 : 0);
}

}  // namespace

Rules rules_here(const HostFunctions& host) {
  Rules rules{.fuel_table = fuel_table_version()};
  const auto add_used = [&rules](const HostFunction& row) {
    rules.host_functions.push_back({.module = row.module,
                                    .name = row.name,
                                    .type = to_text(row.signature),
                                    .version = row.version,
                                    .fuel = row.import.fuel});
  };
  for (const HostFunction& function : builtin_functions()) {
    if (function.deterministic && function.version > 1) add_used(function);
  }
  for (const auto& [name, function] : detail::Access::impl(host).embedded) {
    if (function->row.deterministic) add_used(function->row);
  }
  return rules;
}

Sha256 spec_digest(std::span<const Case> cases, const EvaluationSpec& spec, const Rules& rules) {
  CanonicalBytes bytes;
  const bool more = says_more(cases, spec);
  bytes.text(more ? "petri evaluation 2" : "petri evaluation 1");
  add(bytes, rules);
  add(bytes, spec);
  bytes.u64(cases.size());
  for (const Case& one : cases) add(bytes, one);
  if (more) add_more(bytes, cases, spec);
  // The cases are counted, so nothing without a harness ends like this.
  if (spec.harness) bytes.digest(spec.harness.artifact()->id());
  return sha256(bytes.bytes());
}

Sha256 spec_digest(std::span<const Case> cases, const EvaluationSpec& spec, const HostFunctions& host) {
  return spec_digest(cases, spec, rules_here(host));
}

}  // namespace petri
