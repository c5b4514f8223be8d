#include "bench/crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/compiled_instance.h"
#include "bench/resident_memory.h"
#include "bench/sandbox_guest.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kAlive = 100'000;
constexpr std::size_t kChurns = 1'000'000;
constexpr double kKibPerMib = 1'024;

// Sandboxes by number, each called once so that its page is in use.
class Crowd {
 public:
  static Result<Crowd> create(std::size_t size) {
    PETRI_TRY(ArtifactPtr artifact, counting_guest());
    PETRI_TRY(auto runtime, two_worker_runtime());
    Crowd crowd(std::move(artifact), std::move(runtime));
    for (std::size_t number = 0; number < size; ++number) PETRI_TRY(crowd.add(number));
    return crowd;
  }
  static std::string name(std::size_t number) { return fmt::format("s{}", number); }

  Result<void> add(std::size_t number) {
    PETRI_TRY(Sandbox sandbox, runtime_->create_sandbox(sandbox_of(name(number), artifact_)));
    return must_be_ok(sandbox.call("next"));
  }
  Result<void> replace(std::size_t number) {
    PETRI_TRY(runtime_->destroy(name(number)));
    return add(number);
  }
  Runtime& runtime() { return *runtime_; }

 private:
  Crowd(ArtifactPtr artifact, std::unique_ptr<Runtime> runtime)
      : artifact_(std::move(artifact)), runtime_(std::move(runtime)) {}

  ArtifactPtr artifact_;
  std::unique_ptr<Runtime> runtime_;
};

// Resident memory beyond `before_mib`, divided by the number that live.
Result<double> kib_each(double before_mib) {
  PETRI_TRY(const double now, resident_mib());
  return (now - before_mib) * kKibPerMib / kAlive;
}

// The larger of both: neither may be above the bar.
Measurement before_and_after(double fresh, double churned) {
  return {.value = std::max(fresh, churned),
          .reference = std::nullopt,
          .notes = {fmt::format("as they were made {:.2f} KiB, after a million churns {:.2f} KiB", fresh, churned)}};
}

Result<Measurement> measure_instances() {
  PETRI_TRY(const CompiledGuest guest, CompiledGuest::load());
  PETRI_TRY(const double before, resident_mib());
  std::vector<std::unique_ptr<Instance>> alive(kAlive);
  for (auto& instance : alive) {
    PETRI_TRY(instance, guest.start());
  }
  PETRI_TRY(const double fresh, kib_each(before));
  for (std::size_t i = 0; i < kChurns; ++i) {
    alive[i % kAlive].reset();
    PETRI_TRY(alive[i % kAlive], guest.start());
  }
  PETRI_TRY(const double churned, kib_each(before));
  return before_and_after(fresh, churned);
}

Result<Measurement> measure_sandboxes() {
  PETRI_TRY(const double before, resident_mib());
  PETRI_TRY(Crowd crowd, Crowd::create(kAlive));
  PETRI_TRY(const double fresh, kib_each(before));
  for (std::size_t i = 0; i < kChurns; ++i) PETRI_TRY(crowd.replace(i % kAlive));
  PETRI_TRY(const double churned, kib_each(before));
  return before_and_after(fresh, churned);
}

Result<Measurement> measure_info() {
  constexpr std::size_t kQuestions = 20'000;
  constexpr std::size_t kStride = 7'919;  // from one end of the crowd to the other
  PETRI_TRY(Crowd crowd, Crowd::create(kAlive));
  std::size_t number = 0;
  const auto ask = [&]() -> Result<void> {
    number = (number + kStride) % kAlive;
    PETRI_TRY(crowd.runtime().info(Crowd::name(number)));
    return {};
  };
  PETRI_TRY(const Sampled seconds, median_seconds_of(kQuestions, ask));
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

Result<Measurement> measure_list() {
  constexpr std::size_t kPages = 200;
  constexpr std::size_t kPageSize = 100;
  PETRI_TRY(Crowd crowd, Crowd::create(kAlive));
  const auto ask = [&crowd]() -> Result<void> {
    const SandboxPage page = crowd.runtime().list({.offset = kAlive / 2, .limit = kPageSize});
    if (page.sandboxes.size() == kPageSize && page.total == kAlive) return {};
    return fail(ErrorCode::host_fault, "the page is not full");
  };
  PETRI_TRY(const Sampled seconds, median_seconds_of(kPages, ask));
  return Measurement{.value = seconds * 1e3, .reference = std::nullopt};
}

Result<Measurement> measure_million() {
  constexpr double kMibPerGib = 1'024;
  PETRI_TRY(const double before, resident_mib());
  PETRI_TRY(Crowd crowd, Crowd::create(1'000'000));
  PETRI_TRY(const double after, resident_mib());
  PETRI_TRY(Sandbox last, crowd.runtime().find(Crowd::name(999'999)));
  PETRI_TRY(must_be_ok(last.call("next")));
  return Measurement{.value = (after - before) / kMibPerGib, .reference = std::nullopt};
}

}  // namespace

Benchmark live_instance_kib() {
  return {.name = "live_instance_kib",
          .unit = "KiB",
          .what =
              "resident memory of a compiled instance with one page, 100,000 alive; the larger of before and after a "
              "million churns",
          .bar = "<= 12",
          .measure = measure_instances};
}

Benchmark live_sandbox_kib() {
  return {.name = "live_sandbox_kib",
          .unit = "KiB",
          .what =
              "resident memory of a sandbox with one process and one page, all told, 100,000 alive; the larger of "
              "before and after a million churns",
          .bar = "<= 16",
          .measure = measure_sandboxes};
}

Benchmark info_us() {
  return {.name = "info_us",
          .unit = "us",
          .what = "info of one sandbox by its id with 100,000 alive; median of 20,000 (steady clock)",
          .bar = "<= 5",
          .measure = measure_info};
}

Benchmark list_page_ms() {
  return {.name = "list_page_ms",
          .unit = "ms",
          .what = "a page of 100 from the middle of 100,000 sandboxes; median of 200 (steady clock)",
          .bar = "<= 2",
          .measure = measure_list};
}

Benchmark million_live_sandboxes_gib() {
  return {.name = "million_live_sandboxes_gib",
          .unit = "GiB",
          .what =
              "resident memory of a million live sandboxes with one process and one page each; long: half a minute, "
              "and it needs a machine with that much",
          .bar = "<= 14",
          .measure = measure_million,
          .only_when_named = true};
}

}  // namespace petri::bench
