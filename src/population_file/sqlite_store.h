// Populations in one SQLite file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "base/mutex.h"
#include "population/population_store.h"
#include "population_file/connection.h"

namespace petri {

// Any thread. One connection writes and checkpoints, in this process and all others: SQLite before 3.51.3 can damage a
// file whose log two connections write or checkpoint at the same moment. Readers have connections of their own and see
// what was committed when they started.
class SqliteStore final : public PopulationStore {
 public:
  static Result<std::shared_ptr<SqliteStore>> open(const std::string& path, const PopulationFileOptions& options);
  ~SqliteStore() override;

  Result<std::vector<PopulationSummary>> populations() override;
  Result<void> remove(const std::string& population) override EXCLUDES(writing_);
  Result<void> read(const std::string& population, const Read& read) override EXCLUDES(reading_);
  Result<void> write(const std::string& population, const Write& write) override EXCLUDES(writing_);
  std::uint64_t individuals_max() const override { return options_.individuals_max; }

 private:
  using ConnectionPtr = std::unique_ptr<Connection>;

  SqliteStore(std::string path, const PopulationFileOptions& options) : path_(std::move(path)), options_(options) {}
  Result<void> open_writer();
  Result<void> lock_for_writing();
  // Does the work in a transaction of the writer, and undoes it after an error.
  Result<void> transact(const std::function<Result<void>(Connection&)>& work) EXCLUDES(writing_);
  Result<void> commit(Connection& writer, const std::function<Result<void>(Connection&)>& work);
  void checkpoint_if_large(Connection& writer);
  Result<void> with_reader(const std::function<Result<void>(Connection&)>& work) EXCLUDES(reading_);
  Result<ConnectionPtr> take_reader() EXCLUDES(reading_);
  void give_reader(ConnectionPtr reader) EXCLUDES(reading_);
  Result<ConnectionPtr> open_reader() const;

  const std::string path_;
  const PopulationFileOptions options_;
  OwnedDescriptor writer_lock_;
  Mutex writing_;
  ConnectionPtr writer_ GUARDED_BY(writing_);
  int log_pages_ = 0;  // of the write-ahead log; written by the writer's commits
  Mutex reading_;
  Condition reader_free_;
  std::vector<ConnectionPtr> readers_ GUARDED_BY(reading_);
  std::size_t readers_taken_ GUARDED_BY(reading_) = 0;
};

}  // namespace petri
