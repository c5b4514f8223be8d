// Where the page goes.
#pragma once

#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// io_error when the page could not stand there: its folder is missing, it is a folder or device itself. With
// validation_failed it is the same file as the records. Looks only.
Result<void> check_page_path(const std::string& page_path, const std::string& records_path);

// Writes the text beside the place and moves it there: whoever reads has the old file or the new one, whole. A link is
// followed. io_error.
Result<void> write_page(const std::string& page_path, std::string_view text);

}  // namespace petri
