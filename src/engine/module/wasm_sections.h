// The sections of a wasm file, read without trusting it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace petri {

// As the binary format numbers them.
enum class SectionKind : std::uint8_t {
  custom,
  type,
  import,
  function,
  table,
  memory,
  global,
  exported,
  start,
  element,
  code,
  data,
  data_count,
  tag,
};

struct WasmSection {
  std::uint8_t id = 0;                     // a SectionKind, or a number nobody knows
  std::uint64_t offset = 0;                // of its contents in the file
  std::uint64_t bytes = 0;                 // as it claims
  std::span<const std::uint8_t> contents;  // what of it the file holds: less than `bytes` when the file ends before
};

// Goes from section to section; borrows the file. nullopt once the file is used up or continues as no section can.
class SectionReader {
 public:
  explicit SectionReader(std::span<const std::uint8_t> wasm);
  std::optional<WasmSection> next();

 private:
  std::span<const std::uint8_t> wasm_;
  std::size_t position_;
};

// The contents of the first section of this kind; empty when there is none.
std::span<const std::uint8_t> find_section(std::span<const std::uint8_t> wasm, SectionKind kind);

// The contents of the first custom section of this name, behind the name; empty when there is none, or the file ends
// before it does.
std::string_view custom_section(std::span<const std::uint8_t> wasm, std::string_view name);

// Takes an unsigned LEB128 number of at most 32 bits off the front of `bytes`; nothing when there is none.
std::optional<std::uint32_t> take_number(std::span<const std::uint8_t>& bytes);

}  // namespace petri
