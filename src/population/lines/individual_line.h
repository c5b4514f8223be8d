// One individual as a line of JSON.
#pragma once

#include <string>
#include <string_view>

#include "petri/population.h"

namespace petri {

// Appends the line, with its end. NaN and infinities are the strings "nan", "inf" and "-inf".
void append_individual_line(std::string& text, const Individual& individual);

// Reads what a line says, and checks it; all that is wrong with it in one validation_failed, parse_failed where it is
// not JSON. The id is written as soon as it is known, also when the rest is wrong.
Result<Individual> read_individual_line(std::string_view line, std::string& id);

// A time as the integer of its nanoseconds, and a number as JSON has none.
void append_number(std::string& text, double number);

}  // namespace petri
