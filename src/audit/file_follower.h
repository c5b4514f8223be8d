// Brings what memory has into the file, each entry at once, or later when the file could not be written.
#pragma once

#include <memory>
#include <string>

#include "audit/audit_file.h"
#include "audit/audit_memory.h"
#include "base/clock.h"

namespace petri {

// Not for several threads at once.
class FileFollower {
 public:
  static constexpr Clock::Duration kRetryAfter = std::chrono::seconds(1);

  // `in_file` is the number of the last entry that the file has.
  FileFollower(std::unique_ptr<AuditFile> file, std::uint64_t in_file) : file_(std::move(file)), in_file_(in_file) {}

  // The line, with its end, of the entry memory got just now. After a failure the file is left alone for a second; then
  // the next entry brings all that waits with it, a piece at a time.
  void follow(std::string_view line, const AuditMemory& memory, const Clock& clock);
  // All that waits, at once.
  Result<void> flush(const AuditMemory& memory, const Clock& clock);
  // Waits until the disk has it.
  Result<void> sync() { return file_->sync(); }

  std::uint64_t in_file() const { return in_file_; }
  std::uint64_t waiting(const AuditMemory& memory) const;
  std::uint64_t lost(const AuditMemory& memory) const;  // gone from memory before the file had them
  const std::string& problem() const { return problem_; }

 private:
  Result<void> write(std::string_view lines, const Clock& clock);
  Result<void> catch_up(const AuditMemory& memory, const Clock& clock);

  const std::unique_ptr<AuditFile> file_;
  std::uint64_t in_file_;  // the last entry that is in the file, or never will be
  std::uint64_t lost_ = 0;
  std::string problem_;
  Clock::TimePoint retry_at_;
};

}  // namespace petri
