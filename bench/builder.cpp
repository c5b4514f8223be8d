#include "bench/builder.h"

#include <array>
#include <cstdint>
#include <vector>

#include "bench/stopwatch.h"
#include "petri/wasm_builder/wasm_builder.h"

namespace petri::bench {
namespace {

using enum ValueType;

// A node of an expression as genetic programming keeps it: in prefix order, children behind their parent.
struct Node {
  enum class Kind : std::uint8_t { x, constant, unary, binary } kind;
  WasmOperator op = WasmOperator::f64_add;
  double value = 0;
};

constexpr Node kX{.kind = Node::Kind::x};
constexpr Node constant(double value) { return {.kind = Node::Kind::constant, .value = value}; }
constexpr Node unary(WasmOperator op) { return {.kind = Node::Kind::unary, .op = op}; }
constexpr Node binary(WasmOperator op) { return {.kind = Node::Kind::binary, .op = op}; }

// sqrt((0.5 * x + 1.25) * x) + (x / 3 - (x * -7.5 - (1 - x)))
constexpr std::array<Node, 20> kExpression{
    binary(WasmOperator::f64_add),
    unary(WasmOperator::f64_sqrt),
    binary(WasmOperator::f64_mul),
    binary(WasmOperator::f64_add),
    binary(WasmOperator::f64_mul),
    constant(0.5),
    kX,
    constant(1.25),
    kX,
    binary(WasmOperator::f64_sub),
    binary(WasmOperator::f64_div),
    kX,
    constant(3),
    binary(WasmOperator::f64_sub),
    binary(WasmOperator::f64_mul),
    kX,
    constant(-7.5),
    binary(WasmOperator::f64_sub),
    constant(1),
    kX,
};

const Node* emit(const Node* at, WasmBody& body) {
  const Node& node = *at++;
  if (node.kind == Node::Kind::x) {
    body.local_get(0);
  } else if (node.kind == Node::Kind::constant) {
    body.f64_const(node.value);
  } else {
    at = emit(at, body);
    if (node.kind == Node::Kind::binary) at = emit(at, body);
    body.op(node.op);
  }
  return at;
}

Result<void> build_once(WasmBuilder& module, std::vector<std::uint8_t>& bytes) {
  module.clear();
  auto body = module.function("f", {.params = {f64}, .results = {f64}});
  emit(kExpression.data(), body);
  body.end();
  return module.build_into(bytes);
}

Result<Measurement> measure_builder() {
  WasmBuilder module;
  std::vector<std::uint8_t> bytes;
  PETRI_TRY(build_once(module, bytes));
  const Sampled seconds = seconds_per_call([&module, &bytes] { static_cast<void>(build_once(module, bytes)); });
  return Measurement{.value = seconds * 1e6, .reference = std::nullopt};
}

}  // namespace

Benchmark builder_us() {
  return {.name = "builder_us",
          .unit = "us",
          .what = "build the module of a function of 20 nodes from its tree, with a builder that is used again",
          .bar = "<= 2",
          .measure = measure_builder};
}

}  // namespace petri::bench
