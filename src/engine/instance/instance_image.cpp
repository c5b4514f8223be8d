#include "engine/instance/instance_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text/escape.h"
#include "engine/instance/linked_code.h"
#include "petri_engine.h"

namespace petri {
namespace {

constexpr std::size_t kPageBytes = 4'096;
constexpr std::size_t kPagesBetweenLooks = 256;
constexpr std::size_t kBytesAskedAtOnce = std::size_t{16} << 20;  // of the kernel
constexpr std::uint64_t kPagesInWasmPage = InstanceShape::kPageBytes / kPageBytes;
constexpr std::uint64_t kWasmPagesMax = 65'536;  // what 32 bits can address

bool is_zero(const std::uint8_t* page) {
  static constexpr std::array<std::uint8_t, kPageBytes> kZeros{};
  return std::memcmp(page, kZeros.data(), kPageBytes) == 0;
}

// One flag a page, false only where it was never touched and so is zero: to read such a page would take a fault.
std::vector<std::uint8_t> touched_pages(std::span<const std::uint8_t> memory) {
  std::vector<std::uint8_t> touched(memory.size() / kPageBytes);
  petri_touched_pages(memory.data(), touched.data(), touched.size());
  return touched;
}

// Numbers are written with their lowest byte first.
template <typename Number>
void append(std::vector<std::uint8_t>& bytes, Number number) {
  for (std::size_t index = 0; index < sizeof(Number); ++index) {
    bytes.push_back(static_cast<std::uint8_t>(number >> (8 * index)));
  }
}

// Reads on from the front; once the bytes did not suffice every number is 0 and `short_` set.
class ImageReader {
 public:
  explicit ImageReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <typename Number>
  Number number() {
    std::uint64_t value = 0;
    if (short_ = short_ || bytes_.size() < sizeof(Number); short_) return 0;
    for (std::size_t index = 0; index < sizeof(Number); ++index) value |= std::uint64_t{bytes_[index]} << (8 * index);
    bytes_ = bytes_.subspan(sizeof(Number));
    return static_cast<Number>(value);
  }
  // How many of something follow, of which each takes `bytes_each`: never more than there are bytes for.
  std::uint32_t count(std::size_t bytes_each) {
    const auto number_of = number<std::uint32_t>();
    short_ = short_ || number_of > bytes_.size() / bytes_each;
    return short_ ? 0 : number_of;
  }
  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (short_ = short_ || bytes_.size() < count; short_) return {};
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::span<const std::uint8_t> rest() const { return bytes_; }
  bool is_short() const { return short_; }

 private:
  std::span<const std::uint8_t> bytes_;
  bool short_ = false;
};

// Asks for each mebibyte if the guest that waits for the image has been ended.
class MakingLooks {
 public:
  explicit MakingLooks(const ImageTerms& terms) : terms_(terms) {}

  Result<void> after(std::size_t pages) {
    since_ += pages;
    if (since_ < kPagesBetweenLooks) return {};
    since_ = 0;
    if (!terms_.is_ended || !terms_.is_ended()) return {};
    return fail(ErrorCode::cancelled, "the sandbox is being ended");
  }

