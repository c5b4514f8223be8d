#include "fuzz/choices.h"

#include <array>
#include <string_view>

namespace petri::fuzz {
namespace {

// FNV-1a: the same everywhere, unlike std::hash.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x0000'0100'0000'01b3;
  return hash;
}

constexpr std::array<std::string_view, 12> kTexts{"",
                                                  "a",
                                                  "keeper",
                                                  "ok",
                                                  "\x1b[31mred",
                                                  "\xff\xfe",
                                                  "\xe2\x80\xae",
                                                  "../../etc",
                                                  "nan",
                                                  "-inf",
                                                  "{}[]",
                                                  "00000000000000000000000000000000000000000000000000000000000000"};

}  // namespace

Choices::Choices(std::span<const std::uint8_t> bytes) : rest_(bytes), random_(hash_of(bytes)) {}

std::uint64_t Choices::next() {
  if (rest_.empty()) return random_();
  const std::uint64_t byte = rest_.front();
  rest_ = rest_.subspan(1);
  return byte;
}

std::size_t Choices::below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }

std::uint64_t Choices::number() {
  const std::uint64_t edge = std::uint64_t{1} << below(64);
  switch (below(4)) {
    case 0: return below(10);
    case 1: return edge - 1;
    case 2: return edge;
    default: return random_();
  }
}

std::string Choices::text() {
  if (one_in(4)) return bytes(40);
  if (one_in(20)) return std::string(5'000, 'x');
  return std::string(kTexts[below(kTexts.size())]);
}

std::string Choices::bytes(std::size_t size_max) {
  std::string text(below(size_max + 1), '\0');
  for (char& c : text) c = static_cast<char>(next());
  return text;
}

}  // namespace petri::fuzz
