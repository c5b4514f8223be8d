// A genetic loop over live sandboxes: created, called, reloaded and destroyed in batches, one in ten of them hostile.
// PETRI_GENERATIONS and PETRI_INDIVIDUALS say how large it is; the longer suite has 100 generations of 1,000.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "batches_fixture.h"
#include "environment.h"

namespace petri {
namespace {

// x -> a x x + b x + c, or something that means harm.
struct Genome {
  std::int32_t a = 0, b = 0, c = 0;
  std::uint32_t harm = 0;  // 0: none
};

constexpr std::string_view kHarms[] = {
    "(loop $l (br $l)) (i32.const 0)",  // until its fuel is spent
    "unreachable",                      //
    "(loop $l (drop (memory.grow (i32.const 1000))) (br $l)) (i32.const 0)",
    "(call $f)",  // for ever deeper
    "(i32.load (i32.const -1))",
};

// The sum of the distances from 3 x x - 5 x + 7 for x below 10.
std::string code_of(const Genome& genome) {
  if (genome.harm > 0) {
    return fmt::format("(module (memory 1) (func $f (export \"error\") (result i32) {}))", kHarms[genome.harm - 1]);
  }
  return fmt::format(
      R"((module (memory 1) (func (export "error") (result i32) (local $x i32) (local $d i32) (local $sum i32)
    (loop $next
      (local.set $d (i32.add (i32.mul (local.get $x) (i32.add (i32.mul (local.get $x) (i32.const {})) (i32.const {})))
                             (i32.const {})))
      (local.set $d (i32.sub (local.get $d) (i32.add (i32.mul (local.get $x)
        (i32.sub (i32.mul (local.get $x) (i32.const 3)) (i32.const 5))) (i32.const 7))))
      (if (i32.lt_s (local.get $d) (i32.const 0)) (then (local.set $d (i32.sub (i32.const 0) (local.get $d)))))
      (local.set $sum (i32.add (local.get $sum) (local.get $d)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1))) (i32.const 10))))
    (local.get $sum))))",
      genome.a, genome.b, genome.c);
}

