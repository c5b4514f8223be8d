// Evaluations on the workers of a runtime.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "petri/evaluate.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

class RuntimeEvaluateTest : public RuntimeFixture {
 protected:
  static std::string adder(int which) {
    return fmt::format(R"((module (func (export "f") (param i32) (result i32)
      (i32.add (local.get 0) (i32.const {})))))",
                       which);
  }
  static std::vector<Candidate> candidates(const std::vector<std::string>& texts) {
    std::vector<Candidate> all;
    for (const std::string& text : texts) all.push_back(Candidate::wat(text));
    return all;
  }
  static EvaluationSpec spec() { return {.function = "f", .fuel_max = 1'000'000}; }
  std::uint64_t metric(std::string_view series) const {
    const std::string text = runtime_->metrics();
    const std::size_t at = text.find("\n" + std::string(series) + " ");
    return at == std::string::npos ? 404 : std::stoull(text.substr(at + series.size() + 2));
  }

  const std::vector<Case> cases_{{.arguments = {1}}, {.arguments = {2}}};
};

TEST_F(RuntimeEvaluateTest, GivesTheRecordsThatAnEvaluatorGives) {
  std::vector<std::string> texts;
  for (int which = 0; which < 100; ++which) texts.push_back(adder(which % 90));
  texts.emplace_back("(module (func (export \"f\") (param i32) (result i32) (loop $l (br $l)) (i32.const 0)))");
  const auto here = runtime_->evaluate(candidates(texts), cases_, spec());
  ASSERT_TRUE(here) << here.error().message;
  Evaluator evaluator;
  const auto there = evaluator.evaluate(candidates(texts), cases_, spec());
  ASSERT_TRUE(there);
  ASSERT_EQ(here->records.size(), there->records.size());
  for (std::size_t row = 0; row < here->records.size(); ++row) {
    EXPECT_EQ(here->records[row].receipt, there->records[row].receipt) << row;
    EXPECT_EQ(here->records[row].value_bits, there->records[row].value_bits) << row;
  }
  EXPECT_EQ(here->counts.repeated, 10U);
  EXPECT_EQ(here->records.back().outcome, OutcomeKind::out_of_fuel);
}

// F15
TEST_F(RuntimeEvaluateTest, KeepsEveryScoreAsItIs) {
  const std::vector<double> scores{NAN, -NAN, INFINITY, -INFINITY, -0.0, 5e-324, -5e-324};
  std::vector<std::string> texts;
  for (std::size_t which = 0; which < scores.size(); ++which) texts.push_back(adder(static_cast<int>(which)));
  EvaluationOptions options;
  options.scorer = [&](std::size_t row, std::span<const CaseView>) { return scores[row]; };
  const auto evaluated = runtime_->evaluate(candidates(texts), cases_, spec(), options);
  ASSERT_TRUE(evaluated) << evaluated.error().message;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    ASSERT_TRUE(evaluated->records[row].score) << row;
    const double kept = *evaluated->records[row].score;
    const bool same = std::isnan(scores[row]) ? std::isnan(kept)
                                              : kept == scores[row] && std::signbit(kept) == std::signbit(scores[row]);
    EXPECT_TRUE(same) << scores[row] << " became " << kept;
  }
}

