#include "petri/wasm_builder/wasm_builder.h"
#include "base/text/byte_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "wasm_builder/assemble.h"
#include "wasm_builder/encoding.h"
#include "wasm_builder/wasm_draft.h"

namespace petri {
namespace {

// The kinds of imports and exports.
constexpr std::uint8_t kFunction = 0;
constexpr std::uint8_t kTable = 1;
constexpr std::uint8_t kMemory = 2;
constexpr std::uint8_t kGlobal = 3;

void append_limits(WasmBytes& bytes, std::uint32_t min, std::optional<std::uint32_t> max) {
  bytes.push_back(max ? 1 : 0);
  append_unsigned(bytes, min);
  if (max) append_unsigned(bytes, *max);
}

// A constant expression.
void append_initial(WasmBytes& bytes, Value number) {
  append_constant(bytes, number);
  bytes.push_back(kEndCode);
}

// Where a segment starts. Addresses beyond 2 GiB are written as the negative number of the same bits.
void append_place(WasmBytes& bytes, std::uint32_t place) {
  append_initial(bytes, Value(static_cast<std::int32_t>(place)));
}

struct Exported {
  std::string_view name;
  std::string_view kind_name;
  std::uint8_t kind;
  std::uint32_t index;
  std::uint32_t count;  // of its kind
};

void append_export(WasmDraft& draft, const Exported& exported) {
  if (exported.index >= exported.count) {
    draft.refuse(fmt::format("the export \"{}\" names {} {}, and the module has {} so far",
                             escape_text(exported.name, kShownNameBytesMax), exported.kind_name, exported.index,
                             exported.count));
  }
  WasmBytes& bytes = draft.exports.entry();
  append_text(bytes, exported.name);
  bytes.push_back(exported.kind);
  append_unsigned(bytes, exported.index);
}

}  // namespace

WasmBuilder::WasmBuilder() : draft_(std::make_unique<WasmDraft>()) {}
WasmBuilder::~WasmBuilder() = default;
WasmBuilder::WasmBuilder(WasmBuilder&&) noexcept = default;
WasmBuilder& WasmBuilder::operator=(WasmBuilder&&) noexcept = default;

void WasmBuilder::clear() { draft_->clear(); }

WasmType WasmBuilder::type(const WasmSignature& signature) { return {draft_->intern(signature)}; }

WasmFunction WasmBuilder::import_function(std::string_view module, std::string_view name,
                                          const WasmSignature& signature) {
  const std::uint32_t index = draft_->imports.entries;
  if (!draft_->functions.empty()) {
    draft_->refuse("a function is imported after the module has got functions of its own; imports come first");
    return {index};
  }
  const std::uint32_t type = draft_->intern(signature);
  WasmBytes& bytes = draft_->imports.entry();
  append_text(bytes, module);
  append_text(bytes, name);
  bytes.push_back(kFunction);
  append_unsigned(bytes, type);
  return {index};
}

WasmFunction WasmBuilder::declare(const WasmSignature& signature) {
  append_unsigned(draft_->function_types.entry(), draft_->intern(signature));
  const WasmFunction function{draft_->functions_count()};
  draft_->functions.push_back({.locals = static_cast<std::uint32_t>(signature.params.size())});
  return function;
}

WasmBody WasmBuilder::body(WasmFunction function) {
  draft_->open_body(function);
  return {*draft_, function};
}

WasmBody WasmBuilder::function(const WasmSignature& signature) { return body(declare(signature)); }

WasmBody WasmBuilder::function(std::string_view export_name, const WasmSignature& signature) {
  const WasmFunction function = declare(signature);
  export_function(export_name, function);
  return body(function);
}

void WasmBuilder::memory(const WasmMemorySpec& spec) {
  if (draft_->memories.entries > 0) return draft_->refuse("the module is given a second memory; it can have one");
  append_limits(draft_->memories.entry(), spec.pages_min, spec.pages_max);
}

WasmTable WasmBuilder::table(const WasmTableSpec& spec) {
  WasmBytes& bytes = draft_->tables.entry();
  bytes.push_back(type_code(ValueType::funcref));
  append_limits(bytes, spec.slots_min, spec.slots_max);
  return {draft_->tables.entries - 1};
}

WasmGlobal WasmBuilder::global(const WasmGlobalSpec& spec) {
  const WasmGlobal global{draft_->globals.entries};
  if (!is_number(spec.initial.type())) {
    draft_->refuse(fmt::format("global {} begins with a {}; globals begin with numbers", global.index,
                               name_of(spec.initial.type())));
    return global;
  }
  WasmBytes& bytes = draft_->globals.entry();
  bytes.push_back(type_code(spec.initial.type()));
  bytes.push_back(spec.is_mutable ? 1 : 0);
  append_initial(bytes, spec.initial);
  return global;
}

void WasmBuilder::data(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  WasmBytes& segments = draft_->data.entry();
  segments.push_back(0);
  append_place(segments, address);
  append_unsigned(segments, bytes.size());
  append_raw(segments, bytes);
}

void WasmBuilder::data(std::uint32_t address, std::string_view bytes) { data(address, as_bytes(bytes)); }

void WasmBuilder::elements(WasmTable table, std::uint32_t slot, std::span<const WasmFunction> functions) {
  if (table.index >= draft_->tables.entries) {
    return draft_->refuse(
        fmt::format("elements go into table {}, and the module has {} so far", table.index, draft_->tables.entries));
  }
  WasmBytes& bytes = draft_->elements.entry();
  // The form of the MVP knows the first table only.
  bytes.push_back(table.index == 0 ? 0 : 2);
  if (table.index != 0) append_unsigned(bytes, table.index);
  append_place(bytes, slot);
  if (table.index != 0) bytes.push_back(kFunction);
  append_unsigned(bytes, functions.size());
  for (const WasmFunction function : functions) {
    if (!draft_->has_function(function)) {
      draft_->refuse(fmt::format("elements name function {}, and the module has {} so far", function.index,
                                 draft_->functions_count()));
    }
    append_unsigned(bytes, function.index);
  }
}

void WasmBuilder::export_function(std::string_view name, WasmFunction function) {
  append_export(*draft_, {name, "function", kFunction, function.index, draft_->functions_count()});
  // For messages the first of its names will do.
  FunctionDraft* own = draft_->own_function(function);
  if (own == nullptr || own->export_name.end != 0) return;
  const std::size_t end = draft_->exports.bytes.size() - unsigned_size(function.index) - 1;
  own->export_name = {.begin = end - name.size(), .end = end};
}

void WasmBuilder::export_memory(std::string_view name) {
  append_export(*draft_, {name, "memory", kMemory, 0, draft_->memories.entries});
}

void WasmBuilder::export_table(std::string_view name, WasmTable table) {
  append_export(*draft_, {name, "table", kTable, table.index, draft_->tables.entries});
}

void WasmBuilder::export_global(std::string_view name, WasmGlobal global) {
  append_export(*draft_, {name, "global", kGlobal, global.index, draft_->globals.entries});
}

void WasmBuilder::start(WasmFunction function) {
  if (!draft_->has_function(function)) {
    draft_->refuse(fmt::format("the start function is {}, and the module has {} functions so far", function.index,
                               draft_->functions_count()));
  }
  draft_->start = function;
}

void WasmBuilder::name_function(WasmFunction function, std::string_view name) {
  if (!draft_->has_function(function)) {
    return draft_->refuse(fmt::format("the name \"{}\" is given to function {}, and the module has {} so far",
                                      escape_text(name, kShownNameBytesMax), function.index,
                                      draft_->functions_count()));
  }
  auto& names = draft_->names;
  const DraftRange text{.begin = draft_->name_texts.size(), .end = draft_->name_texts.size() + name.size()};
  draft_->name_texts.append(name);
  const auto after = [](const FunctionName& one, std::uint32_t index) { return one.function < index; };
  const auto place = std::lower_bound(names.begin(), names.end(), function.index, after);
  if (place != names.end() && place->function == function.index) {
    place->text = text;
  } else {
    names.insert(place, {.function = function.index, .text = text});
  }
}

Result<std::vector<std::uint8_t>> WasmBuilder::build() const {
  std::vector<std::uint8_t> bytes;
  PETRI_TRY(build_into(bytes));
  return bytes;
}

Result<void> WasmBuilder::build_into(std::vector<std::uint8_t>& bytes) const {
  PETRI_TRY(draft_->check());
  assemble(*draft_, bytes);
  return {};
}

}  // namespace petri
