#include "bench/search/genome.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

// The most expensive genomes that `load_search` has found among many thousands.
constexpr std::string_view kFound[] = {
    "locals=500 targets=8184 first=br_table",
    "locals=100 uses_locals=1 nesting=1 targets=200 first=br_table second=loads",
    "types=4080 results=64 body_bytes=8 place=2",
    "results=64 body_bytes=8 place=2 filler=1",
    "values=64 first=dead_values",
    "locals=400 uses_locals=1 nesting=1 first=br_if_out second=loads",
    "locals=100 uses_locals=1 nesting=1 first=br_if_out second=local_moves",
    "locals=10 uses_locals=1 nesting=1 first=br_if_out second=loads",
    "locals=100 uses_locals=1 nesting=8 nesting_kind=1 first=br_if_out second=loads",
    "globals=64 first=memory_grow",
    "first=memory_grow second=eqz",
    "first=table_grow second=f64_add",
    "first=loop_turns second=br_table",
    "first=memory_copy second=local_reads",
    "exports=8184 custom_sections=4096 first=memory_fill",
    "locals=2040 nesting=29 globals=4096 first=memory_copy",
    "globals=3928 exports=90 name_bytes=1024 first=loop second=clz_ctz",
    "first=unreachable_if second=make_take",
    "first=if_value second=br_ifs_values",
    "body_bytes=4096 first=loop second=call_pass",
    "data_segments=128 constant_operators=63 first=memory_fill",
    "globals=4096 first=call_import second=if_value",
    "values=2 targets=90 first=loop second=clz_ctz",
    "values=2 operands=944 first=call_indirect_plain",
    "first=block_values second=call_pass",
    "body_bytes=256 first=call_pass",
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
