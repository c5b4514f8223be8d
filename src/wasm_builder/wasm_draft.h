// A module in the making: its sections as they will be written, and what is known to be wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"
#include "petri/wasm_builder/wasm_builder.h"
#include "wasm_builder/encoding.h"

namespace petri {

// A section whose entries are encoded one after another as they come.
struct WasmSection {
  std::uint32_t entries = 0;
  WasmBytes bytes;

  // The bytes, for one more entry to be appended.
  WasmBytes& entry() {
    ++entries;
    return bytes;
  }
  void clear();
};

// Names are cut to this in messages.
constexpr std::size_t kShownNameBytesMax = 64;

// Neighbouring locals of one type are declared together.
struct LocalRun {
  std::uint32_t count = 0;
  ValueType type = ValueType::i32;
};

enum class BlockKind : std::uint8_t { function, block, loop, if_part, else_part };

// A part of one of the draft's vectors.
struct DraftRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

enum class BodyStage : std::uint8_t { missing, open, closed };

// A function of the module's own. All bodies share the draft's vectors, in the order they are emitted.
struct FunctionDraft {
  std::uint32_t locals = 0;  // parameters counted
  BodyStage stage = BodyStage::missing;
  DraftRange code;
  DraftRange runs;
  DraftRange export_name;  // in the bytes of the section `exports`, for messages
};

struct FunctionName {
  std::uint32_t function = 0;
  DraftRange text;  // in name_texts
};

// Filled by WasmBuilder and WasmBody, read by assemble(). clear() keeps all capacity.
class WasmDraft {
 public:
  void clear();

  // Keeps the first problem; build() returns it.
  void refuse(std::string message);
  // The first problem, or what is missing now.
  Result<void> check() const;

  std::uint32_t functions_count() const { return imports.entries + static_cast<std::uint32_t>(functions.size()); }
  bool has_function(WasmFunction function) const { return function.index < functions_count(); }
  FunctionDraft* own_function(WasmFunction function);
  // For messages: the function by index and export name.
  std::string described(WasmFunction function) const;

  // The index of an equal type, or of a new one.
  std::uint32_t intern(const WasmSignature& signature);

  void open_body(WasmFunction function);
  void close_body();

  WasmSection types, imports, function_types, tables, memories, globals, exports, elements, data;
  std::vector<std::size_t> type_starts;  // of each type in types.bytes
  std::vector<FunctionDraft> functions;
  std::vector<LocalRun> runs;
  WasmBytes code;
  std::optional<WasmFunction> start;
  std::vector<FunctionName> names;  // by function, ascending
  std::string name_texts;

  // The body being emitted, and its open blocks from the outside, the function first.
  std::optional<std::uint32_t> open_function;
  std::vector<BlockKind> blocks;

 private:
  std::optional<std::string> problem_;
  std::size_t closed_ = 0;
};

}  // namespace petri
