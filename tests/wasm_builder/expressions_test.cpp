// Random expression trees, as genetic programming makes them, against their value computed here.
#include <algorithm>
#include <cmath>
#include <random>

#include "built_module.h"

namespace petri {
namespace {

using enum ValueType;

// A tree in prefix order.
struct Node {
  enum class Kind { x, constant, sqrt, add, sub, mul, div } kind;
  double value = 0;
};
using Tree = std::vector<Node>;

bool is_leaf(const Node& node) { return node.kind == Node::Kind::x || node.kind == Node::Kind::constant; }

void grow(std::mt19937_64& random, int depth, Tree& tree) {
  const auto kind = static_cast<Node::Kind>(random() % (depth == 0 ? 2 : 7));
  tree.push_back({.kind = kind, .value = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 64});
  if (is_leaf(tree.back())) return;
  grow(random, depth - 1, tree);
  if (kind != Node::Kind::sqrt) grow(random, depth - 1, tree);
}

WasmOperator operator_of(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::sqrt: return WasmOperator::f64_sqrt;
    case Node::Kind::add: return WasmOperator::f64_add;
    case Node::Kind::sub: return WasmOperator::f64_sub;
    case Node::Kind::mul: return WasmOperator::f64_mul;
    default: return WasmOperator::f64_div;
  }
}

// Emits the tree that starts at `at` and returns where it ends.
const Node* emit(const Node* at, WasmBody& body) {
  const Node& node = *at++;
  if (node.kind == Node::Kind::x) {
    body.local_get(0);
  } else if (node.kind == Node::Kind::constant) {
    body.f64_const(node.value);
  } else {
    at = emit(at, body);
    if (node.kind != Node::Kind::sqrt) at = emit(at, body);
    body.op(operator_of(node.kind));
  }
  return at;
}

double evaluate(const Node*& at, double x) {
  const Node& node = *at++;
  if (node.kind == Node::Kind::x) return x;
  if (node.kind == Node::Kind::constant) return node.value;
  const double left = evaluate(at, x);
  if (node.kind == Node::Kind::sqrt) return std::sqrt(left);
  const double right = evaluate(at, x);
  if (node.kind == Node::Kind::add) return left + right;
  if (node.kind == Node::Kind::sub) return left - right;
  return node.kind == Node::Kind::mul ? left * right : left / right;
}

bool same(double one, double other) { return (std::isnan(one) && std::isnan(other)) || Value(one) == Value(other); }

TEST(RandomExpression, HasTheValueOfItsTree) {
  std::mt19937_64 random(1);
  WasmBuilder module;
  for (int round = 0; round < 300; ++round) {
    Tree tree;
    grow(random, 6, tree);
    module.clear();
    auto f = module.function("f", {.params = {f64}, .results = {f64}});
    emit(tree.data(), f);
    f.end();
    const ArtifactPtr artifact = accepted(module);
    ASSERT_NE(artifact, nullptr);
    for (const double x : {0.0, 1.5, -7.0}) {
      const Node* at = tree.data();
      const double expected = evaluate(at, x);
      // Compiling each would take a second and more.
      const Outcome outcome =
          round % 20 == 0 ? run_both(artifact, "f", {x}) : run_in(Tier::interpreted, artifact, "f", {x});
      ASSERT_EQ(outcome.values.size(), 1U);
      EXPECT_TRUE(same(outcome.values[0].f64(), expected)) << to_text(outcome.values[0]) << " for " << expected;
    }
  }
}

}  // namespace
}  // namespace petri
