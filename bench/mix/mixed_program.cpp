#include "bench/mix/mixed_program.h"

#include <array>
#include <cmath>

#include "base/assert.h"

namespace petri::bench::mix {
namespace {

using enum Node::Kind;

// splitmix64: every seed is a good one.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t number) : state_(seed * 0x9e3779b97f4a7c15 + number) { next(); }

  // From 0 to `bound` - 1, and from `least` to `most`.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((next() >> 32) * bound >> 32); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }

 private:
  std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  std::uint64_t state_;
};

// The operands that trees may use besides constants and arithmetic.
struct Material {
  bool y = false;
  bool slots = false;
};

class Trees {
 public:
  Trees(Draw& draw, Material material) : draw_(draw), material_(material) {}

  // A tree of `size` nodes, or one or two fewer.
  Tree of(std::uint32_t size) {
    Tree tree;
    grow(tree, size);
    return tree;
  }
  Tree between(std::uint32_t least, std::uint32_t most) { return of(draw_.between(least, most)); }

 private:
  void grow(Tree& tree, std::uint32_t size) {
    if (size < 3) return tree.push_back(leaf());
    if (draw_.below(8) == 0) {
      tree.push_back({.kind = root});
      return grow(tree, size - 1);
    }
    static constexpr std::array kBinary{add, add, sub, sub, mul, mul, quotient};
    tree.push_back({.kind = kBinary[draw_.below(kBinary.size())]});
    const std::uint32_t left = draw_.between(1, size - 2);
    grow(tree, left);
    grow(tree, size - 1 - left);
  }

  Node leaf() {
    const std::uint32_t which = draw_.below(10);
    if (which < 3) return {.kind = constant, .value = odd_fraction()};
    if (which < 6 && material_.slots) return {.kind = slot, .slot = draw_.below(kSlots)};
    if (which < 6 && material_.y) return {.kind = y};
    return {.kind = x};
  }

  // From -4 to 4 in odd 64ths, so that no language takes it for an integer.
  double odd_fraction() { return (2 * static_cast<double>(draw_.below(256)) + 1) / 64 - 4; }

  Draw& draw_;
  Material material_;
};

Tree operation(Node::Kind kind, std::initializer_list<Tree> children) {
  Tree tree{{.kind = kind}};
  for (const Tree& child : children) tree.insert(tree.end(), child.begin(), child.end());
  return tree;
}

// Marks the program of a number so that it is unlike all others.
Tree marked(std::uint64_t number, const Tree& tree) {
  return operation(mul, {{{.kind = constant, .value = 1 + static_cast<double>(number) * 0x1p-30}}, tree});
}

void draw_branches(MixedProgram& program, Draw& draw) {
  Trees first(draw, {}), with_y(draw, {.y = true});
  const auto choose = [&](Trees& trees) {
    return operation(choice, {trees.between(1, 3), trees.of(1), trees.between(3, 7), trees.between(1, 7)});
  };
  program.statements.push_back({.kind = Statement::Kind::set, .value = choose(first)});
  const std::uint32_t more = draw.below(4);
  for (std::uint32_t i = 0; i < more; ++i) {
    const bool leaves = draw.below(2) == 0;
    program.statements.push_back({.kind = leaves ? Statement::Kind::leave : Statement::Kind::when,
                                  .value = with_y.between(3, 5),
                                  .left = with_y.between(1, 3),
                                  .right = with_y.of(1)});
  }
  program.result = draw.below(2) == 0 ? with_y.between(3, 7) : operation(add, {choose(with_y), with_y.between(1, 3)});
}

// The dividend knows no y and is small, so y stays within its bounds however often the body is repeated.
void draw_loop(MixedProgram& program, Draw& draw) {
  Trees first(draw, {}), with_y(draw, {.y = true});
  program.statements.push_back({.kind = Statement::Kind::set, .value = first.between(1, 7)});
  Tree body = operation(quotient, {first.between(1, 5), operation(add, {{{.kind = y}}, with_y.between(1, 5)})});
  program.statements.push_back(
      {.kind = Statement::Kind::repeat, .number = draw.between(2, 8), .value = std::move(body)});
  program.result = with_y.between(3, 9);
}

void draw_calls(MixedProgram& program, Draw& draw) {
  Trees trees(draw, {});
  program.helper = trees.between(3, 9);
  const auto called = [&] { return operation(call, {trees.between(1, 5)}); };
  program.result = operation(add, {called(), operation(mul, {trees.between(1, 3), called()})});
  if (draw.below(2) == 0) program.result = operation(sub, {program.result, called()});
}

void draw_memory(MixedProgram& program, Draw& draw) {
  Trees first(draw, {}), with_slots(draw, {.slots = true});
  for (std::uint32_t number = 0; number < kSlots; ++number)
    program.statements.push_back({.kind = Statement::Kind::store, .number = number, .value = first.between(1, 5)});
  program.statements.push_back(
      {.kind = Statement::Kind::store, .number = draw.below(kSlots), .value = with_slots.between(3, 7)});
  program.result = with_slots.between(5, 11);
}

// Computes a tree, advancing through its nodes.
class Evaluation {
 public:
  Evaluation(const MixedProgram& program, double parameter) : program_(program), x_(parameter) {}

