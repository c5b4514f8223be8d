// Area B: one verb for many sandboxes.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>

#include "batches_fixture.h"

namespace petri {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST_F(BatchesTest, CreatesAndDestroysFiveInTheOrderOfTheInput) {  // B01
  const auto made = runtime_->create_all(counters(5));
  EXPECT_THAT(words(made), Each("ok"));
  std::vector<std::string> order;
  for (const auto& row : made) order.push_back(row->id());
  EXPECT_EQ(order, ids(5));
  EXPECT_THAT(words(runtime_->destroy_all(ids(5))), Each("ok"));
  EXPECT_EQ(runtime_->list().total, 0U);
}

TEST_F(BatchesTest, OfAnIdGivenTwiceTheFirstRowIsCarriedOut) {  // B02
  for (const unsigned workers : {1U, 2U, 8U}) {
    runtime_ = *Runtime::create({.workers = workers});
    const auto specs = [] { return std::vector{counter("a"), counter("b"), counter("a"), counter("a")}; };
    const auto made = runtime_->create_all(specs());
    EXPECT_THAT(words(made), ElementsAre("ok", "ok", "already_exists", "already_exists"));
    EXPECT_EQ(made[2].error().message, "row 0 of the batch has the id a already");
    EXPECT_THAT(words(runtime_->create_all(specs())), Each("already_exists"));
    EXPECT_THAT(words(runtime_->destroy_all({"a", "b", "a"})), ElementsAre("ok", "ok", "not_found"));
  }
}

TEST_F(BatchesTest, RowsThatAreWrongLeaveTheOthers) {  // B03
  std::vector<SandboxSpec> specs = counters(6);
  specs[1].id = "no id/";
  specs[2].limits.memory_bytes_max = 1;
  specs[3].modules[0].source = Source::wasm({'n', 'o'});
  specs[4].modules.clear();
  EXPECT_THAT(words(runtime_->create_all(specs)),
              ElementsAre("ok", "validation_failed", "validation_failed", "rejected", "validation_failed", "ok"));
  EXPECT_THAT(words(runtime_->create_all({SandboxSpec{}, SandboxSpec{}})), Each("validation_failed"));
  const std::vector<CallPayload> payloads{{.function = "add", .arguments = {1, 2}}, {.function = "add"}};
  EXPECT_THAT(words(runtime_->call_all({"s0", "s5"}, payloads)), ElementsAre("ok", "validation_failed"));
}

TEST_F(BatchesTest, PayloadsAreOneForAllOrOneForEach) {  // B03, B05
  create_counters(3);
  const auto refused = runtime_->run_all(ids(3), std::vector<RunPayload>(2));
  EXPECT_THAT(words(refused), Each("validation_failed"));
  EXPECT_EQ(refused[0].error().message,
            "run_all has 3 rows and another number of payloads; give one payload for all rows or one for each");
  EXPECT_THAT(words(runtime_->call_all(ids(3), std::vector<CallPayload>(4))), Each("validation_failed"));
  EXPECT_THAT(words(runtime_->reload_all_of(ids(3), std::vector<ReloadPayload>())), Each("validation_failed"));
}

TEST_F(BatchesTest, UnknownIdsAreRowsAndNoRowsAreNone) {  // B04
  create_counters(1);
  const RunPayload run{.module = "counter", .function = "next"};
  EXPECT_THAT(words(runtime_->run_all({"none", "s0"}, run)), ElementsAre("not_found", "ok"));
  const ReloadPayload reload{"counter", Source::wat(std::string(kCounter))};
  EXPECT_THAT(words(runtime_->reload_all_of({"s0", "\n"}, reload)), ElementsAre("ok", "not_found"));
  EXPECT_THAT(words(runtime_->call_all({"", "s0"}, CallPayload{.function = "next"})), ElementsAre("not_found", "ok"));
  EXPECT_THAT(words(runtime_->destroy_all({"none", "s0"})), ElementsAre("not_found", "ok"));

  EXPECT_THAT(runtime_->create_all({}), IsEmpty());
  EXPECT_THAT(runtime_->destroy_all({}), IsEmpty());
  EXPECT_THAT(runtime_->call_all({}, CallPayload{}), IsEmpty());
  EXPECT_THAT(runtime_->run_all({}, run), IsEmpty());
  EXPECT_THAT(runtime_->reload_all_of({}, reload), IsEmpty());
  EXPECT_THAT(runtime_->evaluate_forks("none", {}, {}, {}), IsEmpty());
}

TEST_F(BatchesTest, VeryManyRowsAreRowsToo) {  // B04
  create_counters(1);
  std::vector<std::string> many(100'000, "none");
  many.back() = "s0";
  const auto rows = runtime_->call_all(many, CallPayload{.function = "next"});
  ASSERT_EQ(rows.size(), many.size());
  EXPECT_EQ(std::ranges::count_if(rows, [](const auto& row) { return row.has_value(); }), 1);
  EXPECT_EQ(testing::not_value(rows.back(), 1), "");
}

TEST_F(BatchesTest, EachRowHasItsOwnArguments) {  // B05
  create_counters(1);
  std::vector<RunPayload> payloads;
  for (int n = 0; n < 100; ++n) payloads.push_back({.module = "counter", .function = "add", .arguments = {n, 1}});
  const auto results = runtime_->run_all(std::vector<std::string>(100, "s0"), payloads);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(testing::not_value(results[static_cast<std::size_t>(n)], n + 1), "");
  for (const auto& same : runtime_->run_all(std::vector<std::string>(10, "s0"), payloads[7]))
    EXPECT_EQ(testing::not_value(same, 8), "");
}

TEST_F(BatchesTest, CallsLiveProcessesWhichRemember) {  // B05
  create_counters(4);
  for (int turn = 1; turn <= 3; ++turn) {
    for (const auto& row : runtime_->call_all(ids(4), CallPayload{.function = "next"}))
      EXPECT_EQ(testing::not_value(row, turn), "");
  }
}

TEST_F(BatchesTest, ReloadsWithOnePayloadOrOneForEach) {  // B06, B07
  create_counters(4);
  const auto answer = [](int value) {
    return ReloadPayload{"counter",
                         Source::wat(fmt::format(R"((module (memory (export "memory") 1)
      (func (export "next") (result i32) (i32.const {}))))",
                                                 value)),
                         {.policy = ReloadPolicy{.state = StateWay::none, .drop = true, .drop_exports = true}}};
  };
  EXPECT_THAT(words(runtime_->reload_all_of(ids(4), answer(7))), Each("ok"));
  const auto again = runtime_->reload_all_of(ids(4), answer(7));
  EXPECT_TRUE(std::ranges::all_of(again, [](const auto& row) { return row && row->no_change; }));

