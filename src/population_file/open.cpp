// Populations in a file: the part of petri/population.h that needs SQLite.
#include "petri/population.h"
#include "population_file/sqlite_store.h"

namespace petri {

Result<Populations> Populations::open(const std::string& path, const PopulationFileOptions& options) {
  PETRI_TRY(auto store, SqliteStore::open(path, options));
  return Populations(std::move(store));
}

}  // namespace petri
