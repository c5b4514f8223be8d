#include "engine/module/wasm_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "engine/module/byte_reader.h"

namespace petri {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A custom section, a memory section, a section nobody knows, a data section of a size written in five bytes.
const Bytes kModule{0, 'a', 's', 'm', 1, 0,  0,    0,    0,    2,    1, 'x', 5, 3,
                    1, 0,   1,   99,  0, 11, 0x82, 0x80, 0x80, 0x80, 0, 7,   8};

TEST(SectionReader, GoesFromSectionToSection) {
  SectionReader reader(kModule);
  std::vector<int> ids;
  std::vector<std::uint64_t> offsets;
  while (const auto section = reader.next()) {
    ids.push_back(section->id);
    offsets.push_back(section->offset);
    EXPECT_EQ(section->contents.size(), section->bytes);
  }
  EXPECT_THAT(ids, testing::ElementsAre(0, 5, 99, 11));
  EXPECT_THAT(offsets, testing::ElementsAre(10, 14, 19, 25));
}

TEST(SectionReader, FindsTheContentsOfASection) {
  EXPECT_THAT(find_section(kModule, SectionKind::memory), testing::ElementsAre(1, 0, 1));
  EXPECT_THAT(find_section(kModule, SectionKind::data), testing::ElementsAre(7, 8));
  EXPECT_TRUE(find_section(kModule, SectionKind::table).empty());
}

TEST(SectionReader, FindsACustomSectionByItsName) {
  const Bytes module{0, 'a', 's', 'm', 1, 0, 0, 0, 0, 2, 1, 'x', 0, 4, 1, 'y', 7, 8};
  EXPECT_EQ(custom_section(module, "y"), "\7\10");
  EXPECT_EQ(custom_section(module, "x"), "");
  EXPECT_EQ(custom_section(module, "z"), "");
  EXPECT_EQ(custom_section(std::span(module).first(module.size() - 1), "y"), "");
}

TEST(SectionReader, TakesAFileThatEndsAnywhere) {
  for (std::size_t size = 0; size < kModule.size(); ++size) {
    const Bytes cut(kModule.begin(), kModule.begin() + static_cast<std::ptrdiff_t>(size));
    SectionReader reader(cut);
    while (const auto section = reader.next()) {
      EXPECT_LE(section->contents.size(), section->bytes);
      EXPECT_LE(section->offset + section->contents.size(), size);
    }
  }
}

TEST(SectionReader, StopsAtASizeThatIsNoNumber) {
  const Bytes endless{0, 'a', 's', 'm', 1, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0};
  EXPECT_FALSE(SectionReader(endless).next());
}

TEST(ByteReader, TakesNumbersOfAsManyBytesAsTheirTypeNeeds) {
  const std::string_view most = "\xff\xff\xff\xff\x0f";
  EXPECT_EQ(ByteReader(most).number(), 0xffff'ffff);
  const std::string_view longer = "\x80\x80\x80\x80\x80\x01";
  EXPECT_EQ(ByteReader(longer).number<std::uint64_t>(), std::uint64_t{1} << 35);
  ByteReader reader(longer);
  EXPECT_EQ(reader.number(), 0);
  EXPECT_TRUE(reader.failed());
}

TEST(ByteReader, AnswersNothingOnceAReadHasFailed) {
  const std::string_view bytes("\2ab\0\1z", 6);
  ByteReader reader(bytes);
  EXPECT_EQ(reader.string(), "ab");
  EXPECT_EQ(reader.take_until('\0'), "");
  EXPECT_EQ(reader.take(3), "");
  EXPECT_EQ(reader.byte(), 0);
  EXPECT_EQ(reader.string(), "");
  EXPECT_EQ(reader.take_until('z'), "");
  EXPECT_TRUE(reader.failed() && reader.done());
}

}  // namespace
}  // namespace petri
