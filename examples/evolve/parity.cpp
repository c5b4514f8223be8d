#include "evolve/parity.h"

#include <fmt/format.h>

#include <bit>

namespace evolve {
namespace {

// The truth table, column by column: the inputs, then what is wanted.
struct TruthTable {
  std::vector<std::uint64_t> inputs;
  std::uint64_t wanted = 0;
  std::uint64_t rows_mask = 0;  // a bit for each row there is
};

TruthTable truth_table(std::size_t inputs) {
  TruthTable table{.inputs = std::vector<std::uint64_t>(inputs)};
  for (std::size_t row = 0; row < std::size_t{1} << inputs; ++row) {
    const std::uint64_t bit = std::uint64_t{1} << row;
    table.rows_mask |= bit;
    if (std::popcount(row) % 2 == 0) table.wanted |= bit;
    for (std::size_t i = 0; i < inputs; ++i) table.inputs[i] |= (row >> i & 1) != 0 ? bit : 0;
  }
  return table;
}

int wrong_rows(const TruthTable& table, std::uint64_t answer) {
  return std::popcount((answer ^ table.wanted) & table.rows_mask);
}

Primitive gate(std::string name, petri::WasmOperator op, bool inverted) {
  return {.name = std::move(name), .arity = 2, .emit = [op, inverted](Emission& emission, const Node&) {
            emission.body.op(op);
            if (inverted) emission.body.i64_const(-1).i64_xor();
          }};
}

Language language_of(std::size_t inputs) {
  using enum petri::WasmOperator;
  std::vector<Primitive> leaves;
  for (std::size_t i = 0; i < inputs; ++i) leaves.push_back(variable(fmt::format("d{}", i), i));
  return make_language(
      petri::ValueType::i64, std::move(leaves),
      {gate("and", i64_and, false), gate("or", i64_or, false), gate("nand", i64_and, true), gate("nor", i64_or, true)});
}

Judging judging_of(const TruthTable& table) {
  petri::Case whole;
  for (const std::uint64_t column : table.inputs) whole.arguments.emplace_back(static_cast<std::int64_t>(column));
  return {.spec = {.function = "f", .fuel_max = 100'000, .memory_bytes_max = 64 << 10},
          .cases = {whole},
          .scorer = [table](std::size_t, std::span<const petri::CaseView> cases) -> double {
            return wrong_rows(table, cases.front().value_bits.front());
          }};
}

Best describe(const petri::Record& record, std::size_t rows) {
  const auto right = static_cast<double>(rows) - *record.score;
  return {.score = *record.score,
          .solved = *record.score == 0,
          .text = fmt::format("{} of {} rows of the truth table are right", right, rows)};
}

}  // namespace

TreeTask even_parity(std::size_t inputs) {
  const Language language = language_of(inputs);
  return {.title = fmt::format("even parity of {} inputs, with and, or, nand, nor", inputs),
          .language = language,
          .population = {.size = 1'000, .tournament = 7, .nodes_max = 300, .patience = 20},
          .judging = judging_of(truth_table(inputs)),
          .emit = [language, inputs](const Tree& tree,
                                     petri::WasmBuilder& module) { emit_function(tree, language, inputs, module); },
          .describe = [inputs](const petri::Record& record) { return describe(record, std::size_t{1} << inputs); },
          .formula_name = "f ="};
}

}  // namespace evolve
