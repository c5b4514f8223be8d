#include "bench/mix/mixed_program.h"

namespace petri::bench::mix {
namespace {

using enum Node::Kind;

constexpr std::uint32_t kX = 0, kY = 1, kTurns = 2;
constexpr std::uint32_t kSlotBytes = 8;

// Emits trees and statements into one function.
class Emitter {
 public:
  Emitter(WasmBody& body, WasmFunction helper) : body_(body), helper_(helper) {}

  void tree(const Tree& tree) {
    const Node* at = tree.data();
    next(at);
  }

  void statement(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::set: return set_y(statement.value);
      case Statement::Kind::store:
        body_.i32_const(0);
        tree(statement.value);
        body_.f64_store(statement.number * kSlotBytes);
        return;
      case Statement::Kind::repeat:
        body_.i32_const(static_cast<std::int32_t>(statement.number)).local_set(kTurns).loop();
        set_y(statement.value);
        body_.local_get(kTurns).i32_const(1).i32_sub().local_tee(kTurns).br_if(0).end();
        return;
      case Statement::Kind::when:
        less(statement);
        body_.if_();
        set_y(statement.value);
        body_.end();
        return;
      case Statement::Kind::leave:
        less(statement);
        body_.if_();
        tree(statement.value);
        body_.return_().end();
        return;
    }
  }

 private:
  void set_y(const Tree& value) {
    tree(value);
    body_.local_set(kY);
  }

  void less(const Statement& statement) {
    tree(statement.left);
    tree(statement.right);
    body_.f64_lt();
  }

  void next(const Node*& at) {
    const Node& node = *at++;
    switch (node.kind) {
      case x: body_.local_get(kX); return;
      case y: body_.local_get(kY); return;
      case slot: body_.i32_const(0).f64_load(node.slot * kSlotBytes); return;
      case constant: body_.f64_const(node.value); return;
      default: break;
    }
    next(at);
    if (node.kind == root) return static_cast<void>(body_.f64_abs().f64_sqrt());
    if (node.kind == call) return static_cast<void>(body_.call(helper_));
    next(at);
    switch (node.kind) {
      case add: body_.f64_add(); return;
      case sub: body_.f64_sub(); return;
      case mul: body_.f64_mul(); return;
      case quotient: body_.f64_abs().f64_const(1).f64_add().f64_div(); return;
      default: break;
    }
    body_.f64_lt().if_(ValueType::f64);
    next(at);
    body_.else_();
    next(at);
    body_.end();
  }

  WasmBody& body_;
  WasmFunction helper_;
};

constexpr auto kSignature = [] { return WasmSignature{.params = {ValueType::f64}, .results = {ValueType::f64}}; };

WasmFunction build_helper(const MixedProgram& program, WasmBuilder& builder) {
  if (program.helper.empty()) return {};
  WasmBody body = builder.function(kSignature());
  Emitter(body, {}).tree(program.helper);
  body.end();
  return body.index();
}

}  // namespace

Result<void> build_program(const MixedProgram& program, WasmBuilder& builder, std::vector<std::uint8_t>& bytes) {
  builder.clear();
  if (program.shape == ProgramShape::memory) builder.memory({.pages_min = 1, .pages_max = 1});
  const WasmFunction helper = build_helper(program, builder);
  WasmBody body = builder.function("f", kSignature());
  if (program.shape == ProgramShape::branches || program.shape == ProgramShape::loop) body.local(ValueType::f64);
  if (program.shape == ProgramShape::loop) body.local(ValueType::i32);
  Emitter emitter(body, helper);
  for (const Statement& statement : program.statements) emitter.statement(statement);
  emitter.tree(program.result);
  body.end();
  return builder.build_into(bytes);
}

}  // namespace petri::bench::mix
