#include "security/block_list.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

ArtifactId numbered(std::uint32_t number) {
  ArtifactId id;
  for (std::size_t byte = 0; byte < 4; ++byte) id.bytes[byte] = static_cast<std::uint8_t>(number >> (8 * byte));
  return id;
}

TEST(BlockList, FindsWhatIsBlockedUntilItIsUnblocked) {
  BlockList list;
  EXPECT_EQ(list.find(numbered(1)), std::nullopt);
  ASSERT_TRUE(list.add(numbered(1), "ticket 42"));
  EXPECT_EQ(list.find(numbered(1)), "ticket 42");
  EXPECT_EQ(list.find(numbered(2)), std::nullopt);
  ASSERT_TRUE(list.add(numbered(1), "ticket 43"));
  ASSERT_EQ(list.all().size(), 1U);
  EXPECT_EQ(list.all().front().reason, "ticket 43");
  ASSERT_TRUE(list.remove(numbered(1)));
  EXPECT_EQ(list.find(numbered(1)), std::nullopt);
  EXPECT_EQ(list.remove(numbered(1)).error().code, ErrorCode::not_found);
}

TEST(BlockList, IsBounded) {
  BlockList list;
  EXPECT_EQ(list.add(numbered(0), std::string(BlockList::kReasonBytesMax + 1, 'x')).error().code, ErrorCode::too_large);
  for (std::uint32_t number = 0; number < kBlockedArtifactsMax; ++number) ASSERT_TRUE(list.add(numbered(number), ""));
  EXPECT_EQ(list.add(numbered(kBlockedArtifactsMax), "").error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(list.add(numbered(7), "changed"));
  EXPECT_EQ(list.size(), kBlockedArtifactsMax);
}

}  // namespace
}  // namespace petri
