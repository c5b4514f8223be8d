#include "population_file/schema.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri {
namespace {

// Parents are named by id, because a parent may be removed while its children stay. The index by rank has the order of
// petri/population.h: NULL is the least value, and NaN is kept as NULL.
constexpr const char* kTables = R"(
  CREATE TABLE file (last_number INTEGER NOT NULL);
  INSERT INTO file VALUES (0);
  CREATE TABLE populations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    individuals INTEGER NOT NULL);
  CREATE TABLE individuals (
    number INTEGER PRIMARY KEY,
    population INTEGER NOT NULL,
    id TEXT NOT NULL,
    generation INTEGER,
    mutation TEXT NOT NULL,
    depth INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    score REAL,
    evaluated_at INTEGER,
    UNIQUE (population, id));
  CREATE INDEX individuals_by_rank ON individuals (population, score DESC, (evaluated_at IS NULL), number);
  CREATE INDEX individuals_by_generation ON individuals (population, generation) WHERE generation IS NOT NULL;
  CREATE TABLE parents (
    individual INTEGER NOT NULL,
    place INTEGER NOT NULL,
    parent TEXT NOT NULL,
    PRIMARY KEY (individual, place)) WITHOUT ROWID;
  CREATE INDEX parents_by_parent ON parents (parent, individual);
  CREATE TABLE labels (
    individual INTEGER NOT NULL,
    place INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (individual, place)) WITHOUT ROWID;
  CREATE INDEX labels_by_label ON labels (label, individual);
  CREATE TABLE components (
    individual INTEGER NOT NULL,
    name TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (individual, name)) WITHOUT ROWID;)";

struct FileMarks {
  std::int64_t mark = 0;
  std::int64_t format = 0;
  std::int64_t tables = 0;
  bool is_empty() const { return mark == 0 && format == 0 && tables == 0; }
};

Result<FileMarks> read_marks(Connection& connection) {
  FileMarks marks;
  PETRI_TRY(marks.mark, connection.integer("PRAGMA application_id"));
  PETRI_TRY(marks.format, connection.integer("PRAGMA user_version"));
  PETRI_TRY(marks.tables, connection.integer("SELECT count(*) FROM sqlite_schema"));
  return marks;
}

Result<void> check_marks(const FileMarks& marks, const std::string& path) {
  const auto refuse = [&](ErrorCode code, std::string_view why) {
    return fail(Error{.code = code,
                      .message = fmt::format("the file {} {}", escape_text(path, kPathShownBytesMax), why),
                      .details = {{"path", path}}});
  };
  if (marks.mark != kPopulationFileMark) return refuse(ErrorCode::parse_failed, "is not a population file");
  if (marks.format > kPopulationFileFormat) {
    return refuse(
        ErrorCode::rejected,
        fmt::format("is a population file of format {}, and this petri reads formats up to {}; use a newer petri",
                    marks.format, kPopulationFileFormat));
  }
  return {};
}

Result<void> create_tables(Connection& writer) {
  PETRI_TRY(writer.execute("BEGIN EXCLUSIVE"));
  PETRI_TRY(writer.execute(kTables));
  PETRI_TRY(writer.execute(fmt::format("PRAGMA application_id = {}", kPopulationFileMark).c_str()));
  PETRI_TRY(writer.execute(fmt::format("PRAGMA user_version = {}", kPopulationFileFormat).c_str()));
  return writer.execute("COMMIT");
}

}  // namespace

Result<void> prepare_schema(Connection& writer, const std::string& path) {
  PETRI_TRY(const FileMarks marks, read_marks(writer));
  return marks.is_empty() ? create_tables(writer) : check_marks(marks, path);
}

Result<void> check_schema(Connection& reader, const std::string& path) {
  PETRI_TRY(const FileMarks marks, read_marks(reader));
  return check_marks(marks, path);
}

}  // namespace petri
