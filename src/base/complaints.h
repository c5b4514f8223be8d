// The one type that gathers what is wrong with something, a document, a spec or a state, until all of it is known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

class Complaints {
 public:
  static constexpr std::size_t kKeptMax = 100;  // the others are only counted

  struct Complaint {
    std::string where;  // a path such as "tree.children[1].intensity"; empty is the document itself
    std::string what;
    std::string text;                  // both, as they are read
    std::vector<ErrorDetail> details;  // further ones, for programs
    bool operator==(const Complaint&) const = default;
  };

  // `what` continues the sentence that starts with the place: "is not a string".
  void add(std::string where, std::string_view what);
  // A sentence of its own about the place, as another check has put it.
  void add_sentence(std::string where, std::string_view sentence);
  // A clause that names the place itself, so that it stands alone.
  void add_clause(std::string where, std::string clause, std::vector<ErrorDetail> details = {});
  void add(Complaint complaint);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  const std::vector<Complaint>& kept() const { return kept_; }
  // True if there is a complaint about this place or one that contains it.
  bool covers(std::string_view where) const;
  // All of them as one sentence: "limits is not an object; seed is not an integer; and 3 more".
  std::string message() const;
  // One validation_failed with that sentence and a detail for each, "where" and what is wrong; ok if there are none.
  Result<void> result() const;
  // The same behind an opening, "the tree cannot be used: ...", with a detail "field" for each place.
  Result<void> result(ErrorCode code, std::string_view opening) const;

 private:
  std::vector<Complaint> kept_;
  std::size_t count_ = 0;
};

}  // namespace petri
