// For tests: candidates of every kind, all with the same function f : (f64) -> f64.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/test_file.h"
#include "petri/evaluate.h"
#include "petri/records.h"

namespace petri {

// A module whose f is this body; x is (local.get 0). `before` are imports, `after` memories, globals and other
// functions.
inline std::string module_with(std::string_view body, std::string_view before = "", std::string_view after = "") {
  return fmt::format("(module {} (func (export \"f\") (param f64) (result f64) (local i32) {}) {})", before, body,
                     after);
}

inline std::string polynomial(double constant) {
  return module_with(fmt::format("(f64.add (f64.mul (local.get 0) (local.get 0)) (f64.const {}))", constant));
}
inline std::string loop_for_ever(int which = 0) {
  return module_with(fmt::format("(local.set 1 (i32.const {})) (loop (br 0)) (f64.const 0)", which));
}
// Burns 5 units of fuel for each of `turns`, then gives x.
inline std::string busy(int turns) {
  return module_with(
      fmt::format("(local.set 1 (i32.const {})) (loop (br_if 0 (local.tee 1 (i32.sub (local.get 1) (i32.const 1))))) "
                  "(local.get 0)",
                  turns));
}
// Adds up all x it was ever called with, in memory and in a global, growing its memory on the way; busy as well.
inline std::string summing(int turns, std::string_view extra = "") {
  return module_with(
      fmt::format("(local.set 1 (i32.const {})) (loop (br_if 0 (local.tee 1 (i32.sub (local.get 1) (i32.const 1))))) "
                  "(drop (memory.grow (i32.const 1))) "
                  "(global.set $sum (f64.add (global.get $sum) (local.get 0))) "
                  "(f64.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 8)) (global.get $sum)) "
                  "(f64.store (i32.const 16) (f64.add (f64.load (i32.const 16)) (local.get 0))) {}"
                  "(f64.add (f64.load (i32.const 16)) (f64.load (i32.sub (i32.mul (memory.size) (i32.const 65536)) "
                  "(i32.const 8))))",
                  turns, extra),
      "", "(memory 1) (global $sum (mut f64) (f64.const 0)) (data (i32.const 0) \"begin\")");
}
// As above, but it writes its table, so that it cannot be moved.
inline std::string summing_unmovable(int turns) {
  std::string text = summing(turns, "(table.set $t (i32.const 0) (ref.func $g)) ");
  text.pop_back();
  return text + "(table $t 1 funcref) (elem declare func $g) (func $g))";
}
inline std::string random_walk(int which) {
  return module_with(fmt::format("(f64.add (f64.const {}) (f64.convert_i64_s (call 0)))", which),
                     "(import \"petri\" \"random\" (func (result i64)))");
}
inline std::string watching_the_clock(int turns) {
  return module_with(
      fmt::format("(local.set 1 (i32.const {})) (loop (br_if 0 (local.tee 1 (i32.sub (local.get 1) (i32.const 1))))) "
                  "(f64.convert_i64_s (call 0))",
                  turns),
      "(import \"petri\" \"clock_ms\" (func (result i64)))");
}
// Writes x itself, `times`.
inline std::string writing(int times) {
  return module_with(fmt::format("(f64.store (i32.const 0) (local.get 0)) (local.set 1 (i32.const {})) "
                                 "(loop (drop (call 0 (i32.const 0) (i32.const 8))) "
                                 "(br_if 0 (local.tee 1 (i32.sub (local.get 1) (i32.const 1))))) (local.get 0)",
                                 times),
                     "(import \"petri\" \"output_write\" (func (param i32 i32) (result i32)))", "(memory 1)");
}
inline std::string leaving(int code) {
  return module_with(fmt::format("(call 0 (i32.const {})) (local.get 0)", code),
                     "(import \"petri\" \"exit\" (func (param i32)))");
}
// Traps when x is above the bound.
inline std::string trapping_above(double bound) {
  return module_with(fmt::format("(if (f64.gt (local.get 0) (f64.const {})) (then unreachable)) (local.get 0)", bound));
}
inline std::string sine() {
  return module_with("(call 0 (local.get 0))", "(import \"math\" \"sin\" (func (param f64) (result f64)))");
}
inline std::string recursing() {
  return module_with("(call $deeper) (local.get 0)", "", "(func $deeper (call $deeper))");
}
inline std::string with_memory(int pages) {
  return module_with("(local.get 0)", "", fmt::format("(memory {})", pages));
}
inline std::string growing(int which) {
  return module_with(
      fmt::format("(drop (i32.const {})) (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) "
                  "(f64.convert_i32_u (memory.size))",
                  which),
      "", "(memory 1)");
}
inline std::string failing_at_start() { return module_with("(local.get 0)", "", "(func $s unreachable) (start $s)"); }
inline std::string without_f() { return "(module (func (export \"g\")))"; }
inline std::string with_integers() { return "(module (func (export \"f\") (param i32) (result i32) (local.get 0)))"; }
inline std::string importing_a_file() {
  return module_with(
      "(local.get 0)",
      "(import \"wasi_snapshot_preview1\" \"path_unlink_file\" (func (param i32 i32 i32) (result i32)))");
}
inline std::string not_wat() { return "(module (func (export \"f\")"; }

// Owns what candidates borrow.
class CandidateSet {
 public:
  CandidateSet() = default;
  CandidateSet(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) add(text);
  }

