#include "engine/module/module_words.h"

#include <span>
#include <string_view>

#include "petri_engine.h"

namespace petri {
namespace {

struct Word {
  std::uint32_t bit;
  std::string_view text;
};

constexpr Word kFeatures[] = {
    {PETRI_USES_MUTABLE_GLOBALS, "mutable globals"},
    {PETRI_USES_SIGN_EXTENSION, "sign extension"},
    {PETRI_USES_SATURATING_CONVERSIONS, "saturating conversions"},
    {PETRI_USES_BULK_MEMORY, "bulk memory"},
    {PETRI_USES_MULTI_VALUE, "multi-value"},
    {PETRI_USES_REFERENCE_TYPES, "reference types"},
    {PETRI_USES_EXTENDED_CONST, "extended constants"},
};

constexpr Word kNotMovable[] = {
    {PETRI_WRITES_TABLE, "it writes a table while it runs (table.set, grow, fill, copy or init)"},
    {PETRI_DROPS_SEGMENT, "it drops segments while it runs (elem.drop or data.drop)"},
    {PETRI_READS_PASSIVE_DATA, "it reads passive data while it runs (memory.init)"},
    {PETRI_MUTABLE_REFERENCE, "it has a mutable global of reference type"},
    {PETRI_IMPORTS_NON_FUNCTION, "it imports a memory, table or global"},
};

std::vector<std::string> words_of(std::uint32_t bits, std::span<const Word> words) {
  std::vector<std::string> result;
  for (const Word& word : words) {
    if ((bits & word.bit) != 0) result.emplace_back(word.text);
  }
  return result;
}

}  // namespace

std::vector<std::string> feature_names(std::uint32_t bits) { return words_of(bits, kFeatures); }
std::vector<std::string> movability_reasons(std::uint32_t bits) { return words_of(bits, kNotMovable); }

}  // namespace petri
