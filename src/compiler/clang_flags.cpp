#include "compiler/clang_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::size_t kFlagBytesMax = 200;

constexpr std::array<std::string_view, 6> kOptimisations{"0", "1", "2", "3", "s", "z"};

constexpr std::array<std::string_view, 22> kStandards{
    "c89",   "c90",   "c99",   "c11",   "c17",   "c23",     "gnu89",   "gnu99",   "gnu11",   "gnu17",   "gnu23",
    "c++11", "c++14", "c++17", "c++20", "c++23", "gnu++11", "gnu++14", "gnu++17", "gnu++20", "gnu++23", "c++26"};

// Each changes the code that comes out and nothing else.
constexpr std::array<std::string_view, 28> kCodeFlags{"-ffast-math",
                                                      "-fno-fast-math",
                                                      "-ffp-contract=off",
                                                      "-ffp-contract=on",
                                                      "-ffp-contract=fast",
                                                      "-fno-math-errno",
                                                      "-fno-inline",
                                                      "-finline-functions",
                                                      "-funroll-loops",
                                                      "-fno-unroll-loops",
                                                      "-fno-vectorize",
                                                      "-fno-slp-vectorize",
                                                      "-fwrapv",
                                                      "-ftrapv",
                                                      "-fno-strict-aliasing",
                                                      "-fstrict-aliasing",
                                                      "-fno-builtin",
                                                      "-fno-rtti",
                                                      "-fno-threadsafe-statics",
                                                      "-ffunction-sections",
                                                      "-fdata-sections",
                                                      "-fomit-frame-pointer",
                                                      "-fsigned-char",
                                                      "-funsigned-char",
                                                      "-fshort-enums",
                                                      "-ffreestanding",
                                                      "-pedantic",
                                                      "-w"};

template <typename List>
bool has(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_word_character(char c, std::string_view further) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         further.find(c) != std::string_view::npos;
}

bool is_word(std::string_view text, std::string_view further) {
  return std::ranges::all_of(text, [&](char c) { return is_word_character(c, further); });
}

// -Wall, -Wno-unused-variable, -Werror=format; not -Wl, -Wa, and -Wp,, which hand words to other programs.
bool is_warning(std::string_view name) { return !name.empty() && is_word(name, "-=+"); }

// NAME or NAME=value, without a character that means something to a preprocessor, a shell or a response file.
bool is_define(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') && is_word(name, "_") && is_word(value, "_.+-");
}

bool is_allowed(std::string_view flag) {
  if (flag.size() > kFlagBytesMax) return false;
  if (has(kCodeFlags, flag)) return true;
  if (flag.starts_with("-O")) return is_optimisation(flag.substr(2));
  if (flag.starts_with("-std=")) return has(kStandards, flag.substr(5));
  if (flag.starts_with("-W")) return is_warning(flag.substr(2));
  if (flag.starts_with("-D")) return is_define(flag.substr(2));
  if (flag.starts_with("-U")) return is_define(flag.substr(2)) && flag.find('=') == std::string_view::npos;
  return false;
}

}  // namespace

bool is_optimisation(std::string_view level) { return has(kOptimisations, level); }

std::string flag_refusal(std::string_view flag) {
  if (is_allowed(flag)) return {};
  return fmt::format(
      "the flag {} is not allowed; allowed are -O, -std=, -W with a warning's name, -D and -U with a "
      "name, and those that docs/guides/compile.md lists",
      in_quotes(flag));
}

}  // namespace petri
