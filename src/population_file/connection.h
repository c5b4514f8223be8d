// SQLite as petri uses it: a connection, its prepared statements, and what its errors are in our words.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "petri/result.h"

namespace petri {

// A prepared statement that is being run: bind, then step until it has no more rows. Resets it at the end. Texts that
// are bound outlive it.
class Query {
 public:
  Query(sqlite3* connection, sqlite3_stmt* statement, const std::string& path)
      : connection_(connection), statement_(statement), path_(path) {}
  ~Query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters are given in the order in which the statement has them.
  Query& bind(std::string_view text);
  Query& bind(std::int64_t integer);
  Query& bind(std::uint64_t integer) { return bind(static_cast<std::int64_t>(integer)); }
  Query& bind(double number);  // NaN becomes NULL
  Query& bind(std::optional<std::uint64_t> integer);
  Query& bind_null();

  // Returns false when there are no more rows.
  Result<bool> step();
  // For a statement without rows.
  Result<void> run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  sqlite3* const connection_;
  sqlite3_stmt* const statement_;
  const std::string& path_;
  int bound_ = 0;
};

// One thread at a time.
class Connection {
 public:
  struct Options {
    bool writes = false;  // else read-only
    int lock_wait_ms = 0;
  };
  static Result<std::unique_ptr<Connection>> open(const std::string& path, const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The statement is prepared once for a connection.
  Result<std::unique_ptr<Query>> query(std::string_view sql);
  // Statements without parameters and rows, separated by semicolons.
  Result<void> execute(const char* sql);
  // The first column of the first row; 0 if there is none.
  Result<std::int64_t> integer(std::string_view sql);
  sqlite3* handle() const { return connection_; }
  std::uint64_t changes() const { return static_cast<std::uint64_t>(sqlite3_changes64(connection_)); }

 private:
  Connection(sqlite3* connection, std::string path) : connection_(connection), path_(std::move(path)) {}

  sqlite3* const connection_;
  const std::string path_;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, sqlite3_stmt*, TextHash, std::equal_to<>> statements_;
};

// The error of a result code of SQLite: busy, io_error (a full disk, a read-only file), parse_failed (no database, or a
// damaged one).
Error sqlite_error(sqlite3* connection, int code, const std::string& path);

}  // namespace petri
