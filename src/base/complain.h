// One error for all that is wrong with something.
#pragma once

#include <string>
#include <utility>

#include "petri/error.h"

namespace petri {

// One more thing that is wrong: a detail for programs, and the rest of the sentence for people.
inline void complain(Error& error, std::string field, std::string wrong) {
  error.message.append(error.message.empty() ? "" : "; ").append(wrong);
  error.details.push_back({std::move(field), std::move(wrong)});
}

}  // namespace petri
