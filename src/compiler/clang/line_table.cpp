#include "compiler/clang/line_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/module/byte_reader.h"

namespace petri {
namespace {

constexpr std::size_t kRowsMax = 1'000'000;
constexpr std::size_t kFilesMax = 10'000;
constexpr char kCodeSection = 10;

// The numbers of DWARF, little-endian and LEB128, and its strings, which end with a zero.
class DebugBytes : public ByteReader {
 public:
  explicit DebugBytes(std::string_view bytes) : ByteReader(bytes), size_(bytes.size()) {}

  std::size_t at() const { return size_ - left(); }
  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view taken = take(size);
    for (std::size_t index = 0; index < taken.size(); ++index) {
      value |= std::uint64_t{static_cast<std::uint8_t>(taken[index])} << (8 * index);
    }
    return value;
  }
  std::uint64_t unsigned_leb() { return number<std::uint64_t>(); }
  std::int64_t signed_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const std::uint64_t next = byte();
      value |= (next & 0x7f) << shift;
      shift += 7;
      if ((next & 0x80) != 0) continue;
      if ((next & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
    fail();
    return 0;
  }
  std::string_view text() { return take_until('\0'); }

 private:
  std::size_t size_;
};

struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t file = 0;  // 0: no line is known from here on
  std::uint32_t line = 0;
  bool ends = false;  // a run of addresses that belong together
};

struct LineTable {
  std::vector<std::string> files;  // of number 1 on
  std::vector<LineRow> rows;
};

// One program of .debug_line, in the format of DWARF 4, which clang is asked for.
class LineProgram {
 public:
  LineProgram(std::string_view unit, LineTable& table) : unit_(unit), table_(table) {}

  void run() {
    if (!read_header()) return;
    reset();
    while (!unit_.done() && table_.rows.size() < kRowsMax) step();
  }

 private:
  bool read_header() {
    const std::uint64_t version = unit_.fixed(2);
    if (version < 2 || version > 4) return false;
    const std::uint64_t header_bytes = unit_.fixed(4);
    const std::size_t start = unit_.at() + header_bytes;
    step_bytes_ = unit_.fixed(1);
    if (version >= 4) unit_.fixed(1);
    unit_.fixed(1);
    line_base_ = static_cast<std::int8_t>(unit_.fixed(1));
    line_range_ = unit_.fixed(1);
    opcode_base_ = unit_.fixed(1);
    for (std::uint64_t code = 1; code < opcode_base_ && !unit_.failed(); ++code) operands_.push_back(unit_.fixed(1));
    std::vector<std::string_view> folders{""};
    for (std::string_view name = unit_.text(); !name.empty(); name = unit_.text()) folders.push_back(name);
    for (std::string_view name = unit_.text(); !name.empty() && files_.size() < kFilesMax; name = unit_.text()) {
      const std::uint64_t folder = unit_.unsigned_leb();
      unit_.unsigned_leb();
      unit_.unsigned_leb();
      files_.push_back(number_of(folder < folders.size() ? folders[folder] : "", name));
    }
    if (unit_.failed() || line_range_ == 0 || start < unit_.at()) return false;
    unit_.take(start - unit_.at());
    return !unit_.failed();
  }

  // Folders of this machine are left out.
  std::uint32_t number_of(std::string_view folder, std::string_view name) {
    std::string path =
        folder.empty() || folder.starts_with('/') ? std::string(name) : std::string(folder) + "/" + std::string(name);
    if (path.starts_with('/')) path.erase(0, path.rfind('/') + 1);
    while (path.starts_with("./")) path.erase(0, 2);
    const auto found = std::ranges::find(table_.files, path);
    if (found != table_.files.end()) return static_cast<std::uint32_t>(found - table_.files.begin()) + 1;
    if (table_.files.size() == kFilesMax) return 0;
    table_.files.push_back(std::move(path));
    return static_cast<std::uint32_t>(table_.files.size());
  }

  void reset() {
    address_ = 0;
    file_ = 1;
    line_ = 1;
  }

  void step() {
    const std::uint64_t code = unit_.fixed(1);
    if (code >= opcode_base_) return special(code - opcode_base_);
    switch (code) {
      case 0: return extended();
      case 1: return add_row();
      case 2: address_ += step_bytes_ * unit_.unsigned_leb(); return;
      case 3: line_ += unit_.signed_leb(); return;
      case 4: file_ = unit_.unsigned_leb(); return;
      case 8: address_ += step_bytes_ * ((255 - opcode_base_) / line_range_); return;
      case 9: address_ += unit_.fixed(2); return;
      default:
        for (std::uint64_t left = operands_[code - 1]; left > 0; --left) unit_.unsigned_leb();
    }
  }

