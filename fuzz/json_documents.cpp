// Documents that are JSON and nearly right: specs, trees and cases. What is read can be used, and what is not is
// refused in one sentence.
#include <array>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "cli/commands/cases_file.h"
#include "fuzz/json_changes.h"
#include "fuzz/target.h"
#include "petri/host_functions.h"
#include "sandbox/spec/spec_check.h"

namespace petri::fuzz {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kSpecs{
    R"json({"id": "a", "modules": {"kv": {"file": "kv.wasm"}, "w": {"wat": ""}}, "profile": "strict", "tier": "compiled",
        "tree": {"strategy": "rest_for_one", "intensity": 3, "period": "10s", "children": [
          {"id": "store", "module": "kv", "restart": "transient", "shutdown": "brutal", "input": "text"},
          {"id": "pool", "strategy": "simple_one_for_one", "children": [
            {"id": "worker", "module": "w", "shutdown": "infinity", "input_hex": "00ff"}]}]}})json",
    R"json({"id": "y", "modules": {"m": {"wat": "(module)"}}, "folder": "data", "profile": "trusted", "labels": ["a"],
        "limits": {"memory_bytes_max": 16777216, "execution_time_max": 1000000, "processes_max": 1, "timers_max": 0},
        "on_limit": {"memory_bytes_max": "kill", "message_queue_max": "refuse"}, "environment": {"NAME": "value"}})json",
    R"json({"id": "z", "modules": {"m": {"wat": "(module)"}}, "profile": {"name": "quiet", "base": "standard",
        "limits": {"fuel_max": 5}, "grant": ["file_write"], "deny": ["log"], "audit": "full", "imports":
        {"allow": ["petri", "math.sin"], "block": ["petri.log"]}, "reject_findings": "high"}, "audit": "none",
        "imports": {"block": ["wasi_snapshot_preview1"]}, "breaker": {"limits_max": 3, "window": "10s", "pause": "1s"},
        "recovery": {"runtime": "restart", "resource": "isolate", "restarts_max": 3, "retry_pause": "100ms"}})json",
};
constexpr std::string_view kCases = R"json({"types": ["f64", "i64"], "targets": [1, 2.5, 4],
    "cases": [[0.5, 1], ["nan", "9223372036854775807"], {"arguments": [1e300, -3], "input": "text"}]})json";

void require_a_sentence(const Error& error) {
  FUZZ_REQUIRE(!error.message.empty() && is_utf8(error.message));
  for (const char c : error.message) FUZZ_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

void try_spec(Choices& choices) {
  static const HostFunctions host;
  json document = json::parse(kSpecs[choices.below(kSpecs.size())]);
  change(document, choices);
  const auto spec = SandboxSpec::from_json(text_of(document));
  if (!spec) return require_a_sentence(spec.error());
  const auto policy = check_spec(*spec, {}, host);
  if (!policy) return require_a_sentence(policy.error());
  if (spec->tree) FUZZ_REQUIRE(parse_tree(to_json(*spec->tree)) == *spec->tree);
}

void try_tree(Choices& choices) {
  json document = json::parse(kSpecs[0])["tree"];
  change(document, choices);
  const auto tree = parse_tree(text_of(document));
  if (!tree) return require_a_sentence(tree.error());
  FUZZ_REQUIRE(parse_tree(to_json(*tree)) == *tree);
}

void try_cases(Choices& choices) {
  json document = json::parse(kCases);
  change(document, choices);
  const auto file = cli::parse_cases(text_of(document));
  if (!file) return require_a_sentence(file.error());
  if (!file->types) return;
  const auto cases = cli::with_types(*file, *file->types);
  if (!cases) return require_a_sentence(cases.error());
  FUZZ_REQUIRE(cases->size() == file->cases.size());
}

}  // namespace

std::vector<std::string> seeds() { return {"j", "jj", "jjjj"}; }

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri::fuzz;
  Choices choices({data, size});
  switch (choices.below(3)) {
    case 0: try_spec(choices); break;
    case 1: try_tree(choices); break;
    default: try_cases(choices); break;
  }
  return 0;
}
