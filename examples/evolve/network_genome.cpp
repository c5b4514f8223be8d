#include "evolve/network_genome.h"

#include <algorithm>
#include <array>
#include <utility>

namespace evolve {
namespace {

constexpr double kMirroredAtFirst = 0.8;
constexpr double kOneMoreMutation = 0.4;

Comparator comparator_of(std::size_t one, std::size_t other) {
  return {.upper = static_cast<std::uint8_t>(std::min(one, other)),
          .lower = static_cast<std::uint8_t>(std::max(one, other))};
}

Comparator mirror_of(Comparator comparator, std::size_t inputs) {
  return comparator_of(inputs - 1 - comparator.lower, inputs - 1 - comparator.upper);
}

std::size_t another_line(std::size_t line, std::size_t inputs, Random& random) {
  const std::size_t other = random.below(inputs - 1);
  return other < line ? other : other + 1;
}

Gene random_gene(std::size_t inputs, Random& random) {
  const std::size_t line = random.below(inputs);
  return {.comparator = comparator_of(line, another_line(line, inputs, random)),
          .mirrored = random.happens(kMirroredAtFirst)};
}

// Keeps one end of a comparator and moves the other.
void rewire_gene(Gene& gene, std::size_t inputs, Random& random) {
  const std::size_t kept = random.happens(0.5) ? gene.comparator.upper : gene.comparator.lower;
  gene.comparator = comparator_of(kept, another_line(kept, inputs, random));
}

NetworkGenome::iterator random_place(NetworkGenome& genome, Random& random) {
  return genome.begin() + static_cast<std::ptrdiff_t>(random.below(genome.size() + 1));
}

// Takes a gene out and returns it.
Gene take_gene(NetworkGenome& genome, Random& random) {
  const auto gene = genome.begin() + static_cast<std::ptrdiff_t>(random.below(genome.size()));
  const Gene removed = *gene;
  genome.erase(gene);
  return removed;
}

}  // namespace

NetworkGenome random_genome(std::size_t inputs, Random& random) {
  NetworkGenome genome(inputs + random.below(inputs * 3 / 2));
  for (Gene& gene : genome) gene = random_gene(inputs, random);
  return genome;
}

Network express(const NetworkGenome& genome, std::size_t inputs) {
  Network network;
  for (const Gene& gene : genome) {
    network.push_back(gene.comparator);
    const Comparator mirror = mirror_of(gene.comparator, inputs);
    if (gene.mirrored && mirror != gene.comparator) network.push_back(mirror);
  }
  return tidied(network, inputs);
}

std::string_view name_of(NetworkMutation mutation) {
  constexpr std::array<std::string_view, 7> kNames{"insert", "remove", "replace", "rewire", "swap", "move", "mirror"};
  return kNames.at(static_cast<std::size_t>(mutation));
}

void mutate(NetworkGenome& genome, NetworkMutation mutation, std::size_t inputs, Random& random) {
  using enum NetworkMutation;
  if (mutation == insert || genome.empty()) {
    genome.insert(random_place(genome, random), random_gene(inputs, random));
    return;
  }
  Gene& gene = genome[random.below(genome.size())];
  switch (mutation) {
    case insert: break;
    case remove: take_gene(genome, random); break;
    case replace: gene = random_gene(inputs, random); break;
    case rewire: rewire_gene(gene, inputs, random); break;
    case swap: std::swap(gene, genome[random.below(genome.size())]); break;
    case move: {
      const Gene moved = take_gene(genome, random);
      genome.insert(random_place(genome, random), moved);
      break;
    }
    case mirror: gene.mirrored = !gene.mirrored; break;
  }
}

std::string mutate_at_random(NetworkGenome& genome, std::size_t inputs, Random& random) {
  std::string done;
  do {
    const auto mutation = static_cast<NetworkMutation>(random.below(7));
    mutate(genome, mutation, inputs, random);
    if (!done.empty()) done += '+';
    done += name_of(mutation);
  } while (random.happens(kOneMoreMutation));
  return done;
}

}  // namespace evolve
