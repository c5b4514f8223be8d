#include "report/page/html.h"

#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

TEST(Html, LeavesNoMarkupInText) {
  EXPECT_EQ(html_text("<script>a & b</script>"), "&lt;script&gt;a &amp; b&lt;/script&gt;");
  EXPECT_EQ(html_text("\" onload='x'"), "&quot; onload=&#39;x&#39;");
}

TEST(Html, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(html_text("a\x1b[31m\n\xff"), "a\\x1b[31m\\n\\xff");
  EXPECT_EQ(html_text("\u202e"), "\\u{202e}");
}

TEST(Html, CutsTextBeforeItIsEscaped) { EXPECT_EQ(html_text("<<<<<<<<", 6), "&lt;&lt;&lt;…"); }

TEST(Html, TellsSmallSharesFromNone) {
  EXPECT_EQ(percent_text(0, 10), "0 %");
  EXPECT_EQ(percent_text(1, 100'000), "&lt; 0.1 %");
  EXPECT_EQ(percent_text(1, 8), "12.5 %");
  EXPECT_EQ(percent_text(99'999, 100'000), "&gt; 99.9 %");
  EXPECT_EQ(percent_text(8, 8), "100 %");
}

TEST(Html, WritesScoresThatAreNoNumbers) {
  EXPECT_EQ(score_text(0.1), "0.1");
  EXPECT_EQ(score_text(-INFINITY), "-inf");
  EXPECT_EQ(score_text(std::nullopt), "none");
}

}  // namespace
}  // namespace petri
