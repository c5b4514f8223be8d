#include "fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace petri::fuzz {
namespace {

constexpr std::size_t kChangesMax = 6;
constexpr std::size_t kPieceBytesMax = 64;
constexpr std::size_t kInputBytesMax = 64 << 10;

std::size_t below(std::mt19937_64& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

// A random part of a text, at most kPieceBytesMax long.
std::string_view piece_of(std::string_view text, std::mt19937_64& random) {
  const std::size_t begin = below(random, text.size() + 1);
  return text.substr(begin, below(random, kPieceBytesMax));
}

char odd_byte(std::mt19937_64& random) {
  constexpr std::array<unsigned char, 10> kOdd{0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x2d, 0x22, 0x40, 0x5b};
  return static_cast<char>(below(random, 2) == 0 ? kOdd[below(random, kOdd.size())]
                                                 : static_cast<unsigned char>(random()));
}

void change(std::string& input, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  const std::size_t place = below(random, input.size());
  switch (below(random, 6)) {
    case 0:
      if (!input.empty()) input[place] = static_cast<char>(input[place] ^ (1 << below(random, 8)));
      break;
    case 1:
      if (!input.empty()) input[place] = odd_byte(random);
      break;
    case 2: input.insert(place, 1, odd_byte(random)); break;
    case 3: input.erase(place, below(random, kPieceBytesMax)); break;
    case 4: input.insert(place, std::string(piece_of(input, random))); break;
    default: input.insert(place, piece_of(seeds[below(random, seeds.size())], random)); break;
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  std::string input = seeds[below(random, seeds.size())];
  for (std::size_t changes = below(random, kChangesMax + 1); changes > 0; --changes) change(input, seeds, random);
  if (input.size() > kInputBytesMax) input.resize(kInputBytesMax);
  return input;
}

}  // namespace petri::fuzz
