// What is wrong with a tree, gathered until all of it is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "petri/result.h"

namespace petri {

class TreeComplaints {
 public:
  // `where` is a path such as "children[1].intensity"; empty is the tree itself.
  void add(std::string where, std::string what);
  bool empty() const { return count_ == 0; }
  // One validation_failed with all of them, unless there are none.
  Result<void> result() const;

 private:
  struct Complaint {
    std::string where;
    std::string what;
  };
  std::vector<Complaint> kept_;
  std::size_t count_ = 0;
};

// "children[1]" below "children[0]": "children[0].children[1]".
std::string child_path(const std::string& parent, std::size_t index);
std::string field_path(const std::string& parent, std::string_view field);

}  // namespace petri
