// Writes docs/kill-matrix.md: what every limit does in every place, and how long it takes.
//   kill_matrix PAGE [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>

#include "kill_matrix.h"
#include "without_containment.h"

namespace petri {
namespace {

constexpr std::string_view kHead = R"(<!-- Made by `kill_matrix`; edit tests/sandboxes/kill_matrix*. -->
# Kill matrix

Every limit of a sandbox, met on purpose in each place of a guest's life, in both tiers: what becomes of the guest, who is
told, and how long it takes. Made by

```
cmake --build --preset release --target kill_matrix && build/release/tests/kill_matrix docs/kill-matrix.md
```

`tests/sandboxes/kill_matrix_test.cpp` meets every limit again whenever the tests run, and compares this page with what it
sees. Only the times are those of the day the page was made, on a machine with {cores} cores that others used as well: the
median and the longest of {runs}. They are figures, not promises.

- **place**: the start function, `petri_init` (*init*), `petri_handle` (*handler*), `petri_terminate` (*terminate*), a *run*,
  or `petri_handle` of a process that another guest calls (*nested*).
- **outcome**: how the guest ended ([outcomes](reference/outcomes.md)), why it never was entered
  ([errors](reference/errors.md)), or, where it goes on, what it was answered: an error number by its name
  ([guest-abi](reference/guest-abi.md)), −1 from `memory.grow`, or how many bytes were kept. Nobody waits for the outcome of
  `petri_terminate`. A run has no mailbox, no children and no timers, so what it asks of them is refused by another name.
- **told**: the [events](reference/events.md) that name the limit; `info` counts as many.
- **afterwards**: what the process does; for a run its sandbox; for a nested call what the caller has come to.
- **ms**: milliseconds from the call to its result. Those of *start* and *init* have the making of the sandbox in them, and in
  the compiled tier the compiling, as has a *run*. For `execution_time_max` it is how late the end came after the {deadline}
  that were allowed, for `cancel` and `stop` the time since they were asked for.
)";

constexpr std::string_view kTableHead =
    "| limit | the guest | place | outcome | told | afterwards | ms interpreted, median / longest | ms compiled |\n"
    "|---|---|---|---|---|---|---|---|\n";

// The verdicts of one cell in one tier. They differ only where something is wrong.
struct Cell {
  std::vector<KillVerdict> verdicts;
  std::vector<std::chrono::nanoseconds> latencies;
};

std::string milliseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.2f}", static_cast<double>(time.count()) / 1e6);
}

Cell observe(Runtime& runtime, const KillRow& row, KillPlace place, Tier tier, int runs) {
  Cell cell;
  for (int run = 0; run < runs; ++run) {
    KillObservation seen = observe_kill(runtime, row, place, tier);
    if (std::ranges::find(cell.verdicts, seen.verdict) == cell.verdicts.end()) cell.verdicts.push_back(seen.verdict);
    cell.latencies.push_back(seen.latency);
  }
  std::ranges::sort(cell.latencies);
  return cell;
}

std::string times(const Cell& cell) {
  return fmt::format("{} / {}", milliseconds(cell.latencies[cell.latencies.size() / 2]),
                     milliseconds(cell.latencies.back()));
}

// A verdict that the rows do not expect is printed, and the page is not written.
bool is_expected(const KillRow& row, KillPlace place, const Cell& cell) {
  const std::string expected = table_line(row, place, row.expected(place));
  for (const KillVerdict& verdict : cell.verdicts) {
    const std::string seen = table_line(row, place, verdict);
    if (seen == expected) continue;
    fmt::print(stderr, "kill_matrix: {} in {}:\n  {}\nwhere this was expected:\n  {}\n", row.limit, name_of(place),
               seen, expected);
    return false;
  }
  return true;
}

std::optional<std::string> page(int runs) {
  const auto runtime = *Runtime::create(without_containment());
  std::string text = fmt::format(fmt::runtime(kHead), fmt::arg("cores", runtime->info().workers),
                                 fmt::arg("runs", runs), fmt::arg("deadline", "50 ms"));
  std::string_view section;
  for (const KillRow& row : kill_rows()) {
    if (section_of(row) != section) {
      section = section_of(row);
      text += fmt::format("\n## {}\n\n{}", section, kTableHead);
    }
    for (const KillPlace place : row.places) {
      const Cell interpreted = observe(*runtime, row, place, Tier::interpreted, runs);
      const Cell compiled = observe(*runtime, row, place, Tier::compiled, runs);
      if (!is_expected(row, place, interpreted) || !is_expected(row, place, compiled)) return std::nullopt;
      text += fmt::format("{} {} | {} |\n", table_line(row, place, row.expected(place)), times(interpreted),
                          times(compiled));
    }
  }
  return text;
}

int write_page(int argc, char** argv) {
  int runs = 20;
  const std::string_view count = argc > 2 ? argv[2] : "20";
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), runs);
  if (argc < 2 || argc > 3 || error != std::errc() || end != count.data() + count.size() || runs < 1) {
    fmt::print(stderr, "usage: kill_matrix PAGE [RUNS]\nwrites the page, each cell observed RUNS times (20)\n");
    return 2;
  }
  const std::optional<std::string> text = page(runs);
  if (!text) return 1;
  std::ofstream file(argv[1]);
  file << *text;
  if (file.flush()) return 0;
  fmt::print(stderr, "kill_matrix: {} cannot be written\n", argv[1]);
  return 1;
}

}  // namespace
}  // namespace petri

int main(int argc, char** argv) { return petri::write_page(argc, argv); }
