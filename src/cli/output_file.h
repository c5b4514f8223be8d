// Files a command makes, and what making them must not destroy.
#pragma once

#include <span>
#include <string>

#include "petri/result.h"

namespace petri::cli {

// True when both name one regular file, or would once they are made. An empty path names none; devices and pipes may
// be written twice.
bool is_same_file(const std::string& a, const std::string& b);

// validation_failed when writing the output would destroy one of the inputs. An empty path is no output.
Result<void> check_output(const std::string& output, std::span<const std::string> inputs);

}  // namespace petri::cli