 private:
  const ImageTerms& terms_;
  std::size_t since_ = 0;
};

std::unexpected<Error> damaged(std::string_view how) {
  return fail(ErrorCode::parse_failed, "the image of an instance is damaged: " + std::string(how));
}

bool is_plausible(const InstanceShape& shape) {
  return shape.memory_pages >= shape.memory_pages_min && shape.memory_pages <= shape.memory_pages_max &&
         shape.memory_pages <= kWasmPagesMax;
}

std::optional<Value> to_value(std::uint8_t type, std::uint64_t bits) {
  if (type > static_cast<std::uint8_t>(ValueType::f64)) return std::nullopt;
  const Value value = Value::from_bits(static_cast<ValueType>(type), bits);
  if (value.bits() != bits) return std::nullopt;
  return value;
}

Result<InstanceShape> read_shape(ImageReader& reader) {
  InstanceShape shape{.memory_pages_min = reader.number<std::uint64_t>(),
                      .memory_pages_max = reader.number<std::uint64_t>(),
                      .memory_pages = reader.number<std::uint64_t>(),
                      .globals = {}};
  const std::uint32_t globals = reader.count(sizeof(std::uint8_t) + sizeof(std::uint64_t));
  for (std::uint32_t index = 0; index < globals; ++index) {
    const auto type = reader.number<std::uint8_t>();
    const auto value = to_value(type, reader.number<std::uint64_t>());
    if (!value) return damaged("a global has a type or value that cannot be");
    shape.globals.push_back(*value);
  }
  if (!is_plausible(shape)) return damaged("no memory can have the size it says");
  return shape;
}

}  // namespace

// ---- capture and restore --------------------------------------------------------------------------------------

Result<InstanceImage> InstanceImage::capture(Instance& from, const ImageTerms& terms) {
  PETRI_TRY(InstanceImage image, outline(from, terms));
  LinkedInstance* const linked = from.linked();
  for (std::size_t index = 0; index < image.others_.size(); ++index) {
    PETRI_TRY(image.others_[index].copy_pieces(linked->member(index).memory(), terms));
  }
  PETRI_TRY(image.copy_pieces(from.memory(), terms));
  return image;
}

Result<void> InstanceImage::check_fits(Instance& from, const ImageTerms& terms) {
  PETRI_TRY(outline(from, terms));
  return {};
}

Result<InstanceImage> InstanceImage::outline(Instance& from, const ImageTerms& terms) {
  PETRI_TRY(InstanceImage image, outline_alone(from, terms));
  image.command_has_run_ = from.command_has_run();
  LinkedInstance* const linked = from.linked();
  for (std::size_t index = 0; linked != nullptr && index + 1 < linked->members().size(); ++index) {
    PETRI_TRY(InstanceImage other, outline_alone(linked->member(index), terms));
    image.names_.push_back(linked->members()[index].name);
    image.others_.push_back(std::move(other));
  }
  if (image.bytes_kept() <= terms.bytes_max) return image;
  return fail(ErrorCode::limit_exceeded, fmt::format("its memory holds {} bytes and state_bytes_max allows {}",
                                                     image.bytes_kept(), terms.bytes_max));
}

Result<InstanceImage> InstanceImage::outline_alone(Instance& from, const ImageTerms& terms) {
  InstanceImage image;
  PETRI_TRY(image.shape_, from.shape());
  PETRI_TRY(image.find_pieces(from.memory(), terms));
  return image;
}

// One page that is not zero shows it in its first bytes nearly always.
Result<void> InstanceImage::find_pieces(std::span<const std::uint8_t> memory, const ImageTerms& terms) {
  MakingLooks looks(terms);
  for (std::size_t first = 0; first < memory.size(); first += kBytesAskedAtOnce) {
    const auto part = memory.subspan(first, std::min(kBytesAskedAtOnce, memory.size() - first));
    const auto touched = touched_pages(part);
    for (std::size_t index = 0; index < touched.size(); ++index) {
      PETRI_TRY(looks.after(1));
      if (touched[index] == 0 || is_zero(&part[index * kPageBytes])) continue;
      const auto page = static_cast<std::uint32_t>(first / kPageBytes + index);
      const bool adjacent = !pieces_.empty() && pieces_.back().page + pieces_.back().pages == page;
      if (!adjacent) pieces_.push_back({.page = page, .pages = 0});
      ++pieces_.back().pages;
    }
  }
  return {};
}

Result<void> InstanceImage::copy_pieces(std::span<const std::uint8_t> memory, const ImageTerms& terms) {
  MakingLooks looks(terms);
  contents_.reserve(contents_bytes());
  for (const Piece& piece : pieces_) {
    for (std::size_t done = 0; done < piece.pages;) {
      const std::size_t pages = std::min(piece.pages - done, kPagesBetweenLooks);
      const auto bytes = memory.subspan((piece.page + done) * kPageBytes, pages * kPageBytes);
      contents_.insert(contents_.end(), bytes.begin(), bytes.end());
      done += pages;
      PETRI_TRY(looks.after(pages));
    }
  }
  return {};
}

std::size_t InstanceImage::contents_bytes() const {
  std::size_t pages = 0;
  for (const Piece& piece : pieces_) pages += piece.pages;
  return pages * kPageBytes;
}

Result<void> InstanceImage::restore(Instance& into) const {
  LinkedInstance* const linked = into.linked();
  const std::size_t others = linked == nullptr ? 0 : linked->members().size() - 1;
  if (others != others_.size()) {
    return fail(ErrorCode::state_incompatible, "the instance is not linked with the modules that the image is of");
  }
  for (std::size_t index = 0; index < others; ++index) {
    Instance* const other = linked->find(names_[index], index);
    if (other == nullptr) {
      return fail(ErrorCode::state_incompatible,
                  "the instance is not linked with a module " + escape_text(names_[index], kNameShownBytesMax));
    }
    PETRI_TRY(others_[index].restore_alone(*other));
  }
  PETRI_TRY(restore_alone(into));
  into.set_command_has_run(command_has_run_);
  if (linked != nullptr) linked->measure();
  return {};
}

Result<void> InstanceImage::restore_alone(Instance& into) const {
  const std::size_t used_bytes = into.memory().size();
  PETRI_TRY(into.reshape(shape_));
  return put(into, used_bytes);
}

// Beyond `used_bytes` all is zero. Pages that are zero already are not written, so that the kernel need not make them.
// The clock of the guest that waits is looked at for each mebibyte that was written or looked through.
Result<void> InstanceImage::put(Instance& into, std::size_t used_bytes) const {
  const std::span<std::uint8_t> memory = into.memory();
  const auto touched = touched_pages(memory.first(used_bytes));
  std::size_t page = 0, since_look = 0;
  const auto look_after = [&](std::size_t pages) -> Result<void> {
    since_look += pages;
    if (since_look < kPagesBetweenLooks) return {};
    since_look = 0;
    return into.look_while_filled();
  };
  const auto clear_until = [&](std::size_t end) -> Result<void> {
    for (; page < std::min(end, touched.size()); ++page) {
      if (touched[page] == 0) continue;
      std::uint8_t* const bytes = &memory[page * kPageBytes];
      if (!is_zero(bytes)) std::memset(bytes, 0, kPageBytes);
      PETRI_TRY(look_after(1));
    }
    return {};
  };
  auto source = std::span(contents_);
  for (const Piece& piece : pieces_) {
    PETRI_TRY(clear_until(piece.page));
    page = piece.page;
    for (const std::size_t end = std::size_t{piece.page} + piece.pages; page < end;) {
      const std::size_t pages = std::min(end - page, kPagesBetweenLooks), bytes = pages * kPageBytes;
      std::memcpy(&memory[page * kPageBytes], source.data(), bytes);
      source = source.subspan(bytes);
      page += pages;
      PETRI_TRY(look_after(pages));
    }
  }
  return clear_until(touched.size());
}

std::uint64_t InstanceImage::memory_bytes() const {
  std::uint64_t bytes = shape_.memory_bytes();
  for (const InstanceImage& other : others_) bytes += other.memory_bytes();
  return bytes;
}

std::uint64_t InstanceImage::bytes_kept() const {
  std::uint64_t bytes = bytes_kept_alone();
  for (const InstanceImage& other : others_) bytes += other.bytes_kept();
  return bytes;
}

std::uint64_t InstanceImage::bytes_kept_alone() const {
  return sizeof(*this) + shape_.globals.size() * sizeof(Value) + pieces_.size() * sizeof(Piece) + contents_bytes();
}

// ---- bytes ----------------------------------------------------------------------------------------------------

// Each member of a group with its length before it, and the others with their names.
std::vector<std::uint8_t> InstanceImage::to_bytes() const {
  std::vector<std::uint8_t> bytes;
  append(bytes, static_cast<std::uint32_t>(others_.size()));
  for (std::size_t index = 0; index < others_.size(); ++index) {
    append(bytes, static_cast<std::uint32_t>(names_[index].size()));
    bytes.insert(bytes.end(), names_[index].begin(), names_[index].end());
    std::vector<std::uint8_t> other;
    others_[index].append_to(other);
    append(bytes, static_cast<std::uint64_t>(other.size()));
    bytes.insert(bytes.end(), other.begin(), other.end());
  }
  append_to(bytes);
  return bytes;
}

void InstanceImage::append_to(std::vector<std::uint8_t>& bytes) const {
  for (const std::uint64_t number : {shape_.memory_pages_min, shape_.memory_pages_max, shape_.memory_pages}) {
    append(bytes, number);
  }
  append(bytes, static_cast<std::uint32_t>(shape_.globals.size()));
  for (const Value& global : shape_.globals) {
    append(bytes, static_cast<std::uint8_t>(global.type()));
    append(bytes, global.bits());
  }
  append(bytes, static_cast<std::uint32_t>(pieces_.size()));
  for (const Piece& piece : pieces_) {
    append(bytes, piece.page);
    append(bytes, piece.pages);
  }
  bytes.insert(bytes.end(), contents_.begin(), contents_.end());
}

Result<InstanceImage> InstanceImage::from_bytes(std::span<const std::uint8_t> bytes) {
  ImageReader reader(bytes);
  std::vector<std::string> names;
  std::vector<InstanceImage> others;
  const std::uint32_t count = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto name = reader.take(reader.number<std::uint32_t>());
    const auto contents = reader.take(reader.number<std::uint64_t>());
    if (reader.is_short()) return damaged("it ends too early");
    names.emplace_back(name.begin(), name.end());
    PETRI_TRY(InstanceImage other, from_bytes_alone(contents));
    others.push_back(std::move(other));
  }
  if (reader.is_short()) return damaged("it ends too early");
  PETRI_TRY(InstanceImage image, from_bytes_alone(reader.rest()));
  image.names_ = std::move(names);
  image.others_ = std::move(others);
  return image;
}