  void special(std::uint64_t adjusted) {
    address_ += step_bytes_ * (adjusted / line_range_);
    line_ += line_base_ + static_cast<std::int64_t>(adjusted % line_range_);
    add_row();
  }

  void extended() {
    const std::uint64_t size = unit_.unsigned_leb();
    DebugBytes operands(unit_.take(size));
    const std::uint64_t code = operands.fixed(1);
    if (code == 1) {
      table_.rows.push_back({.address = address_, .ends = true});
      reset();
    } else if (code == 2) {
      address_ = operands.fixed(size - 1);
    }
  }

  void add_row() {
    const std::uint32_t file = file_ >= 1 && file_ <= files_.size() ? files_[file_ - 1] : 0;
    const bool known = line_ > 0 && line_ <= 0x7fffffff;
    table_.rows.push_back(
        {.address = address_, .file = known ? file : 0, .line = known ? static_cast<std::uint32_t>(line_) : 0});
  }

  DebugBytes unit_;
  LineTable& table_;
  std::vector<std::uint32_t> files_;
  std::vector<std::uint64_t> operands_;
  std::uint64_t step_bytes_ = 1, line_range_ = 1, opcode_base_ = 1;
  std::int64_t line_base_ = 0;
  std::uint64_t address_ = 0, file_ = 1;
  std::int64_t line_ = 1;
};

LineTable read_lines(std::string_view debug_line) {
  LineTable table;
  DebugBytes units(debug_line);
  while (!units.done()) {
    const std::uint64_t size = units.fixed(4);
    const std::string_view unit = units.take(size);
    if (!units.failed()) LineProgram(unit, table).run();
  }
  return table;
}

void append_leb(std::string& bytes, std::uint64_t value) {
  do {
    const auto low = static_cast<char>(value & 0x7f);
    value >>= 7;
    bytes.push_back(value == 0 ? low : static_cast<char>(low | '\x80'));
  } while (value != 0);
}

void append_text(std::string& bytes, std::string_view text) {
  append_leb(bytes, text.size());
  bytes.append(text);
}

// Rows of functions that the linker dropped stand at addresses outside the code, or at its start.
std::vector<LineRow> rows_of_code(LineTable& table, std::size_t code_bytes) {
  std::vector<LineRow> rows;
  bool dropped = false;
  bool starts = true;
  for (const LineRow& row : table.rows) {
    if (starts) dropped = row.address == 0 || row.address >= code_bytes;
    starts = row.ends;
    if (!dropped && row.address <= code_bytes) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, &LineRow::address);
  std::vector<LineRow> kept;
  for (const LineRow& row : rows) {
    if (!kept.empty() && kept.back().address == row.address) kept.pop_back();
    if (kept.empty() || kept.back().file != row.file || kept.back().line != row.line) kept.push_back(row);
  }
  return kept;
}

std::string section_of(LineTable& table, std::size_t code_start, std::size_t code_bytes) {
  const std::vector<LineRow> rows = rows_of_code(table, code_bytes);
  if (rows.empty()) return {};
  std::string body;
  append_text(body, "petri.lines");
  body.push_back(1);
  append_leb(body, table.files.size());
  for (const std::string& file : table.files) append_text(body, file);
  append_leb(body, rows.size());
  std::uint64_t before = 0;
  for (const LineRow& row : rows) {
    const std::uint64_t offset = code_start + row.address;
    append_leb(body, offset - before);
    append_leb(body, row.file);
    append_leb(body, row.line);
    before = offset;
  }
  std::string section(1, '\0');
  append_text(section, body);
  return section;
}

}  // namespace

std::string with_line_table(std::string_view module) {
  if (module.size() < 8) return std::string(module);
  std::string kept(module.substr(0, 8));
  std::string_view debug_line;
  std::size_t code_start = 0;
  std::size_t code_bytes = 0;
  DebugBytes sections(module);
  sections.take(8);
  while (!sections.done()) {
    const std::size_t start = sections.at();
    const std::string_view id = sections.take(1);
    const std::string_view payload = sections.take(sections.unsigned_leb());
    if (sections.failed()) return std::string(module);
    DebugBytes reader(payload);
    const std::string_view name = id[0] == 0 ? reader.take(reader.unsigned_leb()) : std::string_view();
    if (name == ".debug_line") debug_line = payload.substr(reader.at());
    if (name.starts_with(".debug_")) continue;
    if (id[0] == kCodeSection) {
      code_bytes = payload.size();
      code_start = kept.size() + (sections.at() - start) - payload.size();
    }
    kept.append(module.substr(start, sections.at() - start));
  }
  LineTable table = read_lines(debug_line);
  return kept + section_of(table, code_start, code_bytes);
}

}  // namespace petri
