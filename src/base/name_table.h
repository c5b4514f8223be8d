// Names of enumerators: one array per enum, in the order of its declaration.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/assert.h"

namespace petri {

template <std::size_t Size>
using NameTable = std::array<std::string_view, Size>;

template <typename Enum, std::size_t Size>
constexpr std::string_view name_in(const NameTable<Size>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  PETRI_ASSERT(index < Size);
  return names[index];
}

template <typename Enum, std::size_t Size>
constexpr std::optional<Enum> find_name(const NameTable<Size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace petri
