#include "report/doubt.h"

#include <fmt/format.h>

#include "evaluation/cache/record_claims.h"
#include "evaluation/candidate/receipt.h"
#include "evaluation/spec_digest.h"

namespace petri {

std::optional<std::string> doubt_about(const StoredRecord& stored, const RecordsHeader& header) {
  const Record& record = stored.record;
  const auto contradiction = first_contradiction(stored);
  if (contradiction && contradiction->field == "wasm") return "its candidate is not in the file";
  if (contradiction) return fmt::format("its \"{}\" contradicts the rest of it", contradiction->field);
  if (wrong_score(record, header)) return "its score is not what its values give";
  if (!record.repeatable) return "time ended it, so nobody can repeat it";
  if (!header.receipts || !can_have_receipt(record) || has_fitting_receipt(record, header)) return std::nullopt;
  return record.receipt ? "its receipt does not fit" : "it has no receipt";
}

std::optional<std::string> doubt_about(const RecordsHeader& header) {
  const Rules rules{.abi = header.abi, .fuel_table = header.fuel_table, .host_functions = header.host_functions};
  if (spec_digest(header.cases, header.spec, rules) == header.digest) return std::nullopt;
  return "its first line was changed: its digest is another";
}

}  // namespace petri
