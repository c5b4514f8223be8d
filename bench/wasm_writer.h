// Writes WebAssembly modules byte by byte: what no compiler emits can be written too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "wasm_builder/encoding.h"

namespace petri::bench {

using Bytes = WasmBytes;  // numbers and texts go in as wasm_builder/encoding.h has them

// Appends to `out`, as the binary format has them.
void put(Bytes& out, std::initializer_list<unsigned> bytes);
void put(Bytes& out, const Bytes& bytes);

// `bytes` this many times.
Bytes repeated(std::size_t times, const Bytes& bytes);

enum ValueCode : std::uint8_t {
  code_i32 = 0x7f,
  code_i64 = 0x7e,
  code_f32 = 0x7d,
  code_f64 = 0x7c,
  code_funcref = 0x70
};

// `count` declared locals of each of these types.
struct LocalGroup {
  std::uint32_t count = 0;
  ValueCode type = code_i32;
};

// Gathers the items of each section and writes the sections in their order. Items are added in the order of their
// indices.
class ModuleWriter {
 public:
  enum Section : std::uint8_t {
    types = 1,
    imports,
    functions,
    tables,
    memories,
    globals,
    exports,
    start,
    elements,
    code,
    data,
    data_count
  };

  // An item as the section has it.
  void add(Section section, const Bytes& item);
  std::uint32_t add_type(const Bytes& params, const Bytes& results);
  // `body` without its final `end`. Answers the function's index among those of the module's own.
  std::uint32_t add_function(std::uint32_t type, const std::vector<LocalGroup>& locals, const Bytes& body);
  void add_memory(std::uint32_t pages);
  void add_export(std::string_view name, std::uint32_t function);

  // How large it has become.
  std::size_t size() const;
  Bytes finish() const;

 private:
  struct Items {
    std::uint32_t count = 0;
    Bytes bytes;
  };
  std::array<Items, 13> sections_;
};

}  // namespace petri::bench
