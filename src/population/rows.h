// The verbs of a population that change it, as rules over one transaction: a result for each row.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "population/population_store.h"

namespace petri {

using RowResults = std::vector<Result<void>>;

// Why a row was refused; empty if it was carried out. The other rows are carried out.
using RowRefusal = std::optional<Error>;

// Carries out one row. The Result is the transaction's: an Error there undoes all rows.
using RowChange = std::function<Result<RowRefusal>(PopulationWriter&, std::size_t row)>;

// All rows in one transaction. Rows have their own results, or all that were well have the error of the transaction.
RowResults write_rows(PopulationStore& store, const std::string& population, std::size_t rows, const RowChange& change);

// Adds an individual that has passed check_individual(), at this time unless it has one.
Result<RowRefusal> add_individual(PopulationWriter& writer, Individual individual, const AddOptions& options,
                                  PopulationTime now, std::uint64_t individuals_max);

Error no_individual(std::string_view id);

}  // namespace petri
