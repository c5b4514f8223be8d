#include "bench/search/genome.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

// What `load_search` has found to be the most expensive of many thousands, a genome each.
constexpr std::string_view kFound[] = {
    "locals=500 targets=8184 first=br_table",
    "results=64 types=4080 place=2 body_bytes=8",
    "values=64 first=dead_values",
};

Shape shape_of(std::string_view text) {
  const auto genome = Genome::from_text(text);
  return {.name = text, .make = [genome = *genome](const Recipe& recipe) { return genome.module(recipe); }};
}

}  // namespace

const std::vector<Shape>& searched_shapes() {
  static const std::vector<Shape> shapes = [] {
    std::vector<Shape> all;
    for (const std::string_view text : kFound) all.push_back(shape_of(text));
    return all;
  }();
  return shapes;
}

}  // namespace petri::bench
