// For tests: evolves formulas for x^6 + x^5 + x^4 + x^3 + x^2 + x and leaves the records, with the accidents that
// evolution has: loops, traps, texts that do not parse, imports that are not there. The same file every time.
//   evolution FILE ROWS [SUFFIX]     what every name ends with
#include <petri/evaluate.h>
#include <petri/records.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kPopulation = 200;
constexpr std::size_t kGenomeMax = 60;

using Genome = std::string;  // postfix: x, the digits 1 to 9, + - * /

struct Individual {
  Genome genome;
  std::string text;
  petri::Origin origin;
  petri::ArtifactId id;
  double score = NAN;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

bool is_operator(char symbol) { return symbol == '+' || symbol == '-' || symbol == '*' || symbol == '/'; }

// Where the subtree that ends at `last` starts.
std::size_t subtree_begin(const Genome& genome, std::size_t last) {
  for (int needed = 1;; --last) {
    needed += is_operator(genome[last]) ? 1 : -1;
    if (needed == 0) return last;
  }
}

Genome random_tree(Random& random, int depth) {
  if (depth == 0 || random.one_in(4))
    return random.one_in(3) ? Genome(1, static_cast<char>('1' + random.below(9))) : "x";
  return random_tree(random, depth - 1) + random_tree(random, depth - 1) + "+-*/"[random.below(4)];
}

Genome random_subtree(Random& random, const Genome& genome) {
  const std::size_t last = random.below(genome.size());
  const std::size_t begin = subtree_begin(genome, last);
  return genome.substr(begin, last + 1 - begin);
}

Genome with_subtree_replaced(Random& random, const Genome& genome, const Genome& replacement) {
  const std::size_t last = random.below(genome.size());
  Genome child = genome;
  const std::size_t begin = subtree_begin(genome, last);
  child.replace(begin, last + 1 - begin, replacement);
  return child.size() > kGenomeMax ? genome : child;
}

std::string code_of(char symbol) {
  switch (symbol) {
    case 'x': return "local.get 0 ";
    case '+': return "f64.add ";
    case '-': return "f64.sub ";
    case '*': return "f64.mul ";
    case '/': return "f64.div ";
    default: return std::string("f64.const ") + symbol + " ";
  }
}

std::string module_with(const std::string& body, const std::string& before = "") {
  return "(module " + before + "(memory 1) (func $f (export \"f\") (param f64) (result f64) " + body + "))";
}

std::string text_of(const Genome& genome) {
  std::string body;
  for (const char symbol : genome) body += code_of(symbol);
  return module_with(body);
}

// A program that goes wrong in one of the ways there are.
std::string damaged(Random& random, const Genome& genome) {
  std::string body;
  for (const char symbol : genome) body += code_of(symbol);
  switch (random.below(9)) {
    case 0: return module_with("(loop (br 0)) " + body);
    case 1: return module_with("local.get 0 call $f drop " + body);
    case 2: return module_with("unreachable " + body);
    case 3: return module_with("(drop (i32.div_s (i32.const 1) (i32.const 0))) " + body);
    case 4: return module_with("(drop (i32.load (i32.const 9999999))) " + body);
    case 5: return module_with("f64.add " + body);
    case 6: return module_with(body, "(import \"<script>\" \"</p><b id=owned>\" (func)) ");
    case 7:
      return module_with("(call $exit (i32.const 3)) " + body, "(import \"petri\" \"exit\" (func $exit (param i32))) ");
    default: return "(module (func (export \"f\") (param f64) (result f64) " + body;
  }
}

class Evolution {
 public:
  Evolution(petri::RecordsWriter& writer, std::string suffix) : writer_(writer), suffix_(std::move(suffix)) {
    spec_ = {.function = "f", .fuel_max = 20'000, .memory_bytes_max = 1 << 20, .seed = 11};
    for (int point = 0; point < 20; ++point) {
      const double x = -1 + 0.1 * point;
      cases_.push_back({.arguments = {petri::Value(x)}});
      double sum = 0;
      for (int power = 6; power > 0; --power) sum = (sum + 1) * x;
      spec_.targets.push_back(sum);
    }
  }

  bool run(std::size_t rows) {
    for (std::size_t made = 0, generation = 0; made < rows; ++generation) {
      std::vector<Individual> next = breed(std::min(kPopulation, rows - made), generation);
      if (!evaluate(next)) return false;
      made += next.size();
      population_ = std::move(next);
    }
    return true;
  }

 private:
  const Individual& tournament() {
    const Individual* best = &population_[random_.below(population_.size())];
    for (int turn = 0; turn < 4; ++turn) {
      const Individual& other = population_[random_.below(population_.size())];
      if (other.score < best->score || std::isnan(best->score)) best = &other;
    }
    return *best;
  }

  Individual first(std::size_t number) {
    return {.genome = random_tree(random_, 2 + static_cast<int>(number % 4)), .origin = {.mutation = "random"}};
  }

  Individual elite() const {
    Individual best = *std::min_element(population_.begin(), population_.end(), [](const auto& a, const auto& b) {
      return a.score < b.score || (std::isnan(b.score) && !std::isnan(a.score));
    });
    best.origin = {.parents = {best.id}, .mutation = "elite"};
    return best;
  }

  Individual child() {
    const Individual& mother = tournament();
    if (random_.one_in(12)) {
      return {.genome = mother.genome,
              .text = damaged(random_, mother.genome),
              .origin = {.parents = {mother.id}, .mutation = "accident"}};
    }
    if (random_.one_in(4)) {
      return {.genome = with_subtree_replaced(random_, mother.genome, random_tree(random_, 2)),
              .origin = {.parents = {mother.id}, .mutation = "subtree"}};
    }
    const Individual& father = tournament();
    return {.genome = with_subtree_replaced(random_, mother.genome, random_subtree(random_, father.genome)),
            .origin = {.parents = {mother.id, father.id}, .mutation = "crossover"}};
  }

  std::vector<Individual> breed(std::size_t count, std::size_t generation) {
    std::vector<Individual> next;
    for (std::size_t number = 0; number < count; ++number) {
      next.push_back(generation == 0 ? first(number) : number == 0 ? elite() : child());
      Individual& made = next.back();
      if (made.text.empty()) made.text = text_of(made.genome);
      made.origin.generation = generation;
      made.origin.name = made.genome + suffix_;
    }
    return next;
  }

  bool evaluate(std::vector<Individual>& population) {
    std::vector<petri::Candidate> candidates;
    for (const Individual& one : population) candidates.push_back(petri::Candidate::wat(one.text).from(one.origin));
    const auto evaluation = evaluator_.evaluate(candidates, cases_, spec_, {.records = &writer_});
    if (!evaluation || evaluation->write_error) return false;
    for (std::size_t row = 0; row < population.size(); ++row) {
      const petri::Record& record = evaluation->records[row];
      population[row].score = record.score.value_or(NAN);
      if (record.artifact) population[row].id = *record.artifact;
    }
    return true;
  }

  petri::RecordsWriter& writer_;
  const std::string suffix_;
  petri::Evaluator evaluator_;
  petri::EvaluationSpec spec_;
  std::vector<petri::Case> cases_;
  std::vector<Individual> population_;
  Random random_{5};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: evolution FILE ROWS [SUFFIX]\n");
    return 2;
  }
  const auto writer = petri::RecordsWriter::create(argv[1]);
  if (!writer || !Evolution(**writer, argc == 4 ? argv[3] : "").run(std::strtoull(argv[2], nullptr, 10)) ||
      !(*writer)->close()) {
    std::fprintf(stderr, "%s: the records could not be made\n", argv[1]);
    return 1;
  }
  return 0;
}
