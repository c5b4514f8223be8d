#include "population_file/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "population_file/schema.h"
#include "population_file/sqlite_table.h"

namespace petri {
namespace {

constexpr int kLogPagesMax = 4'000;  // of 4 KiB, before they are moved into the file

struct PopulationRow {
  std::int64_t number = 0;
  SqliteTable::Counts counts;
};

// nullopt if the file has no population of this name.
Result<std::optional<PopulationRow>> find_population(Connection& connection, std::string_view name) {
  PETRI_TRY(const auto query,
            connection.query("SELECT number, individuals, last_number FROM populations, file WHERE name = ?"));
  query->bind(name);
  PETRI_TRY(const bool has_row, query->step());
  if (!has_row) return std::nullopt;
  return PopulationRow{.number = query->integer(0),
                       .counts = {.individuals = static_cast<std::uint64_t>(query->integer(1)),
                                  .last_number = static_cast<std::uint64_t>(query->integer(2))}};
}

Result<PopulationRow> find_or_add_population(Connection& writer, std::string_view name) {
  PETRI_TRY(const auto found, find_population(writer, name));
  if (found) return *found;
  {
    PETRI_TRY(const auto insert, writer.query("INSERT INTO populations (name, individuals) VALUES (?, 0)"));
    PETRI_TRY(insert->bind(name).run());
  }
  PETRI_TRY(const auto added, find_population(writer, name));
  return *added;
}

Result<void> write_counts(Connection& writer, std::int64_t population, const SqliteTable::Counts& counts) {
  {
    PETRI_TRY(const auto update, writer.query("UPDATE populations SET individuals = ? WHERE number = ?"));
    PETRI_TRY(update->bind(counts.individuals).bind(population).run());
  }
  PETRI_TRY(const auto update, writer.query("UPDATE file SET last_number = ?"));
  return update->bind(counts.last_number).run();
}

Error no_population(std::string_view name) {
  return {ErrorCode::not_found, fmt::format("there is no population {}", in_quotes(name)), {}};
}

}  // namespace

Result<std::shared_ptr<SqliteStore>> SqliteStore::open(const std::string& path, const PopulationFileOptions& options) {
  if (path.empty()) return fail(ErrorCode::validation_failed, "the path of a population file is empty");
  // SQLite gives names such as ":memory:" a meaning of their own.
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  auto store = std::shared_ptr<SqliteStore>(new SqliteStore(error ? path : absolute, options));
  if (!options.read_only) {
    PETRI_TRY(store->open_writer());
  } else {
    PETRI_TRY(auto reader, store->open_reader());
    PETRI_TRY(check_schema(*reader, store->path_));
    store->give_reader(std::move(reader));
  }
  return store;
}

// All that was committed is in the file itself afterwards, and the log is gone.
SqliteStore::~SqliteStore() {
  readers_.clear();
  if (writer_ != nullptr) {
    sqlite3_wal_checkpoint_v2(writer_->handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
}

// A file beside it has the lock: to close a second descriptor of the population file itself would release the locks of
// SQLite.
Result<void> SqliteStore::lock_for_writing() {
  const std::string lock = path_ + "-writer";
  writer_lock_ = OwnedDescriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!writer_lock_) {
    return fail(ErrorCode::io_error, fmt::format("the population file {} cannot be opened for writing: {}; open it "
                                                 "read-only or change the permissions of its folder",
                                                 escape_text(path_, kPathShownBytesMax), errno_text(errno)));
  }
  if (::flock(writer_lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
  return fail(ErrorCode::busy, fmt::format("the population file {} is open for writing already; open it read-only",
                                           escape_text(path_, kPathShownBytesMax)));
}

Result<void> SqliteStore::open_writer() {
  PETRI_TRY(lock_for_writing());
  MutexLock lock(writing_);
  PETRI_TRY(writer_, Connection::open(
                         path_, {.writes = true, .lock_wait_ms = static_cast<int>(options_.lock_wait_max.count())}));
  PETRI_TRY(prepare_schema(*writer_, path_));
  PETRI_TRY(
      writer_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; "
                       "PRAGMA cache_size = -65536"));
  const auto note_pages = [](void* pages, sqlite3*, const char*, int now) {
    *static_cast<int*>(pages) = now;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(writer_->handle(), note_pages, &log_pages_);
  return {};
}

Result<void> SqliteStore::commit(Connection& writer, const std::function<Result<void>(Connection&)>& work) {
  PETRI_TRY(writer.execute("BEGIN IMMEDIATE"));
  PETRI_TRY(work(writer));
  return writer.execute("COMMIT");
}

Result<void> SqliteStore::transact(const std::function<Result<void>(Connection&)>& work) {
  MutexLock lock(writing_);
  if (writer_ == nullptr) {
    return fail(ErrorCode::io_error,
                fmt::format("the population file {} was opened read-only", escape_text(path_, kPathShownBytesMax)));
  }
  auto committed = commit(*writer_, work);
  if (!committed && sqlite3_get_autocommit(writer_->handle()) == 0) (void)writer_->execute("ROLLBACK");
  if (committed) checkpoint_if_large(*writer_);
  return committed;
}

// Pages that a reader still needs stay in the log, and so does everything when the disk is full: it is tried again
// after the next commit.
void SqliteStore::checkpoint_if_large(Connection& writer) {
  if (log_pages_ < kLogPagesMax) return;
  sqlite3_wal_checkpoint_v2(writer.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

Result<void> SqliteStore::write(const std::string& population, const Write& write) {
  return transact([&](Connection& writer) -> Result<void> {
    PETRI_TRY(const PopulationRow row, find_or_add_population(writer, population));
    SqliteTable table(writer, row.number, row.counts);
    PETRI_TRY(write(table));
    if (table.counts().last_number == row.counts.last_number && row.counts.individuals == 0 &&
        table.counts().individuals == 0) {
      // Nothing was added to it: a population is there from its first individual on.
      PETRI_TRY(const auto remove, writer.query("DELETE FROM populations WHERE number = ?"));
      return remove->bind(row.number).run();
    }
    return write_counts(writer, row.number, table.counts());
  });
}

Result<void> SqliteStore::remove(const std::string& population) {
  return transact([&](Connection& writer) -> Result<void> {
    PETRI_TRY(const auto row, find_population(writer, population));
    if (!row) return fail(no_population(population));
    for (const std::string_view sql :
         {"DELETE FROM parents WHERE individual IN (SELECT number FROM individuals WHERE population = ?)",
          "DELETE FROM labels WHERE individual IN (SELECT number FROM individuals WHERE population = ?)",
          "DELETE FROM components WHERE individual IN (SELECT number FROM individuals WHERE population = ?)",
          "DELETE FROM individuals WHERE population = ?", "DELETE FROM populations WHERE number = ?"}) {
      PETRI_TRY(const auto remove, writer.query(sql));
      PETRI_TRY(remove->bind(row->number).run());
    }
    return {};
  });
}

Result<SqliteStore::ConnectionPtr> SqliteStore::open_reader() const {
  return Connection::open(path_, {.lock_wait_ms = static_cast<int>(options_.lock_wait_max.count())});
}

Result<SqliteStore::ConnectionPtr> SqliteStore::take_reader() {
  MutexLock lock(reading_);
  while (readers_.empty() && readers_taken_ >= std::max<std::size_t>(1, options_.readers_max)) {
    reader_free_.wait(reading_);
  }
  ConnectionPtr reader;
  if (readers_.empty()) {
    PETRI_TRY(reader, open_reader());
  } else {
    reader = std::move(readers_.back());
    readers_.pop_back();
  }
  ++readers_taken_;
  return reader;
}

void SqliteStore::give_reader(ConnectionPtr reader) {
  MutexLock lock(reading_);
  if (readers_taken_ > 0) --readers_taken_;
  readers_.push_back(std::move(reader));
  reader_free_.notify_one();
}

Result<void> SqliteStore::with_reader(const std::function<Result<void>(Connection&)>& work) {
  PETRI_TRY(ConnectionPtr reader, take_reader());
  auto done = reader->execute("BEGIN");
  if (done) done = work(*reader);
  if (sqlite3_get_autocommit(reader->handle()) == 0) (void)reader->execute("ROLLBACK");
  give_reader(std::move(reader));
  return done;
}

Result<void> SqliteStore::read(const std::string& population, const Read& read) {
  return with_reader([&](Connection& reader) -> Result<void> {
    PETRI_TRY(const auto row, find_population(reader, population));
    SqliteTable table(reader, row ? row->number : 0, row ? row->counts : SqliteTable::Counts{});
    return read(table);
  });
}

Result<std::vector<PopulationSummary>> SqliteStore::populations() {
  std::vector<PopulationSummary> all;
  PETRI_TRY(with_reader([&](Connection& reader) -> Result<void> {
    PETRI_TRY(const auto query, reader.query("SELECT name, individuals FROM populations ORDER BY name"));
    for (;;) {
      PETRI_TRY(const bool has_row, query->step());
      if (!has_row) return {};
      all.push_back({.name = query->text(0), .individuals = static_cast<std::uint64_t>(query->integer(1))});
    }
  }));
  return all;
}

}  // namespace petri
