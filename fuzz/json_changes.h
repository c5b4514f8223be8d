// Changes to a document that stay a document: what a reader meets behind a checksum that fits.
#pragma once

#include <nlohmann/json.hpp>

#include "fuzz/choices.h"

namespace petri::fuzz {

enum class Binary : bool { no, yes };  // whether the document may have bytes in it

// Some parts are replaced, moved, copied, repeated, nested or taken away.
void change(nlohmann::json& document, Choices& choices, Binary binary = Binary::no);

// As JSON text, whatever bytes are in its strings.
std::string text_of(const nlohmann::json& document);

}  // namespace petri::fuzz
