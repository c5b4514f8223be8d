#include <fmt/format.h>

#include <iterator>

#include "bench/mix/mixed_program.h"

namespace petri::bench::mix {
namespace {

using enum Node::Kind;

enum class Language : std::uint8_t { python, javascript };

std::string number_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return number < 0 ? fmt::format("({})", text) : text;
}

// Everything is in parentheses, so that no language's precedence matters.
std::string next(const Node*& at, Language language) {
  const bool python = language == Language::python;
  const Node& node = *at++;
  switch (node.kind) {
    case x: return "x";
    case y: return "y";
    case slot: return fmt::format("m[{}]", node.slot);
    case constant: return number_text(node.value);
    default: break;
  }
  const std::string a = next(at, language);
  if (node.kind == root) return fmt::format(fmt::runtime(python ? "sqrt(abs({}))" : "Math.sqrt(Math.abs({}))"), a);
  if (node.kind == call) return fmt::format("g({})", a);
  const std::string b = next(at, language);
  switch (node.kind) {
    case add: return fmt::format("({} + {})", a, b);
    case sub: return fmt::format("({} - {})", a, b);
    case mul: return fmt::format("({} * {})", a, b);
    case quotient: return fmt::format("({} / ({}({}) + 1.0))", a, python ? "abs" : "Math.abs", b);
    default: break;
  }
  const std::string c = next(at, language), d = next(at, language);
  return python ? fmt::format("({} if {} < {} else {})", c, a, b, d) : fmt::format("({} < {} ? {} : {})", a, b, c, d);
}

std::string text_of(const Tree& tree, Language language) {
  const Node* at = tree.data();
  return next(at, language);
}

std::string condition_of(const Statement& statement, Language language) {
  return fmt::format("{} < {}", text_of(statement.left, language), text_of(statement.right, language));
}

std::string python_line(const Statement& statement) {
  const std::string value = text_of(statement.value, Language::python);
  switch (statement.kind) {
    case Statement::Kind::set: return fmt::format("    y = {}\n", value);
    case Statement::Kind::store: return fmt::format("    m[{}] = {}\n", statement.number, value);
    case Statement::Kind::repeat:
      return fmt::format("    for _ in range({}):\n        y = {}\n", statement.number, value);
    case Statement::Kind::when:
      return fmt::format("    if {}:\n        y = {}\n", condition_of(statement, Language::python), value);
    case Statement::Kind::leave:
      return fmt::format("    if {}:\n        return {}\n", condition_of(statement, Language::python), value);
  }
  return {};
}

std::string javascript_line(const Statement& statement) {
  const std::string value = text_of(statement.value, Language::javascript);
  switch (statement.kind) {
    case Statement::Kind::set: return fmt::format("y = {};\n", value);
    case Statement::Kind::store: return fmt::format("m[{}] = {};\n", statement.number, value);
    case Statement::Kind::repeat: return fmt::format("for (let i = 0; i < {}; i++) y = {};\n", statement.number, value);
    case Statement::Kind::when:
      return fmt::format("if ({}) y = {};\n", condition_of(statement, Language::javascript), value);
    case Statement::Kind::leave:
      return fmt::format("if ({}) return {};\n", condition_of(statement, Language::javascript), value);
  }
  return {};
}

bool uses_y(const MixedProgram& program) {
  return program.shape == ProgramShape::branches || program.shape == ProgramShape::loop;
}

}  // namespace

std::string python_of(const MixedProgram& program) {
  std::string text;
  if (!program.helper.empty())
    text += fmt::format("def g(x):\n    return {}\n", text_of(program.helper, Language::python));
  text += "def f(x):\n";
  if (program.shape == ProgramShape::memory) text += fmt::format("    m = [0.0] * {}\n", kSlots);
  for (const Statement& statement : program.statements) text += python_line(statement);
  return text + fmt::format("    return {}\n", text_of(program.result, Language::python));
}

std::string javascript_of(const MixedProgram& program) {
  std::string text = "(() => {\n";
  if (!program.helper.empty())
    text += fmt::format("function g(x) {{ return {}; }}\n", text_of(program.helper, Language::javascript));
  text += "function f(x) {\n";
  if (uses_y(program)) text += "let y = 0;\n";
  if (program.shape == ProgramShape::memory) text += fmt::format("const m = new Float64Array({});\n", kSlots);
  for (const Statement& statement : program.statements) text += javascript_line(statement);
  return text + fmt::format("return {};\n}}\nreturn f;\n}})()", text_of(program.result, Language::javascript));
}

}  // namespace petri::bench::mix
