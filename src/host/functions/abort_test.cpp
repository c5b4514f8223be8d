// The message of an AssemblyScript program that ends itself.
#include <gmock/gmock.h>

#include "host/host_function_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Abort : public HostFunctionFixture {
 protected:
  Abort() {
    settings_.on_log = [this](LogLevel, std::string_view line) { lines_.emplace_back(line); };
  }
  // A string as AssemblyScript keeps it: its length in bytes, then UTF-16.
  std::uint32_t put_string(std::uint32_t address, std::u16string_view text) {
    put_number(address - 4, static_cast<std::uint32_t>(text.size() * 2));
    put(address, {reinterpret_cast<const char*>(text.data()), text.size() * 2});
    return address;
  }
  void abort_with(std::uint32_t message, std::uint32_t file) { call_raw("env.abort", {message, file, 3, 14}); }

  std::vector<std::string> lines_;
};

TEST_P(Abort, WritesItsMessageAndPlaceToTheLog) {
  start();
  abort_with(put_string(104, u"no \u00fc\U0001F600 left"), put_string(204, u"assembly/index.ts"));
  EXPECT_EQ(last_.kind, EndKind::returned);
  EXPECT_THAT(lines_, ElementsAre("abort: no \u00fc\U0001F600 left in assembly/index.ts(3:14)"));
}

TEST_P(Abort, WritesToStandardErrorWhereSomebodyTakesIt) {
  std::string taken;
  const std::function<void(std::string_view)> on_stderr = [&](std::string_view bytes) { taken += bytes; };
  settings_.on_stderr = &on_stderr;
  start();
  abort_with(put_string(104, u"no"), 0);
  EXPECT_EQ(taken, "abort: no in an unnamed file(3:14)\n");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_P(Abort, WritesNothingWithoutThePermissionToLog) {
  settings_.permissions = all().without(Permission::log);
  start();
  abort_with(put_string(104, u"no"), 0);
  EXPECT_THAT(lines_, IsEmpty());
}

// E10
TEST_P(Abort, ReadsNothingOutsideTheMemoryAndNoMoreThanItShows) {
  start();
  put_number<std::uint32_t>(100, 0xFFFF'FFFF);
  abort_with(104, 0xFFFF'FFF0);
  abort_with(3, 131'072);
  put_string(1'004, std::u16string(600, u'x'));
  abort_with(1'004, put_string(204, u"\xD83D"));
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[1], "abort: no message in an unnamed file(3:14)");
  EXPECT_EQ(lines_[2], "abort: " + std::string(512, 'x') + " in \uFFFD(3:14)");
}

PETRI_IN_BOTH_TIERS(Abort);

}  // namespace
}  // namespace petri
