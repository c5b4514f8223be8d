// Looks for modules that are expensive to load: pairs and triples of dimensions at their bounds, then evolution.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/search/genome.h"
#include "bench/search/load_cost.h"

namespace petri::bench {

struct Candidate {
  Genome genome;
  Fault fault = Fault::none;
  std::size_t module_bytes = 0;
  double dilution = 0;
  LoadCost cost;
  double ratio = 0;           // to what is allowed: 1 is the bar
  bool is_confirmed = false;  // weighed beside ordinary code

  std::string text() const;  // one line
};

struct SearchOptions {
  Stage stage = Stage::interpreted;
  std::uint64_t seed = 1;
  double seconds = 60;           // of searching; the worst is confirmed after that
  std::size_t bytes = 16 << 10;  // of the modules
  std::size_t kept = 40;         // the worst that are kept and bred from
};

// The allowed cost: for a refusal 5 ms and 50 ms per MiB, else three times what an ordinary module costs per byte.
class Bar {
 public:
  static Result<Bar> create(Stage stage);
  double ratio_of(const LoadCost& cost, std::size_t bytes) const;
  // Weighs the module some times in turn with the ordinary one and takes the median of the ratios: what slows the
  // machine down slows both.
  Result<double> ratio_beside_ordinary(const Bytes& wasm) const;

 private:
  explicit Bar(Stage stage) : stage_(stage) {}
  Result<double> ordinary_seconds_per_byte(int times) const;

  Stage stage_;
  Bytes ordinary_;  // none for a refusal
  double empty_ = 0;
  double ordinary_per_byte_ = 0;
};

class LoadSearch {
 public:
  static Result<LoadSearch> create(const SearchOptions& options);

  // The worst found, the worst first. `on_found` is called for each that is worse than all before.
  Result<std::vector<Candidate>> run(const std::function<void(const Candidate&)>& on_found);
  // One genome, at the density that the gate accepts; ratio 0 when it accepts none.
  Result<Candidate> weigh(const Genome& genome, Fault fault, std::size_t bytes, int times) const;
  // The same weighed once more, beside ordinary code.
  Result<Candidate> confirmed(Candidate candidate) const;
  std::size_t tried() const { return tried_; }

 private:
  LoadSearch(const SearchOptions& options, Bar bar) : options_(options), bar_(std::move(bar)), random_(options.seed) {}

  Result<void> try_pairs();
  Result<void> try_triples();
  Result<void> evolve();
  Result<void> confirm_worst();
  Result<void> try_one(const Genome& genome);
  Genome mutated(Genome genome);
  void keep(Candidate candidate);
  void sort_worst();
  bool has_time() const;
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  SearchOptions options_;
  Bar bar_;
  std::mt19937_64 random_;
  std::function<void(const Candidate&)> on_found_;
  std::vector<Candidate> worst_;
  std::size_t tried_ = 0;
  double end_ = 0;
};

}  // namespace petri::bench
