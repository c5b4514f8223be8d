#include "bench/stopwatch.h"

#include <time.h>

#include <chrono>
#include <vector>

#include "bench/statistics.h"

namespace petri::bench {
namespace {

constexpr double kBatchSeconds = 0.005;
constexpr std::size_t kBatches = 41;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_for(const std::function<void()>& round, std::size_t rounds) {
  const double start = wall_seconds();
  for (std::size_t i = 0; i < rounds; ++i) round();
  return wall_seconds() - start;
}

// How many rounds make a batch of about kBatchSeconds; finding out warms caches up too.
std::size_t rounds_per_batch(const std::function<void()>& round) {
  std::size_t rounds = 1;
  while (seconds_for(round, rounds) < kBatchSeconds) rounds *= 2;
  return rounds;
}

}  // namespace

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

Sampled seconds_per_call(const std::function<void()>& round) {
  const std::size_t rounds = rounds_per_batch(round);
  std::vector<double> batches;
  for (std::size_t i = 0; i < kBatches; ++i) batches.push_back(seconds_for(round, rounds));
  return middle_of(std::move(batches)) / static_cast<double>(rounds);
}

Result<double> processor_seconds_of(const Round& round) {
  const double start = processor_seconds();
  PETRI_TRY(round());
  return processor_seconds() - start;
}

Result<double> wall_seconds_of(const Round& round) {
  const double start = wall_seconds();
  PETRI_TRY(round());
  return wall_seconds() - start;
}

Result<Sampled> median_seconds_of(std::size_t rounds, const Round& round) {
  std::vector<double> samples;
  samples.reserve(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    PETRI_TRY(samples.emplace_back(), wall_seconds_of(round));
  }
  return middle_of(std::move(samples));
}

Result<Compared> compare(std::size_t repeats, const Round& value, const Round& reference) {
  PETRI_TRY(value());
  PETRI_TRY(reference());
  std::vector<double> values, references;
  for (std::size_t i = 0; i < repeats; ++i) {
    PETRI_TRY(values.emplace_back(), processor_seconds_of(value));
    PETRI_TRY(references.emplace_back(), processor_seconds_of(reference));
  }
  return Compared{.value = middle_of(std::move(values)), .reference = middle_of(std::move(references))};
}

}  // namespace petri::bench
