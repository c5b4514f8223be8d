// Lines of an import whose parents have not come yet.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "petri/population.h"

namespace petri {

struct WaitingLine {
  std::size_t line = 0;
  Individual individual;
};

class WaitingLines {
 public:
  // The id of the parent that is missing.
  void add(WaitingLine waiting, const std::string& missing) {
    by_missing_[missing].push_back(std::move(waiting)), ++size_;
  }
  // The lines that wait for this individual, which has come.
  std::vector<WaitingLine> take(const std::string& id);
  std::size_t size() const { return size_; }

  struct Left {
    WaitingLine waiting;
    bool in_ring = false;  // it is its own ancestor
  };
  // All that still wait, in the order of lines.
  std::vector<Left> take_all();

 private:
  std::unordered_map<std::string, std::vector<WaitingLine>> by_missing_;
  std::size_t size_ = 0;
};

}  // namespace petri
