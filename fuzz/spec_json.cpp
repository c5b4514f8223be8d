// The spec of a sandbox as JSON from anywhere: read and checked, with nothing started.
#include <string_view>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "fuzz/target.h"
#include "petri/host_functions.h"
#include "sandbox/spec/spec_check.h"

namespace petri::fuzz {
namespace {

// Every verdict is the sender's to mend, and reads as one harmless line.
void require_a_verdict(const Error& error) {
  FUZZ_REQUIRE(error.code == ErrorCode::parse_failed || error.code == ErrorCode::validation_failed ||
               error.code == ErrorCode::permission_denied);
  FUZZ_REQUIRE(!error.message.empty() && is_utf8(error.message));
  for (const char c : error.message) FUZZ_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

// A spec that was read is in range, and its tree can be written and read again.
void check(const SandboxSpec& spec) {
  static const HostFunctions host;
  const auto policy = check_spec(spec, {}, host);
  if (!policy) return require_a_verdict(policy.error());
  for (const LimitRule& rule : sandbox_limit_rules()) {
    const std::uint64_t value = limit_value(policy->limits, rule);
    FUZZ_REQUIRE(value >= rule.min && value <= rule.max);
  }
  if (!spec.tree) return;
  const auto again = parse_tree(to_json(*spec.tree));
  FUZZ_REQUIRE(again && *again == *spec.tree);
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      R"json({"id": "counter", "modules": {"counter": {"wat": "(module)"}}, "limits": {"fuel_max": 1000000}})json",
      R"json({"id": "a", "modules": {"kv": {"file": "kv.wasm"}, "w": {"wat": ""}}, "profile": "strict", "tier": "compiled",
          "tree": {"strategy": "rest_for_one", "intensity": 3, "period": "10s", "children": [
            {"id": "store", "module": "kv", "restart": "transient", "shutdown": "brutal", "input": "text"},
            {"id": "pool", "strategy": "simple_one_for_one", "children": [
              {"id": "worker", "module": "w", "shutdown": "infinity", "input_hex": "00ff"}]}]}})json",
      R"json({"id": "x", "modules": {}, "permissions": ["log", "clock", "messages"], "labels": ["a", "b"], "seed": 7,
          "generation": 3, "deterministic": true, "environment": {"NAME": "value"}, "arguments": ["one", "two"]})json",
      R"json({"id": "y", "modules": {"m": {"wat": "(module)"}}, "folder": "data", "profile": "trusted",
          "limits": {"memory_bytes_max": 16777216, "execution_time_max": 1000000, "processes_max": 1, "timers_max": 0},
          "on_limit": {"memory_bytes_max": "kill", "message_queue_max": "refuse"}})json",
      R"json({"id": "../x", "modules": {"m": {"url": "x"}}, "limits": {"speed": -1, "fuel_max": 1.5}, "unknown": null,
          "profile": "none", "permissions": "all", "tier": 3, "tree": []})json",
      R"json({"id": "z", "modules": {"m": {"wat": "(module)"}}, "profile": {"name": "quiet", "base": "standard",
          "limits": {"fuel_max": 5}, "grant": ["file_write"], "deny": ["log"], "audit": "full", "imports":
          {"allow": ["petri", "math.sin"], "block": ["petri.log"]}, "reject_findings": "high"}, "audit": "none",
          "imports": {"block": ["wasi_snapshot_preview1"]}, "breaker": {"limits_max": 3, "window": "10s", "pause": "1s"},
          "recovery": {"runtime": "restart", "resource": "isolate", "restarts_max": 3, "retry_pause": "100ms"}})json",
      R"json({"id": "n", "modules": {"m": {"wat": "(module)", "needs": {"store": {"min": 2, "max": 3}, "clock": {}}}},
          "tier": "fast", "profile": "none", "labels": ["-"], "limits": {"processes_max": 0}})json",
      "[[[[[[{}]]]]]]",
      R"json({"id": "\u0000\ud83e\uddeb\"", "modules": {"\u202e": {"wat": "\u001b[31m"}}})json",
  };
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  const auto spec = SandboxSpec::from_json({reinterpret_cast<const char*>(data), size});
  if (!spec) fuzz::require_a_verdict(spec.error());
  if (spec) fuzz::check(*spec);
  return 0;
}
