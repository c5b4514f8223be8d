// load_search: looks for modules that are expensive to load, or makes one that it has found.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "bench/search/load_search.h"

namespace petri::bench {
namespace {

struct Options {
  std::string stage = "interpreted";
  SearchOptions search;
  std::size_t shown = 10;
  std::string genome;  // to be weighed, or written to `file`
  std::string file;
  double dilution = 0;
};

void print(const Candidate& candidate) { fmt::print("{}\n", candidate.text()); }

Result<void> write_module(const Options& options) {
  PETRI_TRY(const Genome genome, Genome::from_text(options.genome));
  const Bytes wasm =
      genome.module({.bytes = options.search.bytes, .body_bytes = bound("body_bytes"), .dilution = options.dilution});
  std::ofstream file(options.file, std::ios::binary);
  file.write(reinterpret_cast<const char*>(wasm.data()), static_cast<std::streamsize>(wasm.size()));
  if (!file) return fail(ErrorCode::io_error, fmt::format("{} cannot be written", options.file));
  return {};
}

Result<void> weigh_one(const Options& options) {
  PETRI_TRY(const LoadSearch search, LoadSearch::create(options.search));
  PETRI_TRY(const Genome genome, Genome::from_text(options.genome));
  PETRI_TRY(Candidate candidate, search.weigh(genome, Fault::none, options.search.bytes, 5));
  PETRI_TRY(candidate, search.confirmed(std::move(candidate)));
  print(candidate);
  return {};
}

Result<void> search(const Options& options) {
  PETRI_TRY(LoadSearch search, LoadSearch::create(options.search));
  PETRI_TRY(const auto worst,
            search.run([](const Candidate& candidate) { fmt::print(stderr, "{}\n", candidate.text()); }));
  fmt::print("{}, seed {}: {} modules of {} bytes tried; a ratio of 1 is the bar\n", options.stage, options.search.seed,
             search.tried(), options.search.bytes);
  for (std::size_t i = 0; i < std::min(options.shown, worst.size()); ++i) print(worst[i]);
  if (worst.empty() || worst.front().ratio <= 1) return {};
  return fail(ErrorCode::limit_exceeded,
              fmt::format("the worst module is {:.2f} times as expensive as the bar", worst.front().ratio));
}

Result<void> perform(Options& options) {
  const auto stage = stage_from_name(options.stage);
  if (!stage) return fail(ErrorCode::validation_failed, "--stage is refuse, interpreted, compiled or scan");
  options.search.stage = *stage;
  if (!options.file.empty()) return write_module(options);
  return options.genome.empty() ? search(options) : weigh_one(options);
}

}  // namespace
}  // namespace petri::bench

int main(int argc, char** argv) {
  petri::bench::Options options;
  CLI::App app("Looks for modules that are expensive to load: pairs and triples of dimensions, then evolution");
  app.add_option("--stage", options.stage, "refuse, interpreted, compiled or scan");
  app.add_option("--seed", options.search.seed, "Another order, and another evolution");
  app.add_option("--seconds", options.search.seconds, "How long to search");
  app.add_option("--bytes", options.search.bytes, "How large the modules are");
  app.add_option("--shown", options.shown, "How many of the worst are printed");
  app.add_option("--genome", options.genome, "Weigh this one instead, as a search has printed it");
  app.add_option("--file", options.file, "Write the module of --genome to this file");
  app.add_option("--filler", options.dilution, "Bytes of filler for each of its bytes in that file");
  CLI11_PARSE(app, argc, argv);
  const auto done = petri::bench::perform(options);
  if (done) return 0;
  fmt::print(stderr, "error: {}\n", done.error().message);
  return 1;
}
