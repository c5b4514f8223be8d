#include "base/complaints.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Complaints, AreOneSentenceWithADetailForEach) {
  Complaints complaints;
  EXPECT_TRUE(complaints.result());
  complaints.add("limits", "is not an object");
  complaints.add("", "has no id");
  complaints.add_sentence("id", "an id has letters and digits");
  const auto result = complaints.result();
  EXPECT_EQ(
      result.error(),
      (Error{.code = ErrorCode::validation_failed,
             .message = "limits is not an object; it has no id; id: an id has letters and digits",
             .details = {{"limits", "is not an object"}, {"", "has no id"}, {"id", "an id has letters and digits"}}}));
}

TEST(Complaints, StandBehindAnOpeningWithTheirFieldsAndDetails) {
  Complaints complaints;
  EXPECT_TRUE(complaints.result(ErrorCode::state_incompatible, "the state cannot be used"));
  complaints.add_clause("a", "two fields are called \"a\"", {{"reason", "twice"}});
  complaints.add_clause("", "there are 0 fields");
  EXPECT_EQ(complaints.result(ErrorCode::state_incompatible, "the state cannot be used").error(),
            (Error{.code = ErrorCode::state_incompatible,
                   .message = "the state cannot be used: two fields are called \"a\"; there are 0 fields",
                   .details = {{"field", "a"}, {"reason", "twice"}}}));
}

TEST(Complaints, CoverTheirPlaceAndWhatIsInIt) {
  Complaints complaints;
  complaints.add("tree.children[1]", "is not an object");
  EXPECT_TRUE(complaints.covers("tree.children[1]"));
  EXPECT_TRUE(complaints.covers("tree.children[1].module"));
  EXPECT_FALSE(complaints.covers("tree.children[10]"));
  EXPECT_FALSE(complaints.covers("tree"));
}

TEST(Complaints, BeyondTheFirstHundredAreOnlyCounted) {
  Complaints complaints;
  for (std::size_t i = 0; i < Complaints::kKeptMax + 3; ++i) complaints.add("a", "b");
  EXPECT_EQ(complaints.kept().size(), Complaints::kKeptMax);
  EXPECT_TRUE(complaints.message().ends_with("a b; and 3 more"));
}

}  // namespace
}  // namespace petri
