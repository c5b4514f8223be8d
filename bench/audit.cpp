#include "bench/audit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "audit/audit_log.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::size_t kEntries = 1'000;
constexpr std::size_t kRounds = 301;
constexpr std::size_t kSandboxes = 1'000;
constexpr std::size_t kMillion = 1'000'000;
constexpr std::size_t kBytesMax = std::size_t{1} << 30;
constexpr int kQueries = 51;

// A file of this process, gone with it.
struct TrailFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("petri_bench_audit_{}.jsonl", ::getpid());
  ~TrailFile() { std::filesystem::remove(path); }
};

void append_limit_met(AuditLog& log, std::string_view sandbox, std::size_t seen) {
  log.append(AuditLevel::basic,
             {.kind = AuditKind::limit_met, .sandbox = sandbox, .process = "pool/worker", .cause = "message_queue_max"},
             {{"allowed", 10'000}, {"seen", seen}, {"place", "call"}});
}

Result<Measurement> measure_append() {
  const TrailFile file;
  const SystemClock clock;
  PETRI_TRY(const auto log, AuditLog::create({.file = file.path.string()}, clock));
  const auto append_entries = [&log]() -> Result<void> {
    for (std::size_t i = 0; i < kEntries; ++i) append_limit_met(*log, "neighbour", i);
    return {};
  };
  std::vector<double> seconds(kRounds);
  for (double& one : seconds) {
    PETRI_TRY(one, processor_seconds_of(append_entries));
  }
  if (const AuditStatus status = log->status(); !status.file_problem.empty())
    return fail(ErrorCode::io_error, status.file_problem);
  return Measurement{.value = middle_of(std::move(seconds)) / kEntries * 1e6, .reference = std::nullopt};
}

Result<void> query_one(const AuditLog& log, std::size_t sandbox) {
  const AuditPage page = log.query({.sandbox = fmt::format("sandbox-{}", sandbox), .entries_max = kMillion});
  if (page.entries.size() == kMillion / kSandboxes) return {};
  return fail(ErrorCode::host_fault, fmt::format("{} entries were found.", page.entries.size()));
}

Result<Measurement> measure_query() {
  const SystemClock clock;
  PETRI_TRY(const auto log, AuditLog::create({.entries_max = kMillion, .bytes_max = kBytesMax}, clock));
  for (std::size_t i = 0; i < kMillion; ++i) append_limit_met(*log, fmt::format("sandbox-{}", i % kSandboxes), i);
  std::size_t sandbox = 0;
  PETRI_TRY(const Sampled seconds,
            median_seconds_of(kQueries, [&] { return query_one(*log, sandbox++ % kSandboxes); }));
  return Measurement{.value = seconds * 1e3, .reference = std::nullopt};
}

}  // namespace

Benchmark audit_append_us() {
  return {.name = "audit_append_us",
          .unit = "µs",
          .what = "one audit entry, with its hash, in memory and in the file; processor time",
          .bar = "<= 2",
          .measure = measure_append};
}

Benchmark audit_query_ms() {
  return {.name = "audit_query_ms",
          .unit = "ms",
          .what = "all 1,000 entries of one sandbox among a million of 1,000 sandboxes",
          .bar = "<= 5",
          .measure = measure_query};
}

}  // namespace petri::bench
