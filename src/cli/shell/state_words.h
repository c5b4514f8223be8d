// Fields of state as people write and read them.
#pragma once

#include <string>
#include <vector>

#include "petri/reload.h"

namespace petri::cli {

// "count=7", "scores[1]=2.5", "label=new name", "key=00ff" (bytes are hexadecimal digits), each in the type its field
// has in `document`. An unknown field, no value, a list without an index and what is no such number are
// validation_failed in one sentence.
Result<std::vector<StateUpdate>> parse_state_updates(const std::vector<std::string>& words,
                                                     const StateDocument& document);

// A row a field: name, type, value. Texts of guests are escaped, long lists are cut.
std::string to_text(const StateDocument& document);

// "count i32, label text[8]", or "none"
std::string fields_text(const std::vector<StateField>& fields);

}  // namespace petri::cli
