#include <fmt/format.h>

#include "petri/wasm_builder/wasm_builder.h"
#include "wasm_builder/encoding.h"
#include "wasm_builder/wasm_draft.h"

// Blocks, branches and calls of a WasmBody.
namespace petri {
namespace {

constexpr std::uint8_t kBlock = 0x02;
constexpr std::uint8_t kLoop = 0x03;
constexpr std::uint8_t kIf = 0x04;
constexpr std::uint8_t kElse = 0x05;
constexpr std::uint8_t kBr = 0x0c;
constexpr std::uint8_t kBrIf = 0x0d;
constexpr std::uint8_t kBrTable = 0x0e;
constexpr std::uint8_t kReturn = 0x0f;
constexpr std::uint8_t kCall = 0x10;
constexpr std::uint8_t kCallIndirect = 0x11;

// A block's type is the code of its one result, read as a negative number, or the index of a type.
constexpr std::int64_t kNoResult = -0x40;
std::int64_t block_type(ValueType result) { return std::int64_t{type_code(result)} - 0x80; }

BlockKind kind_of(std::uint8_t code) {
  if (code == kLoop) return BlockKind::loop;
  return code == kIf ? BlockKind::if_part : BlockKind::block;
}

}  // namespace

WasmBody& WasmBody::emit_block(std::uint8_t operator_code, std::int64_t type) {
  append_signed(emit({operator_code}).code(), type);
  draft_->blocks.push_back(kind_of(operator_code));
  return *this;
}

WasmBody& WasmBody::emit_block(std::uint8_t operator_code, const WasmSignature& signature) {
  const bool is_short = signature.params.size() == 0 && signature.results.size() <= 1;
  if (!is_short) return emit_block(operator_code, std::int64_t{draft_->intern(signature)});
  const auto results = signature.results.span();
  return emit_block(operator_code, results.empty() ? kNoResult : block_type(results.front()));
}

WasmBody& WasmBody::block() { return emit_block(kBlock, kNoResult); }
WasmBody& WasmBody::block(ValueType result) { return emit_block(kBlock, block_type(result)); }
WasmBody& WasmBody::block(const WasmSignature& signature) { return emit_block(kBlock, signature); }
WasmBody& WasmBody::loop() { return emit_block(kLoop, kNoResult); }
WasmBody& WasmBody::loop(ValueType result) { return emit_block(kLoop, block_type(result)); }
WasmBody& WasmBody::loop(const WasmSignature& signature) { return emit_block(kLoop, signature); }
WasmBody& WasmBody::if_() { return emit_block(kIf, kNoResult); }
WasmBody& WasmBody::if_(ValueType result) { return emit_block(kIf, block_type(result)); }
WasmBody& WasmBody::if_(const WasmSignature& signature) { return emit_block(kIf, signature); }

WasmBody& WasmBody::else_() {
  emit({kElse});
  if (draft_->blocks.empty() || draft_->blocks.back() != BlockKind::if_part) {
    draft_->refuse(
        fmt::format("{} has an else_() whose innermost open block is no if_()", draft_->described(function_)));
    return *this;
  }
  draft_->blocks.back() = BlockKind::else_part;
  return *this;
}

WasmBody& WasmBody::end() {
  emit({kEndCode});
  if (draft_->open_function != function_.index) return *this;
  draft_->blocks.pop_back();
  if (draft_->blocks.empty()) draft_->close_body();
  return *this;
}

WasmLabel WasmBody::label() const {
  const auto open = static_cast<std::uint32_t>(draft_->blocks.size());
  return {open == 0 ? 0 : open - 1};
}

// A label of a closed block wraps around to a depth that no block has.
std::uint32_t WasmBody::depth_of(WasmLabel label) const {
  return static_cast<std::uint32_t>(draft_->blocks.size()) - 1 - label.level;
}

void WasmBody::check_depth(std::uint32_t depth) {
  if (depth < draft_->blocks.size()) return;
  const auto from_label = static_cast<std::int32_t>(depth) < 0;
  draft_->refuse(from_label
                     ? fmt::format("{} branches to the label of a block that is closed", draft_->described(function_))
                     : fmt::format("{} branches to depth {} where {} blocks are open, the function counted",
                                   draft_->described(function_), depth, draft_->blocks.size()));
}

WasmBody& WasmBody::emit_branch(std::uint8_t operator_code, std::uint32_t depth) {
  check_depth(depth);
  append_unsigned(emit({operator_code}).code(), depth);
  return *this;
}

WasmBody& WasmBody::br(std::uint32_t depth) { return emit_branch(kBr, depth); }
WasmBody& WasmBody::br_if(std::uint32_t depth) { return emit_branch(kBrIf, depth); }

WasmBody& WasmBody::br_table(std::span<const std::uint32_t> depths, std::uint32_t depth_otherwise) {
  WasmBytes& bytes = emit({kBrTable}).code();
  append_unsigned(bytes, depths.size());
  for (const std::uint32_t depth : depths) {
    check_depth(depth);
    append_unsigned(bytes, depth);
  }
  check_depth(depth_otherwise);
  append_unsigned(bytes, depth_otherwise);
  return *this;
}

WasmBody& WasmBody::return_() { return emit({kReturn}); }

WasmBody& WasmBody::call(WasmFunction function) {
  if (!draft_->has_function(function)) [[unlikely]] {
    draft_->refuse(fmt::format("{} calls function {}, and the module has {} so far; declare() it first",
                               draft_->described(function_), function.index, draft_->functions_count()));
  }
  append_unsigned(emit({kCall}).code(), function.index);
  return *this;
}

WasmBody& WasmBody::call_indirect(WasmType type, WasmTable table) {
  if (type.index >= draft_->types.entries || table.index >= draft_->tables.entries) {
    draft_->refuse(fmt::format(
        "{} calls through table {} with type {}, and the module has {} tables and {} types so far",
        draft_->described(function_), table.index, type.index, draft_->tables.entries, draft_->types.entries));
  }
  WasmBytes& bytes = emit({kCallIndirect}).code();
  append_unsigned(bytes, type.index);
  append_unsigned(bytes, table.index);
  return *this;
}

WasmBody& WasmBody::call_indirect(const WasmSignature& signature, WasmTable table) {
  return call_indirect(WasmType{draft_->intern(signature)}, table);
}

}  // namespace petri
