// Text and numbers fit to stand in an HTML page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petri {

// Any text, a guest's too, as text of an element or of a quoted attribute: made visible as escape_text() does and cut
// to `bytes_max` before what HTML would take for markup is escaped.
std::string html_text(std::string_view text, std::size_t bytes_max = 200);

// "12.5 %", "0 %", "< 0.1 %" for less than that but not nothing.
std::string percent_text(std::size_t part, std::size_t whole);

// A place on a chart as an attribute's percentage, "12.34%"; what is outside of 0 to 1 stays outside.
std::string percent_of(double place);

// A score with six digits, or "nan", "inf", "-inf"; "none" when there is none.
std::string score_text(std::optional<double> score);

// A long hash, of which the style shows the start; all of it can be selected and copied.
std::string hash_cell(std::string_view hex);

}  // namespace petri
