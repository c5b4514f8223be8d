// Where the best candidate comes from, as far as the records tell.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "petri/records.h"
#include "report/best_rows.h"

namespace petri {

struct Ancestor {
  ArtifactId artifact;
  std::size_t row = 0;
  std::optional<double> score;
  std::optional<std::uint64_t> generation;
  std::string name;
  std::string mutation;
  std::vector<std::size_t> parents;  // those with a record of their own: places in Lineage::ancestors
  std::vector<ArtifactId> unknown_parents;
};

struct Lineage {
  std::vector<Ancestor> ancestors;  // the candidate itself first, then latest first; empty when its row was not found
  bool cut = false;                 // there are more ancestors than are kept
  // From the candidate to its oldest known ancestor, at each step over the parent with the better score.
  std::vector<std::size_t> line;
};

// At most this many ancestors are kept, the latest.
constexpr std::size_t kAncestorsMax = 10'000;

// Gathers ancestors from records that come latest first. A parent is the latest record of its artifact before the
// child's. A record that names itself as parent (an elite that was carried over), or is of the child's own generation,
// gives way to an earlier one of the same artifact.
class LineageSearch {
 public:
  LineageSearch(const ArtifactId& candidate, std::size_t row, std::size_t ancestors_max = kAncestorsMax);

  bool is_wanted(const ArtifactId& artifact) const { return wanted_.contains(artifact); }
  void add(const Record& record, const std::optional<Origin>& origin);
  bool done() const { return wanted_.empty(); }
  Lineage finish(BestScore best) &&;

 private:
  struct Wanted {
    std::vector<std::size_t> children;        // whose parent it is; none: the candidate itself
    std::optional<std::size_t> place;         // a record was found that gives way to an earlier one
    std::optional<std::uint64_t> generation;  // of the earliest child
  };
  void want(const ArtifactId& artifact, std::size_t child);
  // The place of the ancestor this record is about.
  std::size_t place_for(Wanted& wanted);

  const std::size_t row_;
  const std::size_t ancestors_max_;
  Lineage lineage_;
  std::map<ArtifactId, Wanted> wanted_;
};

// Reads a records file backwards from its end, as far as the oldest ancestor.
Result<Lineage> find_lineage(const std::string& records_path, const RecordsHeader& header, const ArtifactId& candidate,
                             std::size_t row, BestScore best);

}  // namespace petri
