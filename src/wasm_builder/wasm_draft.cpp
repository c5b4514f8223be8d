#include "wasm_builder/wasm_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::uint8_t kFunctionType = 0x60;

bool same_bytes(const WasmBytes& bytes, std::size_t one, std::size_t other, std::size_t size) {
  const auto at = [&bytes](std::size_t place) { return bytes.begin() + static_cast<std::ptrdiff_t>(place); };
  return std::equal(at(one), at(one + size), at(other));
}

}  // namespace

void WasmSection::clear() {
  entries = 0;
  bytes.clear();
}

void WasmDraft::clear() {
  for (WasmSection* section :
       {&types, &imports, &function_types, &tables, &memories, &globals, &exports, &elements, &data}) {
    section->clear();
  }
  type_starts.clear();
  functions.clear();
  runs.clear();
  code.clear();
  start.reset();
  names.clear();
  name_texts.clear();
  open_function.reset();
  blocks.clear();
  problem_.reset();
  closed_ = 0;
}

void WasmDraft::refuse(std::string message) {
  if (!problem_) problem_ = std::move(message);
}

Result<void> WasmDraft::check() const {
  if (problem_) return fail(ErrorCode::validation_failed, *problem_);
  if (open_function) {
    return fail(ErrorCode::validation_failed, fmt::format("{} is not closed: {} end() missing at its end",
                                                          described({*open_function}), blocks.size()));
  }
  if (closed_ == functions.size()) return {};
  const auto missing = std::find_if(functions.begin(), functions.end(),
                                    [](const FunctionDraft& function) { return function.stage != BodyStage::closed; });
  const auto index = static_cast<std::uint32_t>(missing - functions.begin());
  return fail(ErrorCode::validation_failed, fmt::format("{} is declared and has no body; emit one with body()",
                                                        described({imports.entries + index})));
}

FunctionDraft* WasmDraft::own_function(WasmFunction function) {
  const bool is_own = function.index >= imports.entries && has_function(function);
  return is_own ? &functions[function.index - imports.entries] : nullptr;
}

std::string WasmDraft::described(WasmFunction function) const {
  if (function.index < imports.entries || !has_function(function)) return fmt::format("function {}", function.index);
  const DraftRange& place = functions[function.index - imports.entries].export_name;
  if (place.begin == place.end) return fmt::format("function {}", function.index);
  const std::string name(exports.bytes.begin() + static_cast<std::ptrdiff_t>(place.begin),
                         exports.bytes.begin() + static_cast<std::ptrdiff_t>(place.end));
  return fmt::format("function {} (\"{}\")", function.index, escape_text(name, kShownNameBytesMax));
}

std::uint32_t WasmDraft::intern(const WasmSignature& signature) {
  for (const WasmTypes* list : {&signature.params, &signature.results}) {
    if (list->size() <= WasmTypes::kSizeMax) continue;
    refuse(fmt::format("a signature has {} {}, where {} is the most", list->size(),
                       list == &signature.params ? "parameters" : "results", WasmTypes::kSizeMax));
    return 0;
  }
  const std::size_t begin = types.bytes.size();
  types.bytes.push_back(kFunctionType);
  append_types(types.bytes, signature.params.span());
  append_types(types.bytes, signature.results.span());
  const std::size_t size = types.bytes.size() - begin;

  for (std::uint32_t type = 0; type < types.entries; ++type) {
    const std::size_t end = type + 1 < types.entries ? type_starts[type + 1] : begin;
    if (end - type_starts[type] != size || !same_bytes(types.bytes, type_starts[type], begin, size)) continue;
    types.bytes.resize(begin);
    return type;
  }
  type_starts.push_back(begin);
  return types.entries++;
}

void WasmDraft::open_body(WasmFunction function) {
  FunctionDraft* draft = own_function(function);
  if (draft == nullptr) {
    return refuse(fmt::format("{} is not of this module's own and can have no body", described(function)));
  }
  if (open_function) {
    return refuse(fmt::format("the body of {} is begun before that of {} is closed; {} end() missing there",
                              described(function), described({*open_function}), blocks.size()));
  }
  if (draft->stage != BodyStage::missing) return refuse(fmt::format("{} is given a second body", described(function)));

  draft->stage = BodyStage::open;
  draft->code.begin = code.size();
  draft->runs.begin = draft->runs.end = runs.size();
  open_function = function.index;
  blocks.push_back(BlockKind::function);
}

void WasmDraft::close_body() {
  PETRI_ASSERT(open_function && blocks.empty());
  FunctionDraft& draft = functions[*open_function - imports.entries];
  draft.stage = BodyStage::closed;
  draft.code.end = code.size();
  open_function.reset();
  ++closed_;
}

}  // namespace petri
