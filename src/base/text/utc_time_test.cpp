#include "base/text/utc_time.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(WallTime, IsWrittenInUtcWithMicroseconds) {
  EXPECT_EQ(to_utc_text(WallTime()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_utc_text(WallTime(nanoseconds(1'700'000'000'123'456'789))), "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(to_utc_text(WallTime(nanoseconds(-1))), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_utc_text(WallTime::max()), "2262-04-11T23:47:16.854775Z");
  EXPECT_EQ(to_utc_text(WallTime::min()), "1677-09-21T00:12:43.145224Z");
}

TEST(WallTime, IsReadAsItWasWritten) {
  for (const std::int64_t count : {0L, 1'700'000'000'123'456L, -1L, 951'782'399'999'999L, 9'000'000'000'000'000L}) {
    const WallTime time{microseconds(count)};
    EXPECT_EQ(parse_utc(to_utc_text(time)), time);
  }
}

TEST(WallTime, IsReadInNoOtherForm) {
  for (const std::string_view text :
       {"", "2023-11-14T22:13:20Z", "2023-11-14 22:13:20.123456Z", "2023-11-14T22:13:20.123456",
        "2023-02-29T00:00:00.000000Z", "2023-13-01T00:00:00.000000Z", "2023-00-01T00:00:00.000000Z",
        "2023-01-00T00:00:00.000000Z", "2023-01-01T24:00:00.000000Z", "2023-01-01T00:60:00.000000Z",
        "2023-01-01T00:00:60.000000Z", "+023-01-01T00:00:00.000000Z", "2023-01-01T00:00:00.000000Zx",
        "9999-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z"})
    EXPECT_EQ(parse_utc(text), std::nullopt) << text;
}

}  // namespace
}  // namespace petri
