#include "cli/commands/section_outline.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

std::vector<std::uint8_t> module_with(std::vector<std::uint8_t> sections) {
  std::vector<std::uint8_t> bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
  bytes.insert(bytes.end(), sections.begin(), sections.end());
  return bytes;
}

TEST(SectionOutline, NamesEachSectionWithItsPlaceAndSize) {
  const auto sections = section_outline(module_with({1, 2, 0xaa, 0xbb, 0, 4, 3, 'a', 'b', 'c'}));
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "type");
  EXPECT_EQ(sections[0].offset, 10U);
  EXPECT_EQ(sections[0].bytes, 2U);
  EXPECT_TRUE(sections[1].custom);
  EXPECT_EQ(sections[1].name, "abc");
}

TEST(SectionOutline, SaysWhenTheFileEndsTooSoon) {
  const auto sections = section_outline(module_with({10, 0xff, 0x01, 1, 2, 3}));
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].name, "code");
  EXPECT_EQ(sections[0].bytes, 255U);
  EXPECT_FALSE(sections[0].complete);
}

TEST(SectionOutline, StopsAtWhatIsNoSection) {
  EXPECT_TRUE(section_outline({}).empty());
  EXPECT_TRUE(section_outline(module_with({})).empty());
  EXPECT_TRUE(section_outline(module_with({1})).empty());
  EXPECT_TRUE(section_outline(module_with({1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})).empty());
}

TEST(SectionOutline, GivesNoNameToACustomSectionThatLiesAboutIt) {
  const auto sections = section_outline(module_with({0, 2, 0xff, 0x7f}));
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].name, "");
}

}  // namespace
}  // namespace petri::cli
