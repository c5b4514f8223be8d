// The state a guest written in C or C++ describes with petri.h is read, written and carried to its next version.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "petri/testing/testing.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class StateGuest : public ::testing::TestWithParam<std::string> {
 protected:
  static Source version(int number) {
    const std::string path = PETRI_GUESTS_FOLDER "/" + GetParam() + std::to_string(number) + ".wasm";
    const auto bytes = read_file(path, 1 << 20);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return Source::wasm({bytes->begin(), bytes->end()});
  }
  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create({.workers = 1}));
};

TEST_P(StateGuest, IsReadAndWrittenByTheNamesOfItsVariables) {  // T02
  auto sandbox = testing::ScopedSandbox::create(*runtime_, {.modules = {{"ledger", version(1)}}});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  EXPECT_EQ(testing::not_value((*sandbox)->call("next"), 1), "");
  const auto state = (*sandbox)->state();
  ASSERT_TRUE(state) << state.error().message;
  for (const char* field :
       {R"({"name":"hits","type":"i32","value":1})", R"({"name":"level","type":"u8","value":200})",
        R"({"name":"open","type":"boolean","value":true})", R"("name":"places.x","type":"i32","count":2,"value":[7,8])",
        R"("name":"places.height","type":"f32","count":2,"value":[0.25,0.75])",
        R"("name":"scores","type":"f64","count":3,"value":[0.5,1.5,2.5])", R"("value":"first")"}) {
    EXPECT_THAT(to_json(*state), HasSubstr(field));
  }
  ASSERT_TRUE((*sandbox)->update_state({{"hits", std::int64_t{41}}, {"places.height", 2.0, 1}}));
  EXPECT_EQ(testing::not_value((*sandbox)->call("next"), 42), "");
  EXPECT_EQ(testing::not_value((*sandbox)->call("heights"), 2.25F), "");
}

TEST_P(StateGuest, ContinuesInItsNextVersion) {  // T06, T08, T10
  auto sandbox = testing::ScopedSandbox::create(*runtime_, {.modules = {{"ledger", version(1)}}});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  EXPECT_EQ(testing::not_value((*sandbox)->call("next"), 1), "");
  ASSERT_TRUE((*sandbox)->update_state({{"title", std::string("second")}, {"scores", 9.5, 2}}));
  const auto report = (*sandbox)->reload("ledger", version(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, StateWay::described);
  EXPECT_EQ(testing::not_value((*sandbox)->call("next"), 2), "");
  EXPECT_EQ(testing::not_value((*sandbox)->call("version"), 2), "");
  const auto state = (*sandbox)->state();
  EXPECT_THAT(to_json(*state), HasSubstr(R"("name":"scores","type":"f64","count":4,"value":[0.5,1.5,9.5,0)"));
  EXPECT_THAT(to_json(*state), HasSubstr(R"("value":"second")"));
  // The optimiser may assume a value for a variable that the guest never writes, but not where the host may write.
  ASSERT_TRUE((*sandbox)->update_state({{"limit", std::int64_t{50}}}));
  EXPECT_EQ(testing::not_value((*sandbox)->call("version"), 10), "");
}

INSTANTIATE_TEST_SUITE_P(InCAndCpp, StateGuest, ::testing::Values("ledger_c", "ledger_cpp"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace petri
