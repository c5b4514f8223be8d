#include <algorithm>

#include "bench/shapes/opcodes.h"
#include "bench/shapes/shape.h"

namespace petri::bench {
namespace {

// Bounds that are kept one by one add up when a module goes to several of them at once.
constexpr std::uint8_t kMixedMake = 0, kMixedTake = 1;
constexpr std::size_t kBytesEach = 40;

Bytes branches(std::size_t count) {
  Bytes code{op::block, op::empty};
  put(code, repeated(count, {op::local_get, 0, op::br_if, 0}));
  put(code, {op::end});
  return code;
}

// Small functions in a table, full of branches, every third of which passes values on.
Bytes everything(const Recipe& recipe) {
  ModuleWriter module;
  const Bytes values(std::min(bound("parameters"), bound("results")), code_i64);
  const std::uint32_t type = module.add_type({}, {});
  module.add_function(module.add_type({}, values), {}, loads(values.size()));
  module.add_function(module.add_type(values, {}), {}, {});
  module.add_memory(1);
  const std::size_t count = std::max<std::size_t>(1, hostile_bytes(recipe) / kBytesEach);
  for (std::size_t i = 0; i < count; ++i) {
    Bytes code = branches(6);
    if (i % 3 == 0) put(code, {op::call, kMixedMake, op::call, kMixedTake});
    module.add_function(type, {{1, code_i32}}, code);
  }
  add_table(module, count);
  add_filler(module, recipe, module.size());
  return module.finish();
}

}  // namespace

const std::vector<Shape>& mixed_shapes() {
  static const std::vector<Shape> shapes{{"functions, branches and values at once", everything}};
  return shapes;
}

}  // namespace petri::bench
