#include "evolve/network.h"

#include <algorithm>
#include <array>
#include <bit>

namespace evolve {

std::size_t proved_optimum(std::size_t inputs) {
  constexpr std::array<std::size_t, kInputsMax + 1> kOptimum{0, 0, 1, 3, 5, 9, 12, 16, 19};
  return kOptimum.at(inputs);
}

namespace {

// Where the comparator that last touched each line stands: its layer, counted from 1, and itself.
struct Line {
  std::size_t layer = 0;
  Comparator last{.upper = 0, .lower = 0};
};

}  // namespace

std::vector<Network> layers(const Network& network, std::size_t inputs) {
  std::vector<Network> layered;
  std::vector<Line> lines(inputs);
  for (const Comparator comparator : network) {
    Line& upper = lines[comparator.upper];
    Line& lower = lines[comparator.lower];
    if (upper.last == comparator && lower.last == comparator) continue;
    const std::size_t layer = std::max(upper.layer, lower.layer) + 1;
    if (layer > layered.size()) layered.emplace_back();
    layered[layer - 1].push_back(comparator);
    upper = lower = {.layer = layer, .last = comparator};
  }
  for (Network& layer : layered) std::ranges::sort(layer);
  return layered;
}

Network tidied(const Network& network, std::size_t inputs) {
  Network all;
  for (const Network& layer : layers(network, inputs)) all.insert(all.end(), layer.begin(), layer.end());
  return all;
}

std::vector<ZeroOneBatch> zero_one_batches(std::size_t inputs) {
  const std::size_t sequences = std::size_t{1} << inputs;
  std::vector<ZeroOneBatch> batches((sequences + 63) / 64, {std::vector<std::uint64_t>(inputs), {}});
  for (auto& batch : batches) batch.sorted = batch.given;
  for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
    ZeroOneBatch& batch = batches[sequence / 64];
    const std::size_t zeros = inputs - static_cast<std::size_t>(std::popcount(sequence));
    for (std::size_t line = 0; line < inputs; ++line) {
      batch.given[line] |= std::uint64_t{sequence >> line & 1} << sequence % 64;
      batch.sorted[line] |= std::uint64_t{line >= zeros} << sequence % 64;
    }
  }
  return batches;
}

std::size_t count_wrong(const ZeroOneBatch& batch, std::span<const std::uint64_t> lines) {
  std::uint64_t wrong = 0;
  for (std::size_t line = 0; line < batch.sorted.size(); ++line) wrong |= lines[line] ^ batch.sorted[line];
  return static_cast<std::size_t>(std::popcount(wrong));
}

void emit_network(const Network& network, std::size_t inputs, petri::WasmBuilder& module) {
  const auto words = petri::WasmTypes::repeated(petri::ValueType::i64, inputs);
  auto body = module.function("sort", {.params = words, .results = words});
  for (const Comparator comparator : network) {
    const petri::WasmLocal upper(comparator.upper);
    const petri::WasmLocal lower(comparator.lower);
    body.local_get(upper).local_get(lower).i64_and();
    body.local_get(upper).local_get(lower).i64_or();
    body.local_set(lower).local_set(upper);
  }
  for (std::uint32_t line = 0; line < inputs; ++line) body.local_get(line);
  body.end();
}

}  // namespace evolve
