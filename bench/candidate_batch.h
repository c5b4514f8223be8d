// Candidates for an evaluation, with the bytes they borrow.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "petri/evaluate.h"
#include "petri/result.h"

namespace petri::bench {

class CandidateBatch;
// `count` modules numbered on from `first`.
using MakeBatch = Result<CandidateBatch> (*)(std::uint64_t first, std::uint64_t count);

class CandidateBatch {
 public:
  // `count` small modules numbered on from `first`, no two alike.
  static Result<CandidateBatch> of_wasm(std::uint64_t first, std::uint64_t count);
  // A batch of the mix in mix/, all from one seed.
  static Result<CandidateBatch> of_mix(std::uint64_t first, std::uint64_t count);
  static CandidateBatch of_wat(std::uint64_t first, std::uint64_t count);

  void add_wasm(std::span<const std::uint8_t> bytes);
  void add_wat(std::string text);

  std::size_t size() const { return candidates_.size(); }
  std::span<const Candidate> candidates() const { return candidates_; }
  std::span<const std::uint8_t> bytes_of(std::size_t index) const;

 private:
  std::deque<std::string> contents_;  // a deque, because candidates point into it
  std::vector<Candidate> candidates_;
};

}  // namespace petri::bench
