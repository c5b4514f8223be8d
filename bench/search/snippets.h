// Pieces of code that searched modules repeat. Each leaves the operand stack as it found it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/wasm_writer.h"

namespace petri::bench {

// The items of a searched module that its code may refer to.
struct SnippetContext {
  std::uint32_t make = 0, take = 0, pass = 0;                 // functions: () -> V, V -> (), V -> V
  std::uint32_t makes = 0, takes = 0, passes = 0, plain = 0;  // their types; () -> ()
  std::uint32_t targets = 1;                                  // of a br_table
  std::uint32_t labels = 1;                                   // blocks around the code that carry nothing
  std::uint32_t globals = 1;
  std::uint32_t locals = 1;  // i64 locals that can be moved about, from first_local on
  std::uint32_t first_local = 0;
  std::uint32_t imports = 0;  // functions (i32) -> ()
  std::uint32_t next = 0;     // a function that can be called without values
};

// Locals that every function has, behind its parameters.
constexpr std::uint32_t kOwnLocals = 3;
struct OwnLocals {
  std::uint32_t i32 = 0, i64 = 0, f64 = 0;
};

// The first does nothing.
const std::vector<std::string_view>& snippet_names();
// `turn` makes repetitions differ: which local, global or offset they use.
void put_snippet(Bytes& code, std::uint32_t snippet, const SnippetContext& context, const OwnLocals& own,
                 std::uint32_t turn);

}  // namespace petri::bench
