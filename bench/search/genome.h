// A module as a list of numbers: how much it has of each thing that could make it expensive to load.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/shapes/shape.h"
#include "petri/result.h"

namespace petri::bench {

// A dimension that a module can have more or less of. The last three are repeated by function bodies: numbers of
// snippets.
enum class Dimension : std::uint8_t {
  types,               // different function types
  params,              // of the functions
  results,             // of the functions
  values,              // carried by the calls, blocks and branches in them
  locals,              // of each function
  local_groups,        // 1: declared one by one
  uses_locals,         // 1: all are set at the start of a function and read at its end
  nesting,             // blocks around the code
  nesting_kind,        // 0 block, 1 loop, 2 if
  operands,            // left on the stack below the code
  targets,             // of a br_table
  body_bytes,          // of each function
  place,               // of the functions: 0 nowhere, 1 exported, 2 in a table, 3 both
  globals,             // mutable ones
  exports,             // of the first function
  name_bytes,          // of an export
  imports,             // of a host function
  element_segments,    // passive ones
  elements,            // entries in them
  element_kind,        // 0 indices, 1 expressions
  data_segments,       // active ones
  constant_operators,  // of each constant expression
  custom_sections,     // empty ones
  filler,              // what a module that is too dense is made longer by: 0 code, 1 a custom section
  first,
  second,
  third,
};
constexpr std::size_t kDimensions = 27;

struct DimensionInfo {
  std::string_view name;
  std::uint32_t least = 0;
  std::uint32_t most = 0;  // as the gate's bounds have it
};
const std::array<DimensionInfo, kDimensions>& dimensions();

const std::vector<std::string_view>& snippet_names();

// The fault for which a module is refused, besides its being too dense.
enum class Fault : std::uint8_t {
  none,
  last_body,         // a value is missing at the end of the last function
  vector_last,       // the last function has an operator on vectors, a proposal that petri refuses
  unknown_function,  // the last export names no function
};
constexpr std::uint32_t kFaults = 4;

class Genome {
 public:
  Genome();  // a function that does nothing

  std::uint32_t at(Dimension dimension) const { return numbers_[static_cast<std::size_t>(dimension)]; }
  // Within the dimension's range, whatever is given.
  void set(Dimension dimension, std::uint32_t number);

  // The dimensions that are not as small as they can be: "locals=2048 first=br_table". Reads back as the same genome.
  std::string text() const;
  static Result<Genome> from_text(std::string_view text);

  // The module; about recipe.bytes long, of which recipe.dilution say how much is filler.
  Bytes module(const Recipe& recipe, Fault fault = Fault::none) const;

  friend bool operator==(const Genome&, const Genome&) = default;

 private:
  std::array<std::uint32_t, kDimensions> numbers_{};
};

}  // namespace petri::bench
