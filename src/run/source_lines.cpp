#include "run/source_lines.h"

#include <string_view>

#include "base/text/escape.h"
#include "engine/module/byte_reader.h"
#include "engine/module/wasm_sections.h"

namespace petri {
namespace {

constexpr std::size_t kFileBytesMax = 200;
constexpr std::size_t kFilesMax = 10'000;

}  // namespace

std::vector<std::optional<SourceLine>> source_lines_at(std::span<const std::uint8_t> module,
                                                       std::span<const std::uint64_t> offsets) {
  std::vector<std::optional<SourceLine>> lines(offsets.size());
  ByteReader reader(custom_section(module, "petri.lines"));
  if (reader.done() || reader.number<std::uint64_t>() != 1) return lines;
  std::vector<std::string_view> files;
  const std::uint64_t count = reader.number<std::uint64_t>();
  if (count > kFilesMax) return lines;
  while (files.size() < count && !reader.done()) files.push_back(reader.string());
  std::uint64_t from = 0;
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  for (std::uint64_t rows = reader.number<std::uint64_t>(); rows > 0 && !reader.done(); --rows) {
    const std::uint64_t to = from + reader.number<std::uint64_t>();
    for (std::size_t index = 0; index < offsets.size(); ++index) {
      const bool inside = offsets[index] >= from && offsets[index] < to;
      if (!inside || file == 0 || file > files.size()) continue;
      lines[index] =
          SourceLine{.file = escape_text(files[file - 1], kFileBytesMax), .line = static_cast<std::uint32_t>(line)};
    }
    from = to;
    file = reader.number<std::uint64_t>();
    line = reader.number<std::uint64_t>();
  }
  return lines;
}

}  // namespace petri