  std::vector<ReloadPayload> own{answer(1), answer(2), answer(3), answer(4)};
  own[1].source = Source::wasm({'(', 'm', 'o', 'd', 'u', 'l', 'e', ')'});  // text, and said to be bytes
  own[2].source = Source::wat("");
  EXPECT_THAT(words(runtime_->reload_all_of(ids(4), own)), ElementsAre("ok", "rejected", "parse_failed", "ok"));
  const auto now = runtime_->call_all(ids(4), CallPayload{.function = "next"});
  EXPECT_EQ(testing::not_value(now[0], 1), "");
  EXPECT_EQ(testing::not_value(now[1], 7), "");
  EXPECT_EQ(testing::not_value(now[2], 7), "");
  EXPECT_EQ(testing::not_value(now[3], 4), "");
}

TEST_F(BatchesTest, WhenItsTimeIsOverRowsThatAreDoneKeepTheirResults) {  // B08
  create_counters(3);
  const std::vector<CallPayload> payloads{{.function = "next"}, {.function = "spin"}, {.function = "spin"}};
  const auto results = runtime_->call_all(ids(3), payloads, {.time_max = 200ms});
  EXPECT_THAT(words(results), ElementsAre("ok", "cancelled", "cancelled"));
  // Rows under way were ended, and the sandboxes take calls.
  for (const std::string& id : ids(3)) {
    Sandbox sandbox = *runtime_->find(id);
    EXPECT_EQ(testing::not_kind(sandbox.call("add", {1, 2}), OutcomeKind::ok), "");
  }
}

TEST_F(BatchesTest, ACreateThatComesTooLateIsGone) {  // B08
  std::vector<SandboxSpec> specs = counters(2);
  specs[1].modules[0].source = Source::wat("(module (func $f (loop $l (br $l))) (start $f))");
  std::stop_source stop;
  const BatchOptions options{.stop = stop.get_token(),
                             .on_progress = [&](const BatchProgress&) { stop.request_stop(); }};
  const auto made = runtime_->create_all(specs, options);
  EXPECT_THAT(words(made), ElementsAre("ok", "cancelled"));
  expect_soon([&] { return runtime_->list().total == 1 ? "" : "the second is there"; });
}

