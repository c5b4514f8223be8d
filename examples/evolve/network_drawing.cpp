#include "evolve/network_drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace evolve {
namespace {

bool overlap(Comparator one, Comparator other) { return one.upper <= other.lower && other.upper <= one.lower; }

// Comparators of one layer that cross each other's lines get columns of their own.
std::vector<Network> columns_of(const Network& layer) {
  std::vector<Network> columns;
  for (const Comparator comparator : layer) {
    const auto free = std::ranges::find_if(columns, [&](const Network& column) {
      return std::ranges::none_of(column, [&](Comparator other) { return overlap(comparator, other); });
    });
    if (free == columns.end()) {
      columns.push_back({comparator});
    } else {
      free->push_back(comparator);
    }
  }
  return columns;
}

// Rows are the network's lines and, between them, the space a comparator crosses.
std::string_view sign_at(const Network& column, std::size_t row) {
  const bool between = row % 2 == 1;
  for (const Comparator comparator : column) {
    const std::size_t upper = 2 * std::size_t{comparator.upper};
    const std::size_t lower = 2 * std::size_t{comparator.lower};
    if (row == upper || row == lower) return "●";
    if (row > upper && row < lower) return between ? "│" : "┼";
  }
  return between ? " " : "─";
}

std::string_view wire(std::size_t row) { return row % 2 == 1 ? " " : "─"; }

}  // namespace

std::vector<std::string> draw(const Network& network, std::size_t inputs) {
  std::vector<std::string> rows(2 * inputs - 1);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = wire(row);
  for (const Network& layer : layers(network, inputs)) {
    for (const Network& column : columns_of(layer)) {
      for (std::size_t row = 0; row < rows.size(); ++row)
        rows[row] += fmt::format("{}{}", wire(row), sign_at(column, row));
    }
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] += fmt::format("{0}{0}", wire(row));
  }
  return rows;
}

}  // namespace evolve
