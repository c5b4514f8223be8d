#include "developer/candidates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <sstream>

#include "bench/mix/mixed_program.h"
#include "cli/json.h"

namespace petri::developer {
namespace {

std::vector<cli::Json> lines_of(const CandidatesOptions& options) {
  std::array<int, 2> out{};
  EXPECT_EQ(::pipe(out.data()), 0);
  cli::Console console{.out = {out[1], "stdout"}, .error = {STDERR_FILENO, "stderr"}};
  EXPECT_EQ(execute(options, console), cli::ExitCode::ok);
  ::close(out[1]);
  std::string text(1 << 16, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(out[0], text.data(), text.size()))));
  ::close(out[0]);
  std::vector<cli::Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(cli::Json::parse(line));
  return lines;
}

TEST(Candidates, ArePrintedWithTheirModuleTheirTextsAndTheirScore) {
  const std::vector<cli::Json> lines = lines_of({.first = 7, .count = 6});
  ASSERT_EQ(lines.size(), 6U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto program = bench::mix::draw_program(bench::mix::kMixSeed, 7 + i);
    EXPECT_EQ(lines[i]["number"], 7 + i);
    EXPECT_EQ(lines[i]["shape"], bench::mix::name_of(program.shape));
    EXPECT_EQ(lines[i]["wasm"].get<std::string>().substr(0, 16), "0061736d01000000");
    EXPECT_EQ(lines[i]["python"], bench::mix::python_of(program));
    EXPECT_EQ(lines[i]["javascript"], bench::mix::javascript_of(program));
    double sum = 0;
    for (double x = 0; x < 20; ++x)
      sum += std::pow(bench::mix::value_of(program, x) - (x + x * x + x * x * x + x * x * x * x), 2);
    EXPECT_DOUBLE_EQ(lines[i]["score"].get<double>(), sum);
  }
}

}  // namespace
}  // namespace petri::developer
