#include "telemetry/sinks/rolling_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text/escape.h"

namespace petri {

Result<std::unique_ptr<RollingFile>> RollingFile::open(std::string path, std::uint64_t bytes_max) {
  std::unique_ptr<RollingFile> file(new RollingFile(std::move(path), bytes_max));
  PETRI_TRY(file->file_, LineFile::resume(file->path_));
  return file;
}

Result<void> RollingFile::append(std::string_view line) {
  PETRI_TRY(make_room(line.size()));
  file_->retry();
  return file_->append(line);
}

Result<void> RollingFile::make_room(std::size_t bytes) {
  if (file_ && file_->bytes() != 0 && file_->bytes() + bytes > bytes_max_) {
    PETRI_TRY(set_aside());
  }
  if (!file_) {
    PETRI_TRY(file_, LineFile::resume(path_));
  }
  return {};
}

// A file that somebody took away is out of the way already.
Result<void> RollingFile::set_aside() {
  const std::string aside = path_ + ".1";
  if (std::rename(path_.c_str(), aside.c_str()) != 0 && errno != ENOENT) {
    const std::string why = std::generic_category().message(errno);
    return fail(Error{.code = ErrorCode::io_error,
                      .message = fmt::format("{}: the file is full and cannot be set aside as {}: {}",
                                             escape_text(path_), escape_text(aside), why),
                      .details = {}}
                    .with("path", path_));
  }
  file_.reset();
  return {};
}

Result<void> RollingFile::close() {
  if (!file_) return {};
  file_->retry();
  return file_->close();
}

}  // namespace petri
