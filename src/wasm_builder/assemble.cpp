#include "wasm_builder/assemble.h"

#include <array>
#include <numeric>
#include <span>
#include <string_view>

namespace petri {
namespace {

enum class SectionId : std::uint8_t {
  custom = 0,
  type = 1,
  import = 2,
  function = 3,
  table = 4,
  memory = 5,
  global = 6,
  exported = 7,
  start = 8,
  element = 9,
  code = 10,
  data = 11,
};

constexpr std::array<std::uint8_t, 8> kPreamble{0, 'a', 's', 'm', 1, 0, 0, 0};
constexpr std::string_view kNameSection = "name";
constexpr std::uint8_t kFunctionNames = 1;
// The most that heads of sections and the preamble take together.
constexpr std::size_t kHeadBytesMax = 160;
// The most that a function's size and its first run of locals take.
constexpr std::size_t kFunctionHeadBytesMax = 16;

void append_head(WasmBytes& bytes, SectionId id, std::size_t size) {
  bytes.push_back(static_cast<std::uint8_t>(id));
  append_unsigned(bytes, size);
}

void append_section(WasmBytes& bytes, SectionId id, const WasmSection& section) {
  if (section.entries == 0) return;
  append_head(bytes, id, unsigned_size(section.entries) + section.bytes.size());
  append_unsigned(bytes, section.entries);
  append_raw(bytes, section.bytes);
}

void append_start(WasmBytes& bytes, const WasmDraft& draft) {
  if (!draft.start) return;
  append_head(bytes, SectionId::start, unsigned_size(draft.start->index));
  append_unsigned(bytes, draft.start->index);
}

std::span<const LocalRun> runs_of(const WasmDraft& draft, const FunctionDraft& function) {
  return std::span(draft.runs).subspan(function.runs.begin, function.runs.end - function.runs.begin);
}

// The size of what follows the size of a function: its locals and its code.
std::size_t body_size(const WasmDraft& draft, const FunctionDraft& function) {
  const auto runs = runs_of(draft, function);
  const std::size_t fixed = unsigned_size(runs.size()) + (function.code.end - function.code.begin);
  return std::accumulate(runs.begin(), runs.end(), fixed,
                         [](std::size_t size, const LocalRun& run) { return size + unsigned_size(run.count) + 1; });
}

void append_body(WasmBytes& bytes, const WasmDraft& draft, const FunctionDraft& function) {
  const auto runs = runs_of(draft, function);
  append_unsigned(bytes, body_size(draft, function));
  append_unsigned(bytes, runs.size());
  for (const LocalRun& run : runs) {
    append_unsigned(bytes, run.count);
    bytes.push_back(type_code(run.type));
  }
  append_raw(bytes, std::span(draft.code).subspan(function.code.begin, function.code.end - function.code.begin));
}

void append_code(WasmBytes& bytes, const WasmDraft& draft) {
  if (draft.functions.empty()) return;
  std::size_t size = unsigned_size(draft.functions.size());
  for (const FunctionDraft& function : draft.functions) {
    const std::size_t body = body_size(draft, function);
    size += unsigned_size(body) + body;
  }
  append_head(bytes, SectionId::code, size);
  append_unsigned(bytes, draft.functions.size());
  for (const FunctionDraft& function : draft.functions) append_body(bytes, draft, function);
}

std::string_view text_of(const WasmDraft& draft, const FunctionName& name) {
  return std::string_view(draft.name_texts).substr(name.text.begin, name.text.end - name.text.begin);
}

void append_names(WasmBytes& bytes, const WasmDraft& draft) {
  if (draft.names.empty()) return;
  std::size_t size = unsigned_size(draft.names.size());
  for (const FunctionName& name : draft.names) {
    const std::size_t text = text_of(draft, name).size();
    size += unsigned_size(name.function) + unsigned_size(text) + text;
  }
  append_head(bytes, SectionId::custom, 1 + kNameSection.size() + 1 + unsigned_size(size) + size);
  append_text(bytes, kNameSection);
  bytes.push_back(kFunctionNames);
  append_unsigned(bytes, size);
  append_unsigned(bytes, draft.names.size());
  for (const FunctionName& name : draft.names) {
    append_unsigned(bytes, name.function);
    append_text(bytes, text_of(draft, name));
  }
}

// Near enough that a fresh buffer is allocated once.
std::size_t size_estimate(const WasmDraft& draft) {
  std::size_t size = kHeadBytesMax + draft.code.size() + draft.functions.size() * kFunctionHeadBytesMax +
                     draft.name_texts.size() + draft.names.size() * kFunctionHeadBytesMax;
  for (const WasmSection* section : {&draft.types, &draft.imports, &draft.function_types, &draft.tables,
                                     &draft.memories, &draft.globals, &draft.exports, &draft.elements, &draft.data}) {
    size += section->bytes.size();
  }
  return size;
}

}  // namespace

void assemble(const WasmDraft& draft, WasmBytes& bytes) {
  bytes.clear();
  bytes.reserve(size_estimate(draft));
  append_raw(bytes, kPreamble);
  append_section(bytes, SectionId::type, draft.types);
  append_section(bytes, SectionId::import, draft.imports);
  append_section(bytes, SectionId::function, draft.function_types);
  append_section(bytes, SectionId::table, draft.tables);
  append_section(bytes, SectionId::memory, draft.memories);
  append_section(bytes, SectionId::global, draft.globals);
  append_section(bytes, SectionId::exported, draft.exports);
  append_start(bytes, draft);
  append_section(bytes, SectionId::element, draft.elements);
  append_code(bytes, draft);
  append_section(bytes, SectionId::data, draft.data);
  append_names(bytes, draft);
}

}  // namespace petri
