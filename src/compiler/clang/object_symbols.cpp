#include "compiler/clang/object_symbols.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text/byte_text.h"
#include "engine/module/byte_reader.h"
#include "engine/module/wasm_sections.h"

namespace petri {
namespace {

constexpr std::uint32_t kSymbolTable = 8;
constexpr std::uint32_t kFunction = 0;
constexpr std::uint32_t kData = 1;
constexpr std::uint32_t kSection = 3;
constexpr std::uint32_t kWeak = 1;
constexpr std::uint32_t kLocal = 2;
constexpr std::uint32_t kUndefined = 0x10;
constexpr std::uint32_t kExplicitName = 0x40;

constexpr std::array<std::string_view, 4> kMains{"main", "__main_void", "__main_argc_argv", "__original_main"};

bool is_name_of_c(std::string_view name) {
  return !name.empty() && !name.starts_with("_Z") && !name.starts_with("__") && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void add_function(ObjectSymbols& symbols, std::string_view name, std::uint32_t flags) {
  if ((flags & (kLocal | kUndefined | kWeak)) != 0) return;
  if (std::ranges::find(kMains, name) != kMains.end()) {
    symbols.has_main = true;
  } else if (is_name_of_c(name)) {
    symbols.functions.emplace_back(name);
  }
}

void read_table(ObjectSymbols& symbols, std::string_view bytes) {
  ByteReader table(bytes);
  for (std::uint32_t left = table.number(); left > 0 && !table.done(); --left) {
    const std::uint32_t kind = table.number();
    const std::uint32_t flags = table.number();
    const bool defined = (flags & kUndefined) == 0;
    if (kind == kData) {
      table.string();
      if (defined) {
        for (int field = 0; field < 3; ++field) table.number();
      }
    } else if (kind == kSection) {
      table.number();
    } else {
      table.number();
      const std::string_view name = defined || (flags & kExplicitName) != 0 ? table.string() : std::string_view();
      if (kind == kFunction && !table.failed()) add_function(symbols, name, flags);
    }
  }
}

}  // namespace

ObjectSymbols symbols_of_object(std::string_view object) {
  ObjectSymbols symbols;
  ByteReader section(custom_section(as_bytes(object), "linking"));
  section.number();  // version
  while (!section.done()) {
    const std::uint32_t kind = section.number();
    const std::string_view part = section.string();
    if (kind == kSymbolTable) read_table(symbols, part);
  }
  return symbols;
}

}  // namespace petri
