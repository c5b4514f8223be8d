#include <fmt/format.h>

#include <bit>

#include "petri/wasm_builder/wasm_builder.h"
#include "wasm_builder/encoding.h"
#include "wasm_builder/wasm_draft.h"

namespace petri {
namespace {

// The operators with meanings of their own that neither branch nor call.
constexpr std::uint8_t kUnreachable = 0x00;
constexpr std::uint8_t kNop = 0x01;
constexpr std::uint8_t kDrop = 0x1a;
constexpr std::uint8_t kSelect = 0x1b;
constexpr std::uint8_t kLocalGet = 0x20;
constexpr std::uint8_t kLocalSet = 0x21;
constexpr std::uint8_t kLocalTee = 0x22;
constexpr std::uint8_t kGlobalGet = 0x23;
constexpr std::uint8_t kGlobalSet = 0x24;
constexpr std::uint8_t kMemorySize = 0x3f;
constexpr std::uint8_t kMemoryGrow = 0x40;
constexpr std::uint8_t kPrefix = 0xfc;
constexpr std::uint8_t kMemoryCopy = 10;  // after the prefix
constexpr std::uint8_t kMemoryFill = 11;

}  // namespace

WasmBytes& WasmBody::code() {
  if (draft_->open_function != function_.index) [[unlikely]] {
    draft_->refuse(fmt::format("{} gets an operator while its body is not open; an end() too many closes it early",
                               draft_->described(function_)));
  }
  return draft_->code;
}

WasmBody& WasmBody::emit(std::initializer_list<std::uint8_t> bytes) {
  append_raw(code(), std::span(bytes.begin(), bytes.size()));
  return *this;
}

WasmLocal WasmBody::local(ValueType type) {
  code();
  FunctionDraft* function = draft_->own_function(function_);
  if (function == nullptr || function->stage != BodyStage::open) return 0;
  const bool joins = function->runs.begin != function->runs.end && draft_->runs.back().type == type;
  if (!joins) {
    draft_->runs.push_back({.count = 0, .type = type});
    ++function->runs.end;
  }
  ++draft_->runs.back().count;
  return function->locals++;
}

WasmBody& WasmBody::i32_const(std::int32_t value) { return constant(value); }
WasmBody& WasmBody::i64_const(std::int64_t value) { return constant(value); }
WasmBody& WasmBody::f32_const(float value) { return constant(value); }
WasmBody& WasmBody::f64_const(double value) { return constant(value); }

WasmBody& WasmBody::constant(Value value) {
  if (is_number(value.type())) {
    append_constant(code(), value);
  } else {
    draft_->refuse(fmt::format("{} has a constant of type {}; constants are numbers", draft_->described(function_),
                               name_of(value.type())));
  }
  return *this;
}

WasmBody& WasmBody::emit_local(std::uint8_t operator_code, WasmLocal local) {
  const FunctionDraft* function = draft_->own_function(function_);
  if (function == nullptr || local.index >= function->locals) [[unlikely]] {
    draft_->refuse(fmt::format("{} names local {}, and has {}, parameters counted", draft_->described(function_),
                               local.index, function == nullptr ? 0 : function->locals));
  }
  WasmBytes& bytes = code();
  bytes.push_back(operator_code);
  append_unsigned(bytes, local.index);
  return *this;
}

WasmBody& WasmBody::local_get(WasmLocal local) { return emit_local(kLocalGet, local); }
WasmBody& WasmBody::local_set(WasmLocal local) { return emit_local(kLocalSet, local); }
WasmBody& WasmBody::local_tee(WasmLocal local) { return emit_local(kLocalTee, local); }

WasmBody& WasmBody::emit_global(std::uint8_t operator_code, WasmGlobal global) {
  if (global.index >= draft_->globals.entries) [[unlikely]] {
    draft_->refuse(fmt::format("{} names global {}, and the module has {} so far", draft_->described(function_),
                               global.index, draft_->globals.entries));
  }
  append_unsigned(emit({operator_code}).code(), global.index);
  return *this;
}

WasmBody& WasmBody::global_get(WasmGlobal global) { return emit_global(kGlobalGet, global); }
WasmBody& WasmBody::global_set(WasmGlobal global) { return emit_global(kGlobalSet, global); }

WasmBody& WasmBody::op(WasmOperator op) {
  const auto operator_code = static_cast<std::uint16_t>(op);
  WasmBytes& bytes = code();
  if (operator_code > 0xff) bytes.push_back(static_cast<std::uint8_t>(operator_code >> 8));
  bytes.push_back(static_cast<std::uint8_t>(operator_code));
  return *this;
}

WasmBody& WasmBody::op(WasmMemoryOperator op, std::uint32_t offset) {
  const auto alignment = static_cast<std::uint8_t>(std::countr_zero(info_of(op).bytes));
  append_unsigned(emit({static_cast<std::uint8_t>(op), alignment}).code(), offset);
  return *this;
}

WasmBody& WasmBody::memory_size() { return emit({kMemorySize, 0}); }
WasmBody& WasmBody::memory_grow() { return emit({kMemoryGrow, 0}); }
WasmBody& WasmBody::memory_copy() { return emit({kPrefix, kMemoryCopy, 0, 0}); }
WasmBody& WasmBody::memory_fill() { return emit({kPrefix, kMemoryFill, 0}); }

WasmBody& WasmBody::drop() { return emit({kDrop}); }
WasmBody& WasmBody::select() { return emit({kSelect}); }
WasmBody& WasmBody::nop() { return emit({kNop}); }
WasmBody& WasmBody::unreachable() { return emit({kUnreachable}); }

}  // namespace petri
