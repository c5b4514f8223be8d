// Writes docs/host-function-costs.md: what every host function costs at worst.
//   host_costs PAGE [RUNS]
#include <fmt/format.h>

#include <malloc.h>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string_view>
#include <thread>

#include "bench/host_costs/host_cost.h"

namespace {

// Everything the program takes from its heap, and the most of it since it was last asked to begin.
std::atomic<std::int64_t> heap_bytes{0};
std::atomic<std::int64_t> heap_peak{0};
std::atomic<std::int64_t> heap_start{0};

void* count(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  const std::int64_t now = heap_bytes += static_cast<std::int64_t>(::malloc_usable_size(block));
  for (std::int64_t peak = heap_peak; now > peak && !heap_peak.compare_exchange_weak(peak, now);) {
  }
  return block;
}

void release(void* block) {
  if (block != nullptr) heap_bytes -= static_cast<std::int64_t>(::malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return count(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return count(std::aligned_alloc(static_cast<std::size_t>(alignment), bytes));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

namespace petri::bench {
namespace {

constexpr std::string_view kHead = R"(<!-- Made by `host_costs`; edit bench/host_costs/. -->
# What host functions cost

Every function a guest can import, called in an endless loop in the way that gives the host most work for its fuel. Made by

```
cmake --build --preset release --target host_costs && build/release/bench/host_costs docs/host-function-costs.md
```

A test compares this page with the table of functions: each is here. The figures are those of the day it was made, on a
machine with {cores} cores that others used as well, in the compiled tier, {runs} runs each.

- **ns per fuel**: time of the whole loop over the fuel it paid. Guest code of its own has about 0.3 to 3.
- **longest ms between looks**: how late a deadline of 5 ms was noticed at worst. The bar is 2 ms: whatever a guest asks for,
  deadline, kill and the end of its turn are looked at that often.
- **host bytes per byte**: what one call took from the host's heap at most, over the bytes of guest memory it was given; only
  where these are a megabyte or more. What files take in the kernel's cache is not in it.

Functions of an embedder take as long as their author lets them: the clock is looked at after each call. A disk, or a file
system that does not answer, is waited for as long as one call of the kernel takes; `fd_sync` and `fd_datasync` are done by
other threads, so that a guest that waits for them can be ended.

| module | function | called with | ns per fuel | longest ms between looks | host bytes per byte |
|---|---|---|---|---|---|
)";

std::string row_of(const HostCostCase& one, const HostCost& cost) {
  const std::string memory = cost.host_bytes_per_byte ? fmt::format("{:.2f}", *cost.host_bytes_per_byte) : "";
  const std::string look = one.ends_the_guest ? "" : fmt::format("{:.2f}", cost.look_ms);
  return fmt::format("| `{}` | `{}` | {} | {:.1f} | {} | {} |\n", one.module, one.name, one.what, cost.ns_per_fuel,
                     look, memory);
}

int write_page(const char* path, int runs) {
  const CrowdedFolder folder;
  const HeapMeter heap{.begin = [] { heap_peak.store(heap_start = heap_bytes.load()); },
                       .grown_bytes = [] { return static_cast<std::uint64_t>(heap_peak - heap_start); }};
  std::string page =
      fmt::format(fmt::runtime(kHead), fmt::arg("cores", std::thread::hardware_concurrency()), fmt::arg("runs", runs));
  double worst = 0;
  for (const HostCostCase& one : host_cost_cases()) {
    const auto cost = measure_host_cost(one, {.folder = folder.path(), .runs = runs, .heap = heap});
    if (!cost) {
      fmt::print(stderr, "host_costs: {}.{}: {}\n", one.module, one.name, cost.error().message);
      return 1;
    }
    const std::string row = row_of(one, *cost);
    fmt::print("{}", row);
    page += row;
    worst = std::max(worst, cost->look_ms);
  }
  page += fmt::format("\nThe longest of all: {:.2f} ms.\n", worst);
  std::ofstream(path) << page;
  return 0;
}

}  // namespace
}  // namespace petri::bench

int main(int argc, char** argv) {
  int runs = 10;
  const std::string_view wanted = argc > 2 ? argv[2] : "";
  const bool read = wanted.empty() || std::from_chars(wanted.begin(), wanted.end(), runs).ec == std::errc();
  if (argc < 2 || argc > 3 || !read || runs < 1 || argv[1][0] == '-') {
    std::fputs("usage: host_costs PAGE [RUNS]\n", stderr);
    return 2;
  }
  return petri::bench::write_page(argv[1], runs);
}
