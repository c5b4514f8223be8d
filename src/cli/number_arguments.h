// `--args 1 -2.5 inf`: a list of numbers, some of which look like options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

// True for words that begin like a number: "7", "-3", "+1", ".5", "-inf", "nan:0x1". Whether one is a number of the
// right type is decided once the type is known.
bool looks_like_a_number(std::string_view word);

// Turns each number that follows `--args` into a word of its own, `--args=-2.5`, so that nothing takes it for an
// option. The list ends at the first word that does not look like a number; that word is a file, an option or a
// mistake.
std::vector<std::string> bind_number_arguments(std::vector<std::string> words);

}  // namespace petri::cli
