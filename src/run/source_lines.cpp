#include "run/source_lines.h"

#include <string_view>

#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::size_t kFileBytesMax = 200;
constexpr std::size_t kFilesMax = 10'000;

class SectionReader {
 public:
  explicit SectionReader(std::string_view bytes) : left_(bytes) {}
  bool done() const { return failed_ || left_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      value |= std::uint64_t{static_cast<std::uint8_t>(byte[0]) & 0x7fU} << shift;
      if ((static_cast<std::uint8_t>(byte[0]) & 0x80U) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view take(std::uint64_t size) {
    if (failed_ || size > left_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view text() { return take(number()); }

 private:
  std::string_view left_;
  bool failed_ = false;
};

std::string_view line_section(std::string_view module) {
  SectionReader sections(module);
  sections.take(8);
  while (!sections.done()) {
    const std::string_view id = sections.take(1);
    const std::string_view payload = sections.text();
    if (id != std::string_view("\0", 1)) continue;
    SectionReader reader(payload);
    const std::string_view name = reader.text();
    if (name == "petri.lines")
      return payload.substr(static_cast<std::size_t>(name.data() - payload.data()) + name.size());
  }
  return {};
}

}  // namespace

std::vector<std::optional<SourceLine>> source_lines_at(std::span<const std::uint8_t> module,
                                                       std::span<const std::uint64_t> offsets) {
  std::vector<std::optional<SourceLine>> lines(offsets.size());
  SectionReader reader(line_section({reinterpret_cast<const char*>(module.data()), module.size()}));
  if (reader.done() || reader.number() != 1) return lines;
  std::vector<std::string_view> files;
  const std::uint64_t count = reader.number();
  if (count > kFilesMax) return lines;
  while (files.size() < count && !reader.done()) files.push_back(reader.text());
  std::uint64_t from = 0;
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  for (std::uint64_t rows = reader.number(); rows > 0 && !reader.done(); --rows) {
    const std::uint64_t to = from + reader.number();
    for (std::size_t index = 0; index < offsets.size(); ++index) {
      const bool inside = offsets[index] >= from && offsets[index] < to;
      if (!inside || file == 0 || file > files.size()) continue;
      lines[index] =
          SourceLine{.file = escape_text(files[file - 1], kFileBytesMax), .line = static_cast<std::uint32_t>(line)};
    }
    from = to;
    file = reader.number();
    line = reader.number();
  }
  return lines;
}

}  // namespace petri
