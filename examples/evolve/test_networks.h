// For tests: networks that are known to be optimal, and a judge for networks as modules.
#pragma once

#include <gtest/gtest.h>
#include <petri/evaluate.h>

#include "evolve/network.h"

namespace evolve {

// Found in many books; their sizes are proved to be the least.
inline Network optimal_network(std::size_t inputs) {
  switch (inputs) {
    case 4: return {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}};
    case 5: return {{0, 1}, {3, 4}, {2, 4}, {2, 3}, {1, 4}, {0, 3}, {0, 2}, {1, 3}, {1, 2}};
    case 6: return {{1, 2}, {4, 5}, {0, 2}, {3, 5}, {0, 1}, {3, 4}, {2, 5}, {0, 3}, {1, 4}, {2, 4}, {1, 3}, {2, 3}};
    case 7:
      return {{1, 2}, {3, 4}, {5, 6}, {0, 2}, {3, 5}, {4, 6}, {0, 1}, {4, 5},
              {2, 6}, {0, 4}, {1, 5}, {0, 3}, {2, 5}, {1, 3}, {2, 4}, {2, 3}};
    default:
      return {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
              {0, 4}, {3, 7}, {1, 5}, {2, 6}, {1, 4}, {3, 6}, {2, 4}, {3, 5}, {3, 4}};
  }
}

// How many sequences of zeros and ones the network's module leaves unsorted.
inline std::size_t wrong_sequences(const Network& network, std::size_t inputs) {
  petri::WasmBuilder module;
  emit_network(network, inputs, module);
  const auto wasm = module.build().value();
  const auto batches = zero_one_batches(inputs);
  std::vector<petri::Case> cases(batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (const std::uint64_t word : batches[i].given) {
      cases[i].arguments.emplace_back(static_cast<std::int64_t>(word));
    }
  }
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};
  const auto evaluation = petri::Evaluator().evaluate(candidates, cases, {.function = "sort"}, {.workers = 1}).value();
  const petri::Record& record = evaluation.records.front();
  EXPECT_EQ(record.outcome, petri::OutcomeKind::ok) << record.message;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    wrong += count_wrong(batches[i], std::span(record.value_bits).subspan(i * inputs, inputs));
  }
  return wrong;
}

}  // namespace evolve
