// State nobody has looked at. The first byte says which door it comes through: 'c' for the CBOR of a document, all else
// the memory of a guest, whose first four bytes say where its table is.
#include <array>
#include <cstring>
#include <string_view>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "fuzz/target.h"
#include "state/state_layout.h"
#include "state/state_table.h"

namespace petri::fuzz {
namespace {

constexpr std::uint64_t kStateBytesMax = 4'096;
constexpr char kCbor = 'c';
constexpr char kMemory = 'm';

void require_a_verdict(const Error& error) {
  FUZZ_REQUIRE(error.code == ErrorCode::state_incompatible || error.code == ErrorCode::limit_exceeded ||
               error.code == ErrorCode::validation_failed || error.code == ErrorCode::parse_failed);
  FUZZ_REQUIRE(!error.message.empty() && is_utf8(error.message));
  for (const char c : error.message) FUZZ_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

// A document that was read can be shown, kept, and carried over to itself.
void require_whole(const StateDocument& document) {
  FUZZ_REQUIRE(is_utf8(to_json(document)));
  FUZZ_REQUIRE(state_from_cbor(to_cbor(document)) == document);
  const auto plan = StatePlan::create(document.shared_schema(), document.shared_schema());
  FUZZ_REQUIRE(plan && plan->lossless());
  FUZZ_REQUIRE(plan->apply(document, StateDocument(document.shared_schema())) == document);
}

// The input is copied to a block of exactly its size, so that the address sanitizer sees every step outside.
void read_memory(std::span<const std::uint8_t> input) {
  std::vector<std::uint8_t> memory(input.begin(), input.end());
  memory.shrink_to_fit();
  std::uint32_t table = 0;
  if (memory.size() >= sizeof table) std::memcpy(&table, memory.data(), sizeof table);
  std::vector<StateGlobal> globals{{"state.count", std::int32_t{7}}, {"other", 1.0}};
  const auto layout = StateLayout::read({.memory = memory, .table = table, .globals = globals}, kStateBytesMax);
  if (!layout) return require_a_verdict(layout.error());
  const auto document = layout->capture(memory, globals);
  if (!document) return require_a_verdict(document.error());
  require_whole(*document);
  FUZZ_REQUIRE(layout->restore(*document, memory, globals));
  FUZZ_REQUIRE(layout->capture(memory, globals) == *document);
}

void read_cbor(std::span<const std::uint8_t> input) {
  const auto document = state_from_cbor(input, kStateBytesMax);
  if (!document) return require_a_verdict(document.error());
  require_whole(*document);
}

struct Row {
  std::string_view name;
  std::uint32_t type, address, count, stride;
};
constexpr std::array<Row, 7> kRows{{{"a", 5, 400, 1, 4},
                                    {"list", 10, 408, 3, 8},
                                    {"x", 3, 440, 4, 6},
                                    {"y", 3, 442, 4, 6},
                                    {"on", 11, 470, 2, 1},
                                    {"raw", 12, 480, 8, 1},
                                    {"title", 13, 490, 12, 1}}};

std::string memory_seed() {
  std::string memory(512, '\0');
  const auto put = [&](std::size_t at, std::uint32_t word) { std::memcpy(&memory[at], &word, sizeof word); };
  constexpr std::uint32_t kTable = 4;
  std::uint32_t name = 300;
  put(0, kTable);
  const std::array<std::uint32_t, 4> header{kStateTableMagic, kStateTableVersion, kRows.size(), kStateEntryBytes};
  for (std::size_t i = 0; i < header.size(); ++i) put(kTable + 4 * i, header[i]);
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    const auto name_bytes = static_cast<std::uint32_t>(row.name.size());
    const std::array<std::uint32_t, 6> entry{name, name_bytes, row.type, row.address, row.count, row.stride};
    for (std::size_t n = 0; n < entry.size(); ++n)
      put(kTable + kStateHeaderBytes + i * kStateEntryBytes + 4 * n, entry[n]);
    memory.replace(name, row.name.size(), row.name);
    name += name_bytes;
  }
  memory.replace(490, 5, "hello");
  return memory;
}

std::string cbor_seed(std::string_view memory) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(memory.data()), memory.size());
  const auto layout = StateLayout::read({.memory = bytes, .table = 4, .globals = {}});
  FUZZ_REQUIRE(layout.has_value());
  const auto cbor = to_cbor(layout->capture(bytes, {}).value());
  return {cbor.begin(), cbor.end()};
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string memory = memory_seed();
  return {kMemory + memory, kCbor + cbor_seed(memory)};
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri::fuzz;
  if (size == 0) return 0;
  const std::span input(data + 1, size - 1);
  *data == kCbor ? read_cbor(input) : read_memory(input);
  return 0;
}
