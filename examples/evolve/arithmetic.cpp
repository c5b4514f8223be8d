#include "evolve/arithmetic.h"

#include <utility>

namespace evolve::arithmetic {
namespace {

Primitive of_operator(std::string name, petri::WasmOperator op) {
  return {.name = std::move(name), .arity = petri::info_of(op).operands, .emit = [op](Emission& emission, const Node&) {
            emission.body.op(op);
          }};
}

Primitive of_math(std::string name, std::string function) {
  return {.name = std::move(name),
          .arity = 1,
          .emit = [](Emission& emission, const Node& node) { emission.body.call(emission.imported[node.primitive]); },
          .math = std::move(function)};
}

// Takes the value on the stack if the scratch is not zero, else this one.
void unless_scratch_is_zero(Emission& emission, double otherwise) {
  emission.body.f64_const(otherwise).local_get(emission.scratch).f64_const(0).f64_ne().select();
}

}  // namespace

Primitive add() { return of_operator("+", petri::WasmOperator::f64_add); }
Primitive subtract() { return of_operator("-", petri::WasmOperator::f64_sub); }
Primitive multiply() { return of_operator("*", petri::WasmOperator::f64_mul); }
Primitive minimum() { return of_operator("min", petri::WasmOperator::f64_min); }
Primitive maximum() { return of_operator("max", petri::WasmOperator::f64_max); }
Primitive negate() { return of_operator("neg", petri::WasmOperator::f64_neg); }
Primitive sine() { return of_math("sin", "sin"); }
Primitive cosine() { return of_math("cos", "cos"); }
Primitive exponential() { return of_math("exp", "exp"); }

Primitive divide() {
  return {.name = "/", .arity = 2, .emit = [](Emission& emission, const Node&) {
            emission.body.local_tee(emission.scratch).f64_div();
            unless_scratch_is_zero(emission, 1);
          }};
}

Primitive invert() {
  return {.name = "inv", .arity = 1, .emit = [](Emission& emission, const Node&) {
            emission.body.local_set(emission.scratch).f64_const(1).local_get(emission.scratch).f64_div();
            unless_scratch_is_zero(emission, 1);
          }};
}

Primitive square_root() {
  return {
      .name = "sqrt", .arity = 1, .emit = [](Emission& emission, const Node&) { emission.body.f64_abs().f64_sqrt(); }};
}

Primitive logarithm() {
  Primitive log = of_math("log", "log");
  log.emit = [](Emission& emission, const Node& node) {
    emission.body.f64_abs().local_tee(emission.scratch).call(emission.imported[node.primitive]);
    unless_scratch_is_zero(emission, 0);
  };
  return log;
}

Primitive constant(std::function<double(Random&)> draw) {
  return {.name = "",
          .arity = 0,
          .emit = [](Emission& emission, const Node& node) { emission.body.f64_const(node.value); },
          .make_constant = std::move(draw)};
}

}  // namespace evolve::arithmetic
