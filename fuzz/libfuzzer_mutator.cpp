// Lets libFuzzer begin with the target's seeds instead of with nothing.
#include <algorithm>

#include "fuzz/mutation.h"
#include "fuzz/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

// Mostly libFuzzer's own mutation; now and then a changed seed, which stays in its corpus if it reaches something new.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned seed) {
  static const std::vector<std::string> all = petri::fuzz::seeds();
  std::mt19937_64 random(seed);
  if (random() % 16 != 0) return LLVMFuzzerMutate(data, size, size_max);
  const std::string input = petri::fuzz::mutated(all, random);
  const std::size_t kept = std::min(input.size(), size_max);
  std::copy_n(input.begin(), kept, data);
  return kept;
}
