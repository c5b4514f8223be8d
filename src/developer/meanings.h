// The meanings of the words of the closed lists, a sentence each, for the reference pages.
#pragma once

#include <string_view>

#include "petri/outcome.h"
#include "petri/policy.h"
#include "petri/result.h"

namespace petri::developer {

std::string_view meaning_of(ErrorCode code);
std::string_view meaning_of(OutcomeKind kind);
std::string_view meaning_of(TrapCode code);
std::string_view meaning_of(Permission permission);

}  // namespace petri::developer
