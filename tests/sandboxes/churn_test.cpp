// X05: sandboxes that are created, crash and are destroyed, each of a module of its own, leave everything as it was.
// PETRI_CHURNS says how many; the longer suite makes a million.
#include <fmt/format.h>

#include "environment.h"
#include "host/files/temporary_folder.h"
#include "kernel_view.h"
#include "petri/wasm_builder/wasm_builder.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

// Differs from every other in what it answers.
std::vector<std::uint8_t> distinct_module(WasmBuilder& module, std::int32_t number) {
  module.clear();
  module.memory({.pages_min = 1});
  module.function("number", {.results = {ValueType::i32}}).i32_const(number).end();
  module.function("crash", {}).i32_const(0).i32_const(number).i32_store().unreachable().end();
  return *module.build();
}

class ChurnTest : public RuntimeFixture {
 protected:
  // The audit trail keeps a hundred thousand entries in memory, one for each recovery: how many there are depends on
  // how often recovery is quicker than destroy.
  ChurnTest() {
    RuntimeOptions options = without_containment();
    options.audit.entries_max = 100;
    runtime_ = *Runtime::create(in_tier_under_test(std::move(options)));
  }
  // The failure, or empty. Every other supervisor starts the process again, the rest give up.
  std::string live_and_die(std::int32_t number) {
    SandboxSpec spec{.id = fmt::format("churn-{}", number),
                     .modules = {{"m", Source::wasm(distinct_module(builder_, number))}},
                     .tree = SupervisorSpec{.intensity = static_cast<std::uint32_t>(number) % 2,
                                            .children = {ChildSpec{.id = "c", .module = "m"}}}};
    const std::string id = spec.id;
    auto sandbox = runtime_->create_sandbox(std::move(spec));
    if (!sandbox) return sandbox.error().message;
    std::string wrong = testing::not_value(sandbox->call("number"), number);
    if (wrong.empty()) wrong = testing::not_kind(sandbox->call("crash"), OutcomeKind::trapped);
    if (const auto destroyed = runtime_->destroy(id); wrong.empty() && !destroyed) wrong = destroyed.error().message;
    return wrong;
  }
  void churn(std::int32_t from, std::int32_t to) {
    for (std::int32_t number = from; number < to; ++number) ASSERT_EQ(live_and_die(number), "") << number;
  }

  WasmBuilder builder_;
};

TEST_F(ChurnTest, LeavesMemoryThreadsDescriptorsFilesAndArtifactsAsTheyWere) {  // X05
  constexpr std::int64_t kAllowedBytes = std::int64_t{8} << 20;
  constexpr std::size_t kAllowedThreads = 16;  // that wait to be used again
  const TemporaryFolder temporary;
  ASSERT_EQ(::setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  const auto count = static_cast<std::int32_t>(count_from_environment("PETRI_CHURNS", 2'000));
  churn(0, count / 10);  // threads, slabs and tables that a runtime keeps are there now
  const testing::LeakCheck check(runtime_.get());
  const auto files = files_in(".");
  const std::size_t threads = runtime_->info().threads;
  const std::int64_t before = resident_bytes();

  churn(count / 10, count / 10 + count);

  const std::int64_t grown = resident_bytes() - before;
  fmt::print("{} sandboxes: {:+} KiB, {} threads where {} were\n", count, grown / 1'024, runtime_->info().threads,
             threads);
  EXPECT_LT(grown, kAllowedBytes);
  EXPECT_EQ(check.leaks(), "");
  EXPECT_EQ(files_in("."), files);
  EXPECT_THAT(files_in(temporary.path()), ::testing::IsEmpty());
  EXPECT_LE(runtime_->info().threads, threads + kAllowedThreads);
  EXPECT_EQ(runtime_->info().artifacts, 0U);
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
  EXPECT_EQ(runtime_->list().total, 0U);
}

}  // namespace
}  // namespace petri
