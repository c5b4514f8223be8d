// Where the enforcing code writes what it did, and where that is asked for.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/audit_fact.h"
#include "audit/audit_file.h"
#include "audit/audit_memory.h"
#include "audit/chain.h"
#include "audit/file_follower.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "petri/audit.h"

namespace petri {

// One chain for all who write. Safe to use from any thread; the clock outlives it.
class AuditLog {
 public:
  // validation_failed for bounds under which nothing could be kept; what AuditFile::open() refuses; io_error when the
  // first line of a new file cannot be written.
  static Result<std::unique_ptr<AuditLog>> create(const AuditOptions& options, const Clock& clock);
  ~AuditLog();  // what waits is tried once more
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Makes an entry if the level keeps its kind, and answers its number; else 0. Never fails: what the file does not
  // take waits in memory and is tried again with an entry a second later; what memory has no room for is counted.
  std::uint64_t append(AuditLevel level, const AuditSubject& subject, std::span<const AuditFact> details) {
    return keeps(level, subject.kind) ? append_kept(subject, details) : 0;
  }
  std::uint64_t append(AuditLevel level, const AuditSubject& subject, std::initializer_list<AuditFact> details = {}) {
    return append(level, subject, std::span(details.begin(), details.size()));
  }

  // Entries that memory keeps. Those that are made meanwhile may be among them; nobody who makes one waits for long.
  AuditPage query(const AuditQuery& query) const EXCLUDES(mutex_);
  AuditStatus status() const EXCLUDES(mutex_);

  // Follows the chain of what memory keeps. The line of a fault is the number of its entry.
  AuditVerification verify() const EXCLUDES(mutex_);

  // Writes what waits, and brings the file to the disk, which may take its time. io_error when there is a file and that
  // cannot be done.
  Result<void> flush() EXCLUDES(mutex_);

 private:
  AuditLog(const AuditOptions& options, const Clock& clock, ChainEnd begin, std::unique_ptr<AuditFile> file);

  std::uint64_t append_kept(const AuditSubject& subject, std::span<const AuditFact> details) EXCLUDES(mutex_);
  std::uint64_t make_entry(const AuditSubject& subject, std::span<const AuditFact> details) REQUIRES(mutex_);
  AuditMemory::Found find(const AuditQuery& query) const EXCLUDES(mutex_);
  AuditMemory::Piece piece_after(std::uint64_t number) const EXCLUDES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  ChainEnd end_ GUARDED_BY(mutex_);
  ChainLine line_ GUARDED_BY(mutex_);
  AuditMemory memory_ GUARDED_BY(mutex_);
  std::uint64_t entries_ GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ GUARDED_BY(mutex_) = 0;
  std::optional<FileFollower> file_ GUARDED_BY(mutex_);  // nullopt: no file
};

}  // namespace petri
