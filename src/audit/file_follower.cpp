#include "audit/file_follower.h"

#include <algorithm>
#include <new>

namespace petri {
namespace {

// As much is written at once of what waited: enough to catch up soon, little enough to hold nobody up.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

std::string lines_after(std::uint64_t number, const AuditMemory& memory) {
  std::string lines;
  while (number < memory.last() && lines.size() < kPieceBytes) lines.append(memory.line(++number)) += '\n';
  return lines;
}

// Entries that memory has dropped after this one.
std::uint64_t gone_after(std::uint64_t number, const AuditMemory& memory) {
  return std::max(memory.first() - 1, number) - number;
}

}  // namespace

void FileFollower::follow(std::string_view line, const AuditMemory& memory, const Clock& clock) {
  try {
    if (in_file_ + 1 == memory.last() && problem_.empty()) {
      static_cast<void>(write(line, clock));
    } else if (clock.now() >= retry_at_) {
      static_cast<void>(catch_up(memory, clock));
    }
  } catch (const std::bad_alloc&) {
    retry_at_ = clock.now() + kRetryAfter;
  }
}

Result<void> FileFollower::flush(const AuditMemory& memory, const Clock& clock) {
  while (in_file_ < memory.last()) PETRI_TRY(catch_up(memory, clock));
  return {};
}

Result<void> FileFollower::catch_up(const AuditMemory& memory, const Clock& clock) {
  const std::uint64_t gone = gone_after(in_file_, memory);
  in_file_ += gone;
  lost_ += gone;
  file_->retry();
  return write(lines_after(in_file_, memory), clock);
}

Result<void> FileFollower::write(std::string_view lines, const Clock& clock) {
  const std::size_t before = file_->written();
  const auto written = file_->append(lines);
  in_file_ += file_->written() - before;
  problem_ = written ? std::string() : written.error().message;
  if (!written) retry_at_ = clock.now() + kRetryAfter;
  return written;
}

std::uint64_t FileFollower::waiting(const AuditMemory& memory) const {
  return memory.last() - in_file_ - gone_after(in_file_, memory);
}

std::uint64_t FileFollower::lost(const AuditMemory& memory) const { return lost_ + gone_after(in_file_, memory); }

}  // namespace petri