  double result() {
    for (const Statement& statement : program_.statements) {
      if (statement.kind == Statement::Kind::leave && holds(statement)) return of(statement.value);
      perform(statement);
    }
    return of(program_.result);
  }

 private:
  bool holds(const Statement& statement) { return of(statement.left) < of(statement.right); }

  void perform(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::set: y_ = of(statement.value); break;
      case Statement::Kind::store: slots_[statement.number] = of(statement.value); break;
      case Statement::Kind::repeat:
        for (std::uint32_t i = 0; i < statement.number; ++i) y_ = of(statement.value);
        break;
      case Statement::Kind::when:
        if (holds(statement)) y_ = of(statement.value);
        break;
      case Statement::Kind::leave: break;
    }
  }

  double of(const Tree& tree) {
    const Node* at = tree.data();
    return next(at);
  }

  double next(const Node*& at) {
    const Node& node = *at++;
    switch (node.kind) {
      case x: return x_;
      case y: return y_;
      case slot: return slots_[node.slot];
      case constant: return node.value;
      case root: return std::sqrt(std::fabs(next(at)));
      case call: return Evaluation({.helper = {}, .statements = {}, .result = program_.helper}, next(at)).result();
      default: break;
    }
    const double a = next(at), b = next(at);
    switch (node.kind) {
      case add: return a + b;
      case sub: return a - b;
      case mul: return a * b;
      case quotient: return a / (std::fabs(b) + 1);
      default: break;
    }
    const double c = next(at), d = next(at);
    return a < b ? c : d;
  }

  const MixedProgram& program_;
  double x_;
  double y_ = 0;
  std::array<double, kSlots> slots_{};
};

}  // namespace

std::string_view name_of(ProgramShape shape) {
  switch (shape) {
    case ProgramShape::straight: return "straight";
    case ProgramShape::branches: return "branches";
    case ProgramShape::loop: return "loop";
    case ProgramShape::calls: return "calls";
    case ProgramShape::memory: return "memory";
  }
  PETRI_UNREACHABLE();
}

ProgramShape shape_of(std::uint64_t number) {
  switch (number % 6) {
    case 0:
    case 2: return ProgramShape::straight;
    case 1:
    case 3: return ProgramShape::branches;
    case 4: return ProgramShape::loop;
    default: return number / 6 % 2 == 0 ? ProgramShape::calls : ProgramShape::memory;
  }
}

MixedProgram draw_program(std::uint64_t seed, std::uint64_t number) {
  Draw draw(seed, number);
  MixedProgram program{.shape = shape_of(number), .helper = {}, .statements = {}, .result = {}};
  switch (program.shape) {
    case ProgramShape::straight: program.result = Trees(draw, {}).between(17, 39); break;
    case ProgramShape::branches: draw_branches(program, draw); break;
    case ProgramShape::loop: draw_loop(program, draw); break;
    case ProgramShape::calls: draw_calls(program, draw); break;
    case ProgramShape::memory: draw_memory(program, draw); break;
  }
  program.result = marked(number, program.result);
  return program;
}

double value_of(const MixedProgram& program, double parameter) { return Evaluation(program, parameter).result(); }

}  // namespace petri::bench::mix
