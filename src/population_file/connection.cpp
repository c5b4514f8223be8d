#include "population_file/connection.h"

#include <fmt/format.h>

#include <cmath>

#include "base/assert.h"
#include "base/text/escape.h"

namespace petri {
namespace {

struct Meaning {
  ErrorCode code;
  std::string_view words;
};

Meaning meaning_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::busy, "is locked by another program; try again once that has ended its transaction"};
    case SQLITE_FULL: return {ErrorCode::io_error, "cannot grow: the disk is full; nothing of this call was recorded"};
    case SQLITE_READONLY:
      return {ErrorCode::io_error, "cannot be written; open it read-only or change its permissions"};
    case SQLITE_CANTOPEN: return {ErrorCode::io_error, "cannot be opened; look at its path and its permissions"};
    case SQLITE_NOTADB: return {ErrorCode::parse_failed, "is not a population file"};
    case SQLITE_CORRUPT: return {ErrorCode::parse_failed, "is damaged"};
    case SQLITE_NOMEM: return {ErrorCode::host_fault, "cannot be used: there is no memory left"};
    default: return {ErrorCode::io_error, "cannot be read or written"};
  }
}

}  // namespace

Error sqlite_error(sqlite3* connection, int code, const std::string& path) {
  const Meaning meaning = meaning_of(code);
  const char* words = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  return Error{.code = meaning.code,
               .message = fmt::format("the population file {} {} ({})", escape_text(path, kPathShownBytesMax),
                                      meaning.words, words),
               .details = {{"path", path}}};
}

Query& Query::bind(std::string_view text) {
  // Without a terminator and without a copy.
  const int code = sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  PETRI_ASSERT(code == SQLITE_OK);
  return *this;
}

Query& Query::bind(std::int64_t integer) {
  PETRI_ASSERT(sqlite3_bind_int64(statement_, ++bound_, integer) == SQLITE_OK);
  return *this;
}

Query& Query::bind(double number) {
  if (std::isnan(number)) return bind_null();
  PETRI_ASSERT(sqlite3_bind_double(statement_, ++bound_, number) == SQLITE_OK);
  return *this;
}

Query& Query::bind(std::optional<std::uint64_t> integer) { return integer ? bind(*integer) : bind_null(); }

Query& Query::bind_null() {
  PETRI_ASSERT(sqlite3_bind_null(statement_, ++bound_) == SQLITE_OK);
  return *this;
}

Result<bool> Query::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(sqlite_error(connection_, code, path_));
}

Result<void> Query::run() {
  PETRI_TRY(const bool has_row, step());
  PETRI_ASSERT(!has_row);
  return {};
}

std::string Query::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, const Options& options) {
  sqlite3* connection = nullptr;
  const int flags = (options.writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  auto opened = std::unique_ptr<Connection>(new Connection(connection, path));
  if (code != SQLITE_OK) return fail(sqlite_error(connection, code, path));
  sqlite3_busy_timeout(connection, options.lock_wait_ms);
  if (options.writes && sqlite3_db_readonly(connection, "main") == 1) {
    return fail(sqlite_error(nullptr, SQLITE_READONLY, path));
  }
  return opened;
}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(connection_);
}

Result<std::unique_ptr<Query>> Connection::query(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return fail(sqlite_error(connection_, code, path_));
    found = statements_.emplace(sql, statement).first;
  }
  return std::make_unique<Query>(connection_, found->second, path_);
}

Result<void> Connection::execute(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(connection_, code, path_));
  return {};
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  PETRI_TRY(const auto found, query(sql));
  PETRI_TRY(const bool has_row, found->step());
  return has_row ? found->integer(0) : 0;
}

}  // namespace petri
