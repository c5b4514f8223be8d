// A list in the order of insertion from which any element may be removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace petri {

// A sorted vector with gaps: adding and removing leave the others where they are, and the gaps are closed once they are
// half of it, or when a place is asked for. T is a pointer; nullptr is a gap.
template <typename T>
class InOrder {
 public:
  using Number = std::uint64_t;

  // Returns the number by which the element can be removed; numbers grow and are never used twice.
  Number add(T thing) {
    rows_.push_back({.number = ++last_, .thing = std::move(thing)});
    return last_;
  }
  // Does nothing if there is no such element. Logarithmic, but for the closing of gaps.
  void remove(Number number) {
    const auto row = std::ranges::lower_bound(rows_, number, {}, &Row::number);
    if (row == rows_.end() || row->number != number || row->thing == nullptr) return;
    row->thing = nullptr;
    if (++gaps_ * 2 > rows_.size()) close_gaps();
  }
  std::size_t size() const { return rows_.size() - gaps_; }

  // At most `limit` of them, from the one at this place on.
  std::vector<T> page(std::size_t offset, std::size_t limit) {
    if (gaps_ > 0) close_gaps();
    const std::span rows = std::span(rows_).subspan(std::min(offset, rows_.size()));
    std::vector<T> things;
    things.reserve(std::min(limit, rows.size()));
    for (const Row& row : rows.first(std::min(limit, rows.size()))) things.push_back(row.thing);
    return things;
  }
  std::vector<T> all() { return page(0, size()); }
  // Calls this with the number and the element of at most `limit`, of those that were added after this number.
  void visit_after(Number number, std::size_t limit, const auto& visit) const {
    auto row = std::ranges::upper_bound(rows_, number, {}, &Row::number);
    for (; row != rows_.end() && limit > 0; ++row) {
      if (row->thing == nullptr) continue;
      visit(row->number, row->thing);
      --limit;
    }
  }
  bool contains(Number number) const {
    const auto row = std::ranges::lower_bound(rows_, number, {}, &Row::number);
    return row != rows_.end() && row->number == number && row->thing != nullptr;
  }
  // Calls this with the number and the element of each, in order.
  void for_each(const auto& visit) const {
    for (const Row& row : rows_) {
      if (row.thing != nullptr) visit(row.number, row.thing);
    }
  }

 private:
  struct Row {
    Number number;
    T thing;
  };
  void close_gaps() {
    std::erase_if(rows_, [](const Row& row) { return row.thing == nullptr; });
    gaps_ = 0;
  }

  std::vector<Row> rows_;
  std::size_t gaps_ = 0;
  Number last_ = 0;
};

}  // namespace petri
