// Whole files, read and written.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// The whole file. Only regular files are read: a folder, FIFO, socket or device is io_error, and so is what cannot be
// opened or read; never blocks. More than `bytes_max` is too_large, whatever size the file claims to have.
// Errors name the path as it is given here, and carry it as detail "path".
Result<std::string> read_file(const std::string& path, std::uint64_t bytes_max);

// The file has these bytes, or is as it was: what could not be written whole never has its name. io_error names the
// path and why.
Result<void> write_file(const std::string& path, std::string_view bytes);

// Replaces a file with this mode, less the process's mask, for callers with sentences of their own: 0, or the errno
// that says why not. The bytes are written beside the place, brought to the disk and moved there.
int replace_file(const std::string& path, std::string_view bytes, mode_t mode);

// The machine's words for an errno.
std::string errno_text(int number);

}  // namespace petri
