// The file of an audit log: where its chain has come to, and lines after that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "audit/chain.h"
#include "base/files/line_file.h"
#include "petri/result.h"

namespace petri {

// Not for several threads at once.
class AuditFile {
 public:
  // Creates the file or continues it: its first line and its last are held against their hashes. A last line that is
  // cut off is as good as not written. parse_failed when it is no audit file or its end was tampered with, busy when
  // somebody else is writing it, io_error. None of these changes the file.
  static Result<std::unique_ptr<AuditFile>> open(const std::string& path);

  // Nothing when the file has no line yet.
  const std::optional<ChainEnd>& end() const { return end_; }

  // Whole lines. How many were written whole before io_error is the growth of written().
  Result<void> append(std::string_view lines) { return file_->append(lines); }
  std::size_t written() const { return file_->lines(); }
  void retry() { file_->retry(); }
  Result<void> sync() { return file_->sync(); }

 private:
  AuditFile(std::unique_ptr<LineFile> file, std::optional<ChainEnd> end) : file_(std::move(file)), end_(end) {}

  const std::unique_ptr<LineFile> file_;
  const std::optional<ChainEnd> end_;
};

}  // namespace petri
