#include "audit/audit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "audit/chain_reader.h"
#include "audit/entry_line.h"

namespace petri {
namespace {

// As many entries are looked at before others get a turn.
constexpr std::size_t kLooksMax = 4'096;
constexpr std::size_t kPageMax = 10'000'000;

Result<void> check(const AuditOptions& options) {
  if (options.entries_max == 0)
    return fail(ErrorCode::validation_failed, "audit: entries_max is 0; it has to be at least 1");
  if (options.bytes_max < kAuditBytesMin) {
    return fail(ErrorCode::validation_failed,
                fmt::format("audit: bytes_max is {}; it has to be at least {}", options.bytes_max, kAuditBytesMin));
  }
  return {};
}

// The first line of a new chain.
Result<ChainEnd> start_chain(const Clock& clock, AuditFile* file) {
  ChainLine line;
  write_header(line.begin(Sha256{}), clock.wall_now());
  const ChainEnd begin{.number = 0, .hash = line.seal()};
  if (file != nullptr) PETRI_TRY(file->append(line.text()));
  return begin;
}

Result<std::unique_ptr<AuditFile>> open_file(const std::string& path) {
  if (path.empty()) return nullptr;
  return AuditFile::open(path);
}

WallTime cut_to_microseconds(WallTime time) { return std::chrono::floor<std::chrono::microseconds>(time); }

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::create(const AuditOptions& options, const Clock& clock) {
  PETRI_TRY(check(options));
  PETRI_TRY(auto file, open_file(options.file));
  const bool continues = file && file->end();
  PETRI_TRY(const ChainEnd begin, continues ? Result<ChainEnd>(*file->end()) : start_chain(clock, file.get()));
  return std::unique_ptr<AuditLog>(new AuditLog(options, clock, begin, std::move(file)));
}

AuditLog::AuditLog(const AuditOptions& options, const Clock& clock, ChainEnd begin, std::unique_ptr<AuditFile> file)
    : clock_(clock), end_(begin), memory_({.entries_max = options.entries_max, .bytes_max = options.bytes_max}, begin) {
  if (file) file_.emplace(std::move(file), begin.number);
}

AuditLog::~AuditLog() {
  const MutexLock lock(mutex_);
  try {
    if (file_) static_cast<void>(file_->flush(memory_, clock_));
  } catch (const std::bad_alloc&) {
    return;  // the file ends earlier, with a whole line
  }
}

std::uint64_t AuditLog::append_kept(const AuditSubject& subject, std::span<const AuditFact> details) {
  const MutexLock lock(mutex_);
  try {
    return make_entry(subject, details);
  } catch (const std::bad_alloc&) {
    ++lost_;
    return 0;
  }
}

// Nothing has changed before memory has the entry, and nothing throws after that: an entry is made whole or not at all.
std::uint64_t AuditLog::make_entry(const AuditSubject& subject, std::span<const AuditFact> details) {
  const std::uint64_t number = end_.number + 1;
  const WallTime time = cut_to_microseconds(clock_.wall_now());
  write_entry(line_.begin(end_.hash), number, time, subject, details);
  const Sha256 hash = line_.seal();
  const std::string_view text = line_.text();
  const std::uint64_t in_file = file_ ? file_->in_file() : number;
  memory_.add(text.substr(0, text.size() - 1), time, subject, hash, in_file);
  end_ = {.number = number, .hash = hash};
  ++entries_;
  if (file_) file_->follow(text, memory_, clock_);
  return number;
}

AuditPage AuditLog::query(const AuditQuery& query) const {
  const std::size_t entries_max = std::min(query.entries_max, kPageMax);
  AuditQuery rest = query;
  AuditPage page;
  // One more than is asked for shows whether there is a next page.
  for (bool done = false; !done && page.entries.size() <= entries_max;) {
    rest.entries_max = entries_max - page.entries.size() + 1;
    const AuditMemory::Found found = find(rest);
    for (const std::string& line : found.lines) page.entries.push_back(read_line(line)->entry);
    rest.after = found.looked_to;
    done = found.done;
  }
  if (page.entries.size() <= entries_max) return page;
  page.entries.pop_back();
  page.next = page.entries.empty() ? query.after : page.entries.back().number;
  return page;
}

AuditMemory::Found AuditLog::find(const AuditQuery& query) const {
  const MutexLock lock(mutex_);
  return memory_.find(query, kLooksMax);
}

AuditStatus AuditLog::status() const {
  const MutexLock lock(mutex_);
  AuditStatus status{.entries = entries_,
                     .kept = memory_.size(),
                     .kept_bytes = memory_.bytes(),
                     .dropped = memory_.dropped(),
                     .lost = lost_,
                     .last_number = end_.number,
                     .last_hash = end_.hash};
  if (!file_) return status;
  status.file_waiting = file_->waiting(memory_);
  status.file_lost = file_->lost(memory_);
  status.file_problem = file_->problem();
  return status;
}

// A piece at a time, so that entries can be made meanwhile. Where entries are not there any more, the chain is
// followed from the next that is left.
AuditVerification AuditLog::verify() const {
  AuditVerification verification;
  AuditMemory::Piece piece = piece_after(0);
  for (ChainEnd end = piece.before; !piece.lines.empty(); piece = piece_after(end.number)) {
    ChainReader chain(piece.before, piece.before.number);
    for (const std::string& line : piece.lines) {
      verification.fault = chain.check(line);
      if (verification.fault) return verification;
      ++verification.entries;
    }
    end = chain.end();
    verification.last_hash = end.hash;
  }
  return verification;
}

AuditMemory::Piece AuditLog::piece_after(std::uint64_t number) const {
  const MutexLock lock(mutex_);
  return memory_.piece_after(number, kLooksMax);
}

Result<void> AuditLog::flush() {
  const MutexLock lock(mutex_);
  if (!file_) return {};
  PETRI_TRY(file_->flush(memory_, clock_));
  return file_->sync();
}

}  // namespace petri
