#include "evaluation/cache/record_cache.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

RecordCache::Key key(std::uint8_t candidate, std::uint8_t spec = 0) {
  RecordCache::Key key{};
  key.candidate.bytes.back() = candidate;  // all of them fall into the same set
  key.spec.bytes.back() = spec;
  return key;
}

TEST(RecordCache, FindsARecordForTheSameCandidateAndSpecOnly) {
  RecordCache cache(100);
  cache.insert(key(1, 1), "result");
  EXPECT_EQ(cache.find(key(1, 1)), "result");
  EXPECT_FALSE(cache.find(key(2, 1)));
  EXPECT_FALSE(cache.find(key(1, 2)));
  EXPECT_EQ(cache.counts().hits, 1U);
  EXPECT_EQ(cache.counts().misses, 2U);
  EXPECT_EQ(cache.counts().records, 1U);
}

TEST(RecordCache, KeepsWhatIsAskedForWhenThePlacesAreFull) {
  RecordCache cache(8);
  cache.insert(key(0), "kept");
  for (std::uint8_t number = 1; number < 100; ++number) {
    EXPECT_EQ(cache.find(key(0)), "kept") << int{number};
    cache.insert(key(number), std::string(number, 'x'));
  }
  EXPECT_EQ(cache.counts().records, 8U);
  EXPECT_EQ(cache.find(key(99)), std::string(99, 'x'));
  EXPECT_FALSE(cache.find(key(50)));
}

TEST(RecordCache, HoldsNothingWhenItMayNot) {
  RecordCache cache(0);
  cache.insert(key(1), "result");
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_EQ(cache.counts().records, 0U);
}

TEST(RecordCache, HoldsThreeWhenItMayHoldThree) {
  RecordCache cache(3);
  for (std::uint8_t number = 0; number < 10; ++number) cache.insert(key(number), "x");
  EXPECT_EQ(cache.counts().records, 3U);
}

TEST(RecordCache, HoldsNoMoreBytesThanItMay) {
  RecordCache cache(100, 16 * 1'000);  // a sixteenth for the one set that these keys share
  cache.insert(key(1), std::string(400, 'x'));
  cache.insert(key(2), std::string(400, 'x'));
  cache.insert(key(3), std::string(400, 'x'));
  cache.insert(key(4), std::string(2'000, 'x'));
  EXPECT_TRUE(cache.find(key(1)));
  EXPECT_TRUE(cache.find(key(2)));
  EXPECT_FALSE(cache.find(key(3)));
  EXPECT_FALSE(cache.find(key(4)));
  EXPECT_EQ(cache.counts().records, 2U);
}

}  // namespace
}  // namespace petri