TEST_F(BatchesTest, ACreateThatIsHeldUpHoldsUpNoOther) {  // B09
  std::promise<void> go;
  std::latch others(99);
  RuntimeOptions options{.workers = 2};
  ASSERT_TRUE(options.host.define("test", "gate", [&, go = go.get_future().share()] { go.wait(); }));
  runtime_ = *Runtime::create(std::move(options));
  std::vector<SandboxSpec> specs = counters(100);
  specs[0].modules[0].source = Source::wat(R"((module (import "test" "gate" (func $gate)) (start $gate)))");
  const BatchOptions until_99{.on_progress = [&](const BatchProgress& progress) {
    if (progress.done == 99) go.set_value();
  }};
  EXPECT_THAT(words(runtime_->create_all(specs, until_99)), Each("ok"));
}

TEST_F(BatchesTest, NeverHasMoreRowsUnderWayThanAllowed) {  // B21
  std::atomic<int> now{0}, most{0};
  RuntimeOptions options{.workers = 8};
  ASSERT_TRUE(options.host.define("test", "count", [&] {
    const int here = ++now;
    for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
    }
    std::this_thread::yield();
    --now;
  }));
  runtime_ = *Runtime::create(std::move(options));
  SandboxSpec spec = counter("s");
  spec.modules[0].source =
      Source::wat(R"((module (import "test" "count" (func $count)) (func (export "f") (call $count))))");
  create(spec);
  const RunPayload run{.module = "counter", .function = "f"};
  EXPECT_THAT(words(runtime_->run_all(std::vector<std::string>(100, "s"), run, {.concurrency_max = 3})), Each("ok"));
  EXPECT_LE(most, 3);
}

TEST_F(BatchesTest, ProgressNeverFallsAndACallbackThatThrowsDoesNoHarm) {  // B19
  std::vector<std::size_t> seen;
  runtime_->create_all(counters(50),
                       {.on_progress = [&](const BatchProgress& progress) { seen.push_back(progress.done); }});
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 50U);
  const auto gone = runtime_->destroy_all(ids(50), {.on_progress = [](const BatchProgress&) { throw 1; }});
  EXPECT_THAT(words(gone), Each("ok"));
}

// A row would wait for the process whose completion waits for the batch.
TEST_F(BatchesTest, ACompletionCannotWaitForItsOwnSandbox) {  // B03
  Sandbox sandbox = create(counter("a"));
  create(counter("b"));
  std::promise<std::vector<std::string>> results;
  ASSERT_TRUE(sandbox.call_async("next", {}, {}, [&](const Result<Outcome>&) {
    auto all = words(runtime_->call_all({"a", "b"}, CallPayload{.function = "next"}));
    std::ranges::copy(words(runtime_->destroy_all({"a", "b"})), std::back_inserter(all));
    results.set_value(all);
  }));
  EXPECT_THAT(results.get_future().get(), ElementsAre("deadlock", "ok", "deadlock", "ok"));
}

TEST_F(BatchesTest, AreReportedWithTheirRowsByResult) {  // O03, O11
  Subscription events =
      *runtime_->subscribe({.kinds = {EventKind::batch_start, EventKind::batch_stop, EventKind::batch_exception}});
  runtime_->create_all({counter("a"), counter("b"), counter("a")});
  runtime_->run_all({"a"}, std::vector<RunPayload>());
  EXPECT_THAT(names(events), ElementsAre("batch.start", "batch.stop", "batch.start", "batch.exception"));
  const std::string metrics = runtime_->metrics();
  for (const std::string_view line :
       {"petri_batches_total 1\n", "petri_batch_errors_total 1\n", "petri_batch_rows_total{result=\"ok\"} 2\n",
        "petri_batch_rows_total{result=\"error\"} 1\n", "petri_batch_rows_total{result=\"cancelled\"} 0\n"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  }
}

TEST_F(BatchesTest, ARuntimeThatEndsWaitsForRowsThatCameTooLate) {  // B08
  std::vector<SandboxSpec> specs = counters(8);
  for (SandboxSpec& spec : specs)
    spec.modules[0].source = Source::wat("(module (func $f (loop $l (br $l))) (start $f))");
  EXPECT_THAT(words(runtime_->create_all(specs, {.time_max = 20ms})), Each("cancelled"));
  runtime_.reset();
}

}  // namespace
}  // namespace petri