// hostile G17: sandboxes come and go while their runtime evaluates, and each verb has its own answer.
TEST_F(RuntimeEvaluateTest, ContinuesWhileSandboxesAreDestroyedAndCreatedAgain) {
  std::vector<std::string> texts;
  for (int which = 0; which < 400; ++which) texts.push_back(adder(which));
  const auto alone = runtime_->evaluate(candidates(texts), cases_, spec());
  ASSERT_TRUE(alone);
  create(counter());
  std::atomic<bool> done{false};
  std::atomic<int> destroyed{0}, created{1};
  {
    std::vector<std::jthread> rivals;
    for (int i = 0; i < 3; ++i) {
      rivals.emplace_back([&] {
        while (!done) {
          const auto ended = runtime_->destroy("a");
          EXPECT_TRUE(ended || ended.error().code == ErrorCode::not_found);
          destroyed += ended ? 1 : 0;
          const auto made = runtime_->create_sandbox(counter());
          // One that is destroyed before it is finished was there to be destroyed.
          const bool was_there = made || made.error().code == ErrorCode::cancelled;
          EXPECT_TRUE(was_there || made.error().code == ErrorCode::already_exists) << made.error().message;
          created += was_there ? 1 : 0;
        }
      });
    }
    Evaluator fresh;  // no record of these is kept there
    const auto beside = fresh.evaluate(candidates(texts), cases_, spec());
    const auto again = runtime_->evaluate(candidates(texts), cases_, spec());
    done = true;
    ASSERT_TRUE(beside && again);
    for (std::size_t row = 0; row < texts.size(); ++row) {
      EXPECT_EQ(again->records[row].receipt, alone->records[row].receipt) << row;
      EXPECT_EQ(beside->records[row].receipt, alone->records[row].receipt) << row;
    }
  }
  EXPECT_LE(destroyed, created);
  EXPECT_EQ(runtime_->list().total, runtime_->find("a") ? 1U : 0U);
  static_cast<void>(runtime_->destroy("a"));
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
}

TEST_F(RuntimeEvaluateTest, ReportsHowItStartsAndEnds) {  // O03
  Subscription events = *runtime_->subscribe(
      {.kinds = {EventKind::evaluate_start, EventKind::evaluate_stop, EventKind::evaluate_exception}});
  const std::vector<std::string> texts{adder(1), "(module)", adder(1)};
  ASSERT_TRUE(runtime_->evaluate(candidates(texts), cases_, spec()));
  const EventPtr start = events.next(), stop = events.next();
  ASSERT_TRUE(start != nullptr && stop != nullptr);
  EXPECT_EQ(name_of(start->kind), "evaluate.start");
  EXPECT_EQ(name_of(stop->kind), "evaluate.stop");
  EXPECT_EQ(start->correlation, stop->correlation);
  EXPECT_NE(start->correlation.id, 0U);
  const auto number = [&](std::string_view key) { return std::get<std::uint64_t>(*stop->detail(key)); };
  EXPECT_EQ(number("rows"), 3U);
  EXPECT_EQ(number("evaluated"), 2U);
  EXPECT_EQ(number("repeated"), 1U);
  EXPECT_EQ(number("fuel_used"), 12U);  // three operators, twice, in two rows

  const auto failed = runtime_->evaluate(candidates(texts), {}, spec());
  ASSERT_FALSE(failed);
  EXPECT_THAT(names(events), ElementsAre("evaluate.start", "evaluate.exception"));
  EXPECT_EQ(metric("petri_evaluations_total"), 1U);
  EXPECT_EQ(metric("petri_evaluation_errors_total"), 1U);
  EXPECT_EQ(metric("petri_candidates_total{outcome=\"ok\"}"), 2U);
  EXPECT_EQ(metric("petri_candidate_errors_total{error=\"not_found\"}"), 1U);
}

// One worker: whatever answers does so between two turns of a candidate.
TEST_F(RuntimeEvaluateTest, LetsSandboxesAnswerBesideACandidateThatBurns) {
  RuntimeOptions options = without_containment();
  options.workers = 1;
  runtime_ = std::move(*Runtime::create(options));
  Sandbox sandbox = create(counter());
  std::stop_source stop;
  const std::vector<std::string> texts{
      "(module (func (export \"f\") (param i32) (result i32) (loop $l (br $l)) (i32.const 0)))"};
  EvaluationSpec endless = spec();
  endless.fuel_max = std::uint64_t{1} << 60;
  auto burning = std::async(std::launch::async, [&] {
    return runtime_->evaluate(candidates(texts), cases_, endless,
                              {.tier = Tier::interpreted, .case_time_max = 1h, .stop = stop.get_token()});
  });
  for (int count = 1; count <= 20; ++count) {
    const auto outcome = sandbox.call("next", {}, {.timeout = 60s});  // on a worker
    EXPECT_EQ(testing::not_value(outcome, count), "");
  }
  stop.request_stop();
  const auto evaluation = burning.get();
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->counts.cancelled, 1U);
}

}  // namespace
}  // namespace petri