  void add(std::string text) { texts_.push_back(std::move(text)); }
  void add_bytes(std::vector<std::uint8_t> bytes) {
    texts_.emplace_back();
    bytes_.resize(texts_.size());
    bytes_.back() = std::move(bytes);
  }
  std::size_t size() const { return texts_.size(); }

  // As wat text, except what was added as bytes. Valid until something is added.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> candidates;
    for (std::size_t row = 0; row < texts_.size(); ++row) {
      const bool is_bytes = texts_[row].empty();
      candidates.push_back(is_bytes ? Candidate::wasm(bytes_[row]) : Candidate::wat(texts_[row]));
    }
    return candidates;
  }

  // `rows` of all kinds, the same ones every time; about one in ten is hostile and one in ten comes twice.
  static CandidateSet mixed(int rows) {
    CandidateSet population;
    for (int row = 0; row < rows; ++row) population.add_mixed(row);
    return population;
  }

 private:
  void add_mixed(int row) {
    switch (row % 40) {
      case 3: return add(loop_for_ever(row));
      case 7: return add(recursing());
      case 11: return add(growing(row));
      case 13: return add(trapping_above(0.1 * (row % 7)));
      case 17: return add_bytes({0, 1, 2, static_cast<std::uint8_t>(row)});
      case 19: return add(without_f());
      case 21: return add(summing(50 + row));
      case 22: return add(summing_unmovable(50 + row));
      case 23: return add(random_walk(row));
      case 24: return add(watching_the_clock(300'000 + row));
      case 25: return add(writing(1 + row % 5));
      case 26: return add(leaving(row));
      case 27: return add(sine());
      case 28: return add(with_memory(row % 2 == 0 ? 2 : 1'000));
      case 29: return add(failing_at_start());
      case 31: return add(with_integers());
      case 33: return add(importing_a_file());
      case 35: return add(not_wat());
      case 37: return add(polynomial(row - 1));
      case 39: return add(summing(400'000 + row));
      default: return add(polynomial(row));
    }
  }

  std::vector<std::string> texts_;
  std::vector<std::vector<std::uint8_t>> bytes_;
};

inline std::vector<Case> cases_of(std::initializer_list<double> numbers) {
  std::vector<Case> cases;
  for (const double number : numbers) cases.push_back({.arguments = {Value(number)}});
  return cases;
}

inline EvaluationSpec small_spec() {
  return {.function = "f", .fuel_max = 3'000'000, .memory_bytes_max = 1 << 20, .seed = 7};
}

// Evaluates or fails the test.
inline Evaluation evaluate(Evaluator& evaluator, const CandidateSet& population, std::span<const Case> cases,
                           const EvaluationSpec& spec = small_spec(), const EvaluationOptions& options = {}) {
  auto evaluation = evaluator.evaluate(population.candidates(), cases, spec, options);
  EXPECT_TRUE(evaluation) << evaluation.error().message;
  return evaluation ? *std::move(evaluation) : Evaluation{};
}

// The whole records file of an evaluation.
inline std::string records_of(Evaluator& evaluator, const CandidateSet& population, std::span<const Case> cases,
                              const EvaluationSpec& spec, EvaluationOptions options) {
  const TestFile file("records");
  auto writer = RecordsWriter::create(file.path());
  EXPECT_TRUE(writer) << writer.error().message;
  options.records = writer->get();
  evaluate(evaluator, population, cases, spec, options);
  EXPECT_TRUE((*writer)->close());
  return file.read();
}

}  // namespace petri
