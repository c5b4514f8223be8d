// Files as a source of bytes.
#pragma once

#include <cstdint>
#include <string>

#include "petri/result.h"

namespace petri {

// The whole file. Only regular files are read: a folder, FIFO, socket or device is io_error, and so is what cannot be
// opened or read; never blocks. More than `bytes_max` is too_large, whatever size the file claims to have.
// Errors name the path as it is given here, and carry it as detail "path".
Result<std::string> read_file(const std::string& path, std::uint64_t bytes_max);

}  // namespace petri
