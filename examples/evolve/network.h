// Sorting networks: lists of comparators, each of which puts the smaller of two lines on the upper one.
#pragma once

#include <petri/value.h>
#include <petri/wasm_builder/wasm_builder.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evolve {

// Line `upper` gets the smaller value; upper < lower.
struct Comparator {
  std::uint8_t upper = 0;
  std::uint8_t lower = 1;
  auto operator<=>(const Comparator&) const = default;
};
using Network = std::vector<Comparator>;

constexpr std::size_t kInputsMin = 4;
constexpr std::size_t kInputsMax = 8;
// The fewest comparators that sort this many inputs (Knuth, The Art of Computer Programming, 5.3.4).
std::size_t proved_optimum(std::size_t inputs);

// Comparators that can work at the same time stand in one layer, each as early as it can be, from the upper lines down.
std::vector<Network> layers(const Network& network, std::size_t inputs);
// The same network layer by layer, without comparators that repeat the one just before them on both lines: networks
// that differ only in how they are written become equal.
Network tidied(const Network& network, std::size_t inputs);

// The 0-1 principle: what sorts every sequence of zeros and ones sorts everything. All of them, 64 side by side in each
// word: words[line] holds their bits on that line.
struct ZeroOneBatch {
  std::vector<std::uint64_t> given;
  std::vector<std::uint64_t> sorted;
};
std::vector<ZeroOneBatch> zero_one_batches(std::size_t inputs);
// How many of the batch's sequences these lines do not show sorted.
std::size_t count_wrong(const ZeroOneBatch& batch, std::span<const std::uint64_t> lines);

// A module that is the network and nothing else: "sort" takes one word a line and returns one word a line. On single
// bits the smaller of two is their AND, the larger their OR.
void emit_network(const Network& network, std::size_t inputs, petri::WasmBuilder& module);

}  // namespace evolve
