// Live processes by the functions of petri_cpp.h.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "petri/testing/testing.h"

namespace petri {
namespace {

std::vector<std::uint8_t> talker() {
  const auto bytes = read_file(PETRI_GUESTS_FOLDER "/talker.wasm", 1 << 20);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return {bytes->begin(), bytes->end()};
}

// Two processes, talker and echo, that share their code.
class CppHeaderProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    SandboxSpec spec{.modules = {{"talker", Source::wasm(talker())}},
                     .permissions = Permissions::standard().with(Permission::file_write)};
    spec.tree = SupervisorSpec{
        .children = {ChildSpec{.id = "talker", .module = "talker"}, ChildSpec{.id = "echo", .module = "talker"}}};
    auto sandbox = testing::ScopedSandbox::create(*runtime_, std::move(spec));
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(*std::move(sandbox));
  }
  std::string answer(std::string input, std::string process = "talker") {
    const auto outcome = (*sandbox_)->call("", {}, {.process = std::move(process), .input = std::move(input)});
    if (!outcome) return outcome.error().message;
    return outcome->kind == OutcomeKind::ok ? outcome->output : std::string(name_of(outcome->kind));
  }
  std::string not_ticked(const std::string& process, int wanted) {
    return testing::not_value((*sandbox_)->call("ticked", {}, {.process = process}), wanted);
  }
  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create({.workers = 2}));
  std::optional<testing::ScopedSandbox> sandbox_;
};

TEST_F(CppHeaderProcesses, CallOneAnother) {
  EXPECT_EQ(answer("hi"), "talker got hi from ");
  EXPECT_EQ(answer("ask"), "echo got hello from talker");
  EXPECT_EQ(answer("ask nobody"), "-4");
}

TEST_F(CppHeaderProcesses, SendMessagesAndSetTimers) {
  EXPECT_EQ(answer("wait"), "");
  EXPECT_EQ(answer("tell"), "");
  for (const char* const process : {"talker", "echo"}) {
    EXPECT_EQ(testing::eventually(*runtime_, [&] { return not_ticked(process, 5); }), "");
  }
}

TEST_F(CppHeaderProcesses, StartAndStopChildren) {
  EXPECT_EQ(answer("spawn"), "");
  EXPECT_EQ(answer("hi", "child"), "child got hi from ");
  EXPECT_EQ(answer("stop"), "");
  EXPECT_NE(answer("hi", "child"), "child got hi from ");
}

}  // namespace
}  // namespace petri
