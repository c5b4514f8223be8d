#include "report/best_rows.h"

#include <cmath>

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<2> kBestScores{"smallest", "largest"};
static_assert(static_cast<std::size_t>(BestScore::largest) + 1 == kBestScores.size());

bool is_number(std::optional<double> score) { return score && !std::isnan(*score); }

}  // namespace

std::string_view name_of(BestScore best) { return name_in(kBestScores, best); }
std::optional<BestScore> best_score_named(std::string_view name) { return find_name<BestScore>(kBestScores, name); }

bool is_better(std::optional<double> score, std::optional<double> than, BestScore best) {
  if (!is_number(score)) return false;
  if (!is_number(than)) return true;
  return best == BestScore::smallest ? *score < *than : *score > *than;
}

}  // namespace petri
