// Writes docs/kill-matrix.md: what every limit does in every place, and how long it takes.
//   kill_matrix PAGE [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>

#include "kill_matrix.h"

namespace petri {
namespace {

constexpr std::string_view kHead = R"(<!-- Made by `kill_matrix`; edit tests/sandboxes/kill_matrix*. -->
# Kill matrix

Every limit, met on purpose in each place of a guest's life, in both tiers. Made by

```
cmake --build --preset release --target kill_matrix && build/release/tests/kill_matrix docs/kill-matrix.md
```

The outcomes are asserted by `tests/sandboxes/kill_matrix_test.cpp` whenever the tests run; the times are what this
machine ({cores} cores) took when the page was made, the median and the longest of {runs}. They are figures, not promises.

- **place**: the start function, `petri_init`, `petri_handle`, `petri_terminate`, a run, or `petri_handle` of a process
  that another guest calls.
- **outcome**: how the guest ended, the error, or what it was answered where it goes on. Nobody waits for the outcome of
  `petri_terminate`: it is told as an event.
- **told**: the events that name the limit; `info` counts as many.
- **time**: from the call to its result; starting a sandbox and its guests is in that of *start* and *init*. Of
  `execution_time_max` it is how late the end came after the {deadline} it had, of `cancel` and `stop` how long they took.

)";

// What was seen of one cell in one tier. Observations differ only where something is wrong.
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

std::string outcome_of(const Cell& cell) {
  std::string text;
  for (const KillVerdict& verdict : cell.verdicts) {
    if (!text.empty()) text += " or ";
    text += verdict.verdict.empty() ? "–" : fmt::format("`{}`", verdict.verdict);
    text += fmt::format(" | {} | {}", verdict.told.empty() ? "–" : verdict.told, verdict.after);
  }
  return text;
}

std::string line(const KillRow& row, KillPlace place, const Cell& interpreted, const Cell& compiled) {
  std::string outcome = outcome_of(interpreted);
  if (outcome_of(compiled) != outcome) outcome += " (compiled: " + outcome_of(compiled) + ")";
  const auto times = [](const Cell& cell) {
    return fmt::format("{} / {}", milliseconds(cell.latencies[cell.latencies.size() / 2]),
                       milliseconds(cell.latencies.back()));
  };
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.limit, row.what, name_of(place), outcome,
                     times(interpreted), times(compiled));
}

std::string page(int runs) {
  const auto runtime = *Runtime::create();
  std::string text = fmt::format(fmt::runtime(kHead), fmt::arg("cores", runtime->info().workers),
                                 fmt::arg("runs", runs), fmt::arg("deadline", "10 ms"));
  std::string_view ends = "## Limits that end a guest, and those who end it", refuses = "## Limits that refuse or cut";
  for (const bool ending : {true, false}) {
    text += fmt::format(
        "{}\n\n| limit | the guest | place | outcome | told | afterwards | ms interpreted, median / max "
        "| ms compiled |\n|---|---|---|---|---|---|---|---|\n",
        ending ? ends : refuses);
    for (const KillRow& row : kill_rows()) {
      if (row.ends != ending) continue;
      for (const KillPlace place : row.places) {
        text += line(row, place, observe(*runtime, row, place, Tier::interpreted, runs),
                     observe(*runtime, row, place, Tier::compiled, runs));
      }
    }
    if (ending) text += "\n";
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
  const std::string text = page(runs);
  std::ofstream file(argv[1]);
  file << text;
  if (file.flush()) return 0;
  fmt::print(stderr, "kill_matrix: {} cannot be written\n", argv[1]);
  return 1;
}

}  // namespace
}  // namespace petri

int main(int argc, char** argv) { return petri::write_page(argc, argv); }