Result<InstanceImage> InstanceImage::from_bytes_alone(std::span<const std::uint8_t> bytes) {
  ImageReader reader(bytes);
  InstanceImage image;
  PETRI_TRY(image.shape_, read_shape(reader));
  const std::uint32_t pieces = reader.count(sizeof(Piece));
  for (std::uint32_t index = 0; index < pieces; ++index) {
    const auto page = reader.number<std::uint32_t>();
    image.pieces_.push_back({.page = page, .pages = reader.number<std::uint32_t>()});
  }
  if (reader.is_short()) return damaged("it ends too early");
  image.contents_.assign(reader.rest().begin(), reader.rest().end());
  PETRI_TRY(image.check_pieces());
  return image;
}

// Checks that the pieces are as keep() makes them.
Result<void> InstanceImage::check_pieces() const {
  std::uint64_t free_from = 0;
  std::uint64_t pages = 0;
  for (const Piece& piece : pieces_) {
    if (piece.pages == 0 || piece.page < free_from) return damaged("its pieces are not in order");
    free_from = std::uint64_t{piece.page} + piece.pages + 1;
    pages += piece.pages;
  }
  if (!pieces_.empty() && free_from - 1 > shape_.memory_pages * kPagesInWasmPage) {
    return damaged("a piece lies outside of its memory");
  }
  if (pages * kPageBytes != contents_.size()) return damaged("its pieces and their contents differ in size");
  for (std::size_t offset = 0; offset < contents_.size(); offset += kPageBytes) {
    if (is_zero(&contents_[offset])) return damaged("it keeps a page of zeros");
  }
  return {};
}

}  // namespace petri
