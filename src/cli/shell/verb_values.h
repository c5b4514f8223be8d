// Values that several verbs take.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/shell/bound_arguments.h"
#include "petri/artifact.h"
#include "petri/sandbox.h"

namespace petri::cli {

// Each is nothing when the option was not given, and validation_failed naming the option when it makes no sense.
Result<std::optional<std::uint64_t>> count_option(const BoundArguments& arguments, std::string_view option);
Result<std::optional<std::chrono::nanoseconds>> time_option(const BoundArguments& arguments, std::string_view option);
Result<std::optional<Tier>> tier_option(const BoundArguments& arguments, std::string_view option);

// One of a closed list by its name; an unknown one is validation_failed and proposes the nearest, or all
// where they are few.
std::unexpected<Error> no_such(std::string_view what, std::string_view name,
                               const std::vector<std::string_view>& names);

// In the order in which a sandbox has them.
const std::vector<std::string_view>& all_status_names();

// "NAME=VALUE" taken apart; validation_failed when there is no name, saying which `form` is wanted.
Result<std::pair<std::string, std::string>> name_and_value(std::string_view option, const std::string& text,
                                                           std::string_view form = "NAME=VALUE");

// The module that was named, or the only one; validation_failed when there are several.
Result<std::string> module_meant(const SandboxInfo& info, const std::string& named);

// The bytes of a module's file as a source. Stdin holds the commands and is no file here.
Result<Source> read_source(const std::string& file, std::uint64_t bytes_max);

// The same code as the runtime will make of this source, for its signatures; nullptr when it is no good.
ArtifactPtr try_artifact(const Source& source, std::uint64_t bytes_max);

// The words as numbers of the function's parameter types. `code` may be nullptr: then only no numbers are numbers.
Result<std::vector<Value>> numbers_for(const ArtifactPtr& code, const std::string& function,
                                       const std::vector<std::string>& words);

}  // namespace petri::cli