class GeneticLoop {
 public:
  GeneticLoop(unsigned workers, std::size_t individuals) : count_(individuals) {
    RuntimeOptions options = without_containment();
    options.workers = workers;
    options.gc_interval = std::chrono::nanoseconds(0);
    options.defaults.breaker = BreakerOptions{.limits_max = 0};
    options.limits = {.memory_bytes_max = 1 << 20, .fuel_max = 10'000};
    options.audit.entries_max = 100;
    runtime_ = *Runtime::create(std::move(options));
  }

  // All records, a line each; the best one is the first of the last generation.
  std::string evolve(std::size_t generations) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < count_; ++i) members.push_back(born({}, 0));
    add(members, 0);
    for (std::size_t generation = 1;; ++generation) {
      score(members);
      note(members, generation);
      if (generation == generations) break;
      select(members, generation);
    }
    destroy(members);
    return records_;
  }
  std::uint64_t best() const { return best_; }
  Runtime& runtime() { return *runtime_; }

 private:
  struct Member {
    std::string id;
    std::string parent;
    Genome genome;
    std::uint64_t error = UINT64_MAX;
    std::uint64_t fuel = 0;
    std::string outcome;
  };

  std::int32_t random(std::int32_t range) {
    return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(2 * range + 1)) - range;
  }
  std::uint32_t harm() {
    return random_() % 10 == 0 ? 1 + static_cast<std::uint32_t>(random_() % std::size(kHarms)) : 0;
  }
  Member born(const Member& parent, std::int32_t step) {
    Member child{.id = fmt::format("i{}", ++last_), .parent = parent.id, .genome = parent.genome};
    child.genome = step == 0 ? Genome{random(20), random(20), random(20), 0}
                             : Genome{child.genome.a + random(step), child.genome.b + random(step),
                                      child.genome.c + random(step), 0};
    child.genome.harm = harm();
    return child;
  }

  void add(const std::vector<Member>& members, std::uint64_t generation) {
    std::vector<SandboxSpec> specs;
    for (const Member& member : members) {
      specs.push_back({.id = member.id,
                       .modules = {{"m", Source::wat(code_of(member.genome))}},
                       .tree = SupervisorSpec{.intensity = 1'000, .children = {ChildSpec{.id = "c", .module = "m"}}},
                       .labels = {"loop"},
                       .generation = generation,
                       .deterministic = true});
    }
    for (const auto& row : runtime_->create_all(std::move(specs))) EXPECT_TRUE(row) << row.error();
  }
  static std::vector<std::string> ids_of(const std::vector<Member>& members) {
    std::vector<std::string> ids;
    for (const Member& member : members) ids.push_back(member.id);
    return ids;
  }
  void score(std::vector<Member>& members) {
    const auto rows = runtime_->call_all(ids_of(members), CallPayload{.function = "error"});
    for (std::size_t i = 0; i < members.size(); ++i) {
      Member& member = members[i];
      ASSERT_TRUE(rows[i]) << rows[i].error();
      member.outcome = name_of(rows[i]->kind);
      member.fuel = rows[i]->fuel_used;
      const bool ok = rows[i]->kind == OutcomeKind::ok;
      member.error = ok ? static_cast<std::uint64_t>(rows[i]->values[0].i32()) : UINT64_MAX;
    }
    std::ranges::stable_sort(members, {}, &Member::error);
  }
  void note(const std::vector<Member>& members, std::size_t generation) {
    best_ = members.front().error;
    for (const Member& member : members) {
      records_ += fmt::format("{} {} {} {} {} {}\n", generation, member.id, member.parent, member.outcome, member.error,
                              member.fuel);
    }
  }
  // The better half stays; of the others one half gets the code of a child, the rest is replaced by new sandboxes.
  void select(std::vector<Member>& members, std::uint64_t generation) {
    const std::size_t half = members.size() / 2, quarter = members.size() / 4;
    std::vector<ReloadPayload> codes;
    std::vector<std::string> reloaded;
    for (std::size_t i = half; i < half + quarter; ++i) {
      Member child = born(members[static_cast<std::size_t>(random_()) % half], 3);
      child.id = members[i].id;
      members[i] = std::move(child);
      reloaded.push_back(members[i].id);
      codes.push_back({"m",
                       Source::wat(code_of(members[i].genome)),
                       {.policy = ReloadPolicy{.state = StateWay::none, .drop = true, .trial = {.calls = 0}}}});
    }
    for (const auto& row : runtime_->reload_all_of(std::move(reloaded), std::move(codes)))
      EXPECT_TRUE(row) << row.error();
    destroy({members.begin() + static_cast<std::ptrdiff_t>(half + quarter), members.end()});
    members.resize(half + quarter);
    std::vector<Member> young;
    while (members.size() + young.size() < count_)
      young.push_back(born(members[static_cast<std::size_t>(random_()) % half], 3));
    add(young, generation);
    members.insert(members.end(), young.begin(), young.end());
  }
  void destroy(const std::vector<Member>& members) {
    for (const auto& row : runtime_->destroy_all(ids_of(members))) EXPECT_TRUE(row) << row.error();
  }

  const std::size_t count_;
  std::unique_ptr<Runtime> runtime_;
  std::mt19937_64 random_{17};
  std::uint64_t last_ = 0, best_ = UINT64_MAX;
  std::string records_;
};

TEST(GeneticLoopTest, HasTheSameRecordsWithAnyNumberOfWorkersAndLeavesNothing) {  // B01, B05, B06
  const auto generations = static_cast<std::size_t>(count_from_environment("PETRI_GENERATIONS", 12));
  const auto individuals = static_cast<std::size_t>(count_from_environment("PETRI_INDIVIDUALS", 60));
  std::string first;
  for (const unsigned workers : {1U, 2U, 8U}) {
    GeneticLoop loop(workers, individuals);
    const std::string records = loop.evolve(generations);
    if (first.empty()) first = records;
    EXPECT_EQ(records == first, true) << "with " << workers << " workers";
    EXPECT_NE(records.find("out_of_fuel"), std::string::npos);
    EXPECT_LT(loop.best(), 1'000U);
    EXPECT_EQ(loop.runtime().list().total, 0U);
    EXPECT_EQ(loop.runtime().info().artifacts, 0U);
    EXPECT_EQ(loop.runtime().info().memory_bytes, 0U);
  }
}

}  // namespace
}  // namespace petri
