#include "developer/bench.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace petri::developer {
namespace {

// The output of the command, and how it ended.
struct Answer {
  cli::ExitCode code;
  std::string out;
  std::string error;
};

std::string drain(const std::array<int, 2>& pipe) {
  ::close(pipe[1]);
  std::string text(1 << 16, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pipe[0], text.data(), text.size()))));
  ::close(pipe[0]);
  return text;
}

Answer ask(const std::vector<bench::Benchmark>& benchmarks, const BenchOptions& options) {
  std::array<int, 2> out{};
  std::array<int, 2> error{};
  EXPECT_EQ(::pipe(out.data()), 0);
  EXPECT_EQ(::pipe(error.data()), 0);
  cli::Console console{.out = {out[1], "stdout"}, .error = {error[1], "stderr"}};
  const cli::ExitCode code = run_benchmarks(benchmarks, options, console);
  return {code, drain(out), drain(error)};
}

std::vector<bench::Benchmark> some() {
  return {
      {"half_us", "us", "half of it", "<= 1", [] { return bench::Measurement{.value = {1, 0.025}, .reference = 2}; }},
      {"alone_mib", "MiB", "no reference", "", [] { return bench::Measurement{.value = 3}; }},
      {"broken_us", "us", "cannot", "",
       []() -> Result<bench::Measurement> { return fail(ErrorCode::host_fault, "no engine"); }}};
}

TEST(Bench, PrintsOneJsonObjectALineWithTheRatio) {
  const Answer answer = ask(some(), {.names = {"half_us", "alone_mib"}, .json = true});
  EXPECT_EQ(answer.code, cli::ExitCode::ok);
  EXPECT_EQ(
      answer.out,
      "{\"name\":\"half_us\",\"value\":1.0,\"unit\":\"us\",\"spread\":0.025,\"reference\":2.0,\"ratio\":0.5}\n"
      "{\"name\":\"alone_mib\",\"value\":3.0,\"unit\":\"MiB\",\"spread\":null,\"reference\":null,\"ratio\":null}\n");
}

TEST(Bench, PrintsATableForPeople) {
  const Answer answer = ask(some(), {.names = {"half_us"}});
  EXPECT_NE(answer.out.find("reference"), std::string::npos);
  EXPECT_NE(answer.out.find("half_us"), std::string::npos);
  EXPECT_NE(answer.out.find("0.5  <= 1"), std::string::npos) << answer.out;
}

TEST(Bench, ShowsWhatAValueIsMadeOfWhenAskedTo) {
  const std::vector<bench::Benchmark> one{
      {"mean_x", "x", "a mean", "",
       [] { return bench::Measurement{.value = 2, .notes = {"1 of one", "4 of another"}}; }}};
  EXPECT_EQ(ask(one, {}).out.find("another"), std::string::npos);
  EXPECT_NE(ask(one, {.verbose = true}).out.find("\n    1 of one\n    4 of another\n"), std::string::npos);
  EXPECT_NE(ask(one, {.verbose = true, .json = true}).out.find("\"notes\":[\"1 of one\",\"4 of another\"]"),
            std::string::npos);
}

TEST(Bench, ContinuesAfterOneThatCannotBeMeasured) {
  const Answer answer = ask(some(), {.names = {"broken_us", "half_us"}});
  EXPECT_EQ(answer.code, cli::ExitCode::host_failure);
  EXPECT_EQ(answer.error, "error: broken_us: no engine\n");
  EXPECT_NE(answer.out.find("half_us"), std::string::npos);
}

TEST(Bench, ListsWithoutMeasuring) {
  const Answer answer = ask(some(), {.list = true});
  EXPECT_EQ(answer.code, cli::ExitCode::ok);
  EXPECT_NE(answer.out.find("half of it (<= 1 us)"), std::string::npos) << answer.out;
}

TEST(Bench, RunsLongOnesOnlyWhenTheyAreNamed) {
  std::vector<bench::Benchmark> benchmarks = some();
  benchmarks[0].only_when_named = true;
  benchmarks.pop_back();
  EXPECT_EQ(ask(benchmarks, {}).out.find("half_us"), std::string::npos);
  EXPECT_NE(ask(benchmarks, {}).out.find("alone_mib"), std::string::npos);
  EXPECT_NE(ask(benchmarks, {.names = {"half_us"}}).out.find("half_us"), std::string::npos);
  EXPECT_NE(ask(benchmarks, {.list = true}).out.find("half_us"), std::string::npos);
}

TEST(Bench, NamesTheNearestWhenAskedForOneThereIsNot) {
  std::vector<bench::Benchmark> benchmarks;
  for (const char* name : {"prepare_us", "swap_us", "swap_load_us", "evaluate_per_second", "evaluate_ratio"})
    benchmarks.push_back({.name = name});
  const Answer answer = ask(benchmarks, {.names = {"evaluate_per_secnd"}});
  EXPECT_EQ(answer.code, cli::ExitCode::bad_input);
  EXPECT_EQ(answer.error,
            "error: there is no benchmark \"evaluate_per_secnd\"; the nearest are evaluate_per_second, evaluate_ratio, "
            "prepare_us; `petri-dev bench --list` names all\n");
  EXPECT_EQ(ask(benchmarks, {.names = {"swap"}}).error,
            "error: there is no benchmark \"swap\"; the nearest are swap_us, swap_load_us, prepare_us; "
            "`petri-dev bench --list` names all\n");
}

TEST(Bench, ShowsTheSpreadBesideEachValue) {
  const Answer answer = ask(some(), {.names = {"half_us", "alone_mib"}});
  EXPECT_EQ(answer.out,
            "name                                        value unit       spread    reference    ratio  bar\n"
            "half_us                                         1 us         +-2.5%            2      0.5  <= 1\n"
            "alone_mib                                       3 MiB             -            -        -\n");
  EXPECT_EQ(answer.error, "");
}

TEST(Bench, SaysThatTheMachineIsNoisyWhenSamplesLieFarApart) {
  std::vector<bench::Benchmark> benchmarks = some();
  benchmarks.pop_back();
  benchmarks.push_back({"wild_us", "us", "wild", "", [] { return bench::Measurement{.value = {5, 0.31}}; }});
  const Answer answer = ask(benchmarks, {});
  EXPECT_EQ(answer.code, cli::ExitCode::ok);
  EXPECT_EQ(answer.error,
            "note: the machine is noisy: samples lie more than 10 % apart in wild_us; measure again when nothing else "
            "runs\n");
}

TEST(Bench, RegistersEachNameOnce) {
  for (const bench::Benchmark& one : bench::benchmarks()) {
    const auto same = [&](const bench::Benchmark& other) { return other.name == one.name; };
    EXPECT_EQ(std::count_if(bench::benchmarks().begin(), bench::benchmarks().end(), same), 1) << one.name;
    EXPECT_FALSE(one.what.empty()) << one.name;
  }
}

}  // namespace
}  // namespace petri::developer
