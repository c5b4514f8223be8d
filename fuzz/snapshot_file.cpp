// Snapshots and module archives with any body behind a checksum that fits: read, and what was read is restored, forked
// into a sandbox of its own, imported, called and destroyed.
#include <memory>
#include <optional>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "fuzz/json_changes.h"
#include "fuzz/target.h"
#include "petri/runtime.h"
#include "sandbox/snapshots/sealed_body.h"

namespace petri::fuzz {
namespace {

using nlohmann::json;

constexpr std::string_view kKeeper = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (data (i32.const 8) "keeper")
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 4096) (global.get $count))
    (global.get $count))
  (func (export "later") (result i32) (call $timer (i32.const 3600000) (i64.const 77)))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

// A runtime with one sandbox, and what was saved of it.
class Laboratory {
 public:
  Laboratory() : runtime_(std::move(*Runtime::create({.workers = 1}))) {
    sandbox_ = *runtime_->create_sandbox({.id = "a", .modules = {{"keeper", Source::wat(std::string(kKeeper))}}});
    FUZZ_REQUIRE(sandbox_->call("later", {}).has_value());
    snapshot_ = *unseal("snapshot", sandbox_->snapshot()->to_bytes());
    // Messages that wait are seldom caught in time, so they are put in.
    snapshot_["processes"][0]["mailbox"].push_back({1, json::binary({1, 2, 3}), "keeper", 5});
    module_ = *unseal("module", sandbox_->export_module("keeper")->to_bytes());
  }

  void try_snapshot(Choices& choices) {
    json body = snapshot_;
    change(body, choices, Binary::yes);
    const auto read = Snapshot::from_bytes(seal("snapshot", body));
    if (!read) return require_a_sentence(read.error());
    FUZZ_REQUIRE(Snapshot::from_bytes(read->to_bytes()).has_value());
    use("b", runtime_->create_sandbox({.id = "b"}, *read));
    const auto restored = sandbox_->restore(*read);
    if (!restored) require_a_sentence(restored.error());
    FUZZ_REQUIRE(sandbox_->call("next", {}).has_value());
  }

  void try_module(Choices& choices) {
    json body = module_;
    change(body, choices, Binary::yes);
    const auto read = ModuleArchive::from_bytes(seal("module", body));
    if (!read) return require_a_sentence(read.error());
    FUZZ_REQUIRE(ModuleArchive::from_bytes(read->to_bytes()).has_value());
    auto other = runtime_->create_sandbox({.id = "c", .modules = {{"first", Source::wat("(module)")}}});
    FUZZ_REQUIRE(other.has_value());
    const auto imported = other->import_module(*read);
    if (!imported) require_a_sentence(imported.error());
    use("c", std::move(other));
  }

 private:
  static void require_a_sentence(const Error& error) {
    FUZZ_REQUIRE(!error.message.empty() && error.message.size() < 10'000);
    FUZZ_REQUIRE(error.message.find('\n') == std::string::npos);
  }
  void use(std::string_view id, Result<Sandbox> sandbox) {
    if (!sandbox) return require_a_sentence(sandbox.error());
    (void)sandbox->call("next", {});
    (void)sandbox->reload("keeper", Source::wat("(module (func (export \"next\")))"));
    (void)sandbox->info();
    FUZZ_REQUIRE(runtime_->destroy(id).has_value());
  }

  std::unique_ptr<Runtime> runtime_;
  std::optional<Sandbox> sandbox_;
  json snapshot_;
  json module_;
};

}  // namespace

std::vector<std::string> seeds() { return {"s", "m", "sss", "mmmm"}; }

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri::fuzz;
  static Laboratory laboratory;
  Choices choices({data, size});
  if (choices.one_in(3)) {
    laboratory.try_module(choices);
  } else {
    laboratory.try_snapshot(choices);
  }
  return 0;
}
