// Creates, reloads, crashes and collections by the hundred thousand leave memory, threads, descriptors and files as
// they were. PETRI_LONG_RUN says how many creates; there is one reload for five of them, a crash for ten, a collection
// for a thousand.
#include <fmt/format.h>

#include <algorithm>

#include "batches_fixture.h"
#include "environment.h"
#include "host/files/temporary_folder.h"
#include "kernel_view.h"

namespace petri {
namespace {

constexpr int kAtOnce = 1'000;
constexpr int kFewRounds = 5;

std::string version_text(std::uint64_t number) {
  return fmt::format(R"((module (memory 1) (func (export "crash") unreachable)
    (func (export "next") (result i64) (i64.const {}))))",
                     number);
}

class LongRunTest : public BatchesTest {
 protected:
  LongRunTest() {
    RuntimeOptions options = without_containment();
    options.audit.entries_max = 100;
    options.dead_keep = std::chrono::nanoseconds(0);
    options.gc_interval = std::chrono::nanoseconds(0);
    runtime_ = *Runtime::create(in_tier_under_test(std::move(options)));
  }
  // A thousand creates, two hundred reloads, a hundred crashes and a collection, which has a third to remove.
  void round() {
    const std::vector<std::string> all = ids(kAtOnce);
    const auto part = [&](int from, int to) { return std::vector<std::string>(all.begin() + from, all.begin() + to); };
    std::vector<SandboxSpec> specs;
    for (const std::string& id : all) specs.push_back(spec_of(id));
    expect_ok(runtime_->create_all(std::move(specs)));
    std::vector<ReloadPayload> versions;
    for (int i = 0; i < kAtOnce / 5; ++i) versions.push_back({"m", Source::wat(version_text(++version_))});
    expect_ok(runtime_->reload_all_of(part(0, kAtOnce / 5), std::move(versions)));
    expect_ok(runtime_->call_all(part(kAtOnce / 2, kAtOnce / 2 + kAtOnce / 10), CallPayload{.function = "crash"}));
    for (const std::string& id : part(0, kAtOnce / 3)) EXPECT_TRUE(runtime_->stop(id));
    EXPECT_GE(runtime_->collect().dead, static_cast<std::size_t>(kAtOnce / 3));
    for (const auto& row : runtime_->destroy_all(all)) EXPECT_TRUE(row || row.error().code == ErrorCode::not_found);
    EXPECT_EQ(runtime_->list().total, 0U);
  }
  std::vector<std::int64_t> residents_of(int rounds) {
    std::vector<std::int64_t> residents;
    for (int i = 0; i < rounds; ++i) {
      round();
      residents.push_back(resident_bytes());
    }
    return residents;
  }

 private:
  static SandboxSpec spec_of(const std::string& id) {
    return {.id = id,
            .modules = {{"m", Source::wat(version_text(0))}},
            .tree = SupervisorSpec{.intensity = 10, .children = {ChildSpec{.id = "c", .module = "m"}}}};
  }
  template <typename T>
  static void expect_ok(const std::vector<Result<T>>& rows) {
    for (const auto& row : rows) ASSERT_TRUE(row) << row.error();
  }
  std::uint64_t version_ = 0;
};

TEST_F(LongRunTest, LeavesMemoryThreadsDescriptorsAndFilesAsTheyWere) {  // X05, G09
  constexpr std::int64_t kAllowedBytes = std::int64_t{16} << 20;
  const TemporaryFolder temporary;
  ASSERT_EQ(::setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  const auto rounds = static_cast<int>(count_from_environment("PETRI_LONG_RUN", 6 * kAtOnce)) / kAtOnce;
  // A thousand sandboxes at a time come and go, and what they had is given back later: the most after some rounds is
  // compared with the least after the last ones.
  const std::int64_t before = std::ranges::max(residents_of(kFewRounds));
  const testing::LeakCheck check(runtime_.get());
  const std::size_t threads = runtime_->info().threads;

  for (int i = kFewRounds; i < rounds; ++i) round();

  const std::int64_t grown = std::ranges::min(residents_of(kFewRounds)) - before;
  fmt::print("{} creates: {:+} KiB\n", rounds * kAtOnce, grown / 1'024);
  EXPECT_LT(grown, kAllowedBytes);
  EXPECT_EQ(check.leaks(), "");
  EXPECT_THAT(files_in(temporary.path()), ::testing::IsEmpty());
  EXPECT_LE(runtime_->info().threads, threads + 16);
  EXPECT_EQ(runtime_->info().artifacts, 0U);
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
}

}  // namespace
}  // namespace petri
