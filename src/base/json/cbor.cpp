#include "base/json/cbor.h"

#include <bit>

namespace petri {
namespace {

constexpr std::uint8_t kFalse = 20;
constexpr std::uint8_t kTrue = 21;
constexpr std::uint8_t kNull = 22;
constexpr std::uint8_t kOneByte = 24;  // the argument follows in 1, 2, 4 or 8 bytes for 24 to 27
constexpr std::uint8_t kFourBytes = 26;
constexpr std::uint8_t kEightBytes = 27;
constexpr std::uint64_t kNegativeMax = std::uint64_t{1} << 63;

// How the argument is written: itself when small, else in this many bytes.
std::uint8_t detail_for(std::uint64_t argument) {
  if (argument < kOneByte) return static_cast<std::uint8_t>(argument);
  if (argument <= 0xff) return kOneByte;
  if (argument <= 0xffff) return 25;
  return argument <= 0xffff'ffff ? kFourBytes : kEightBytes;
}

int bytes_after(std::uint8_t detail) { return detail < kOneByte ? 0 : 1 << (detail - kOneByte); }

}  // namespace

void CborWriter::initial(CborKind kind, std::uint8_t detail) {
  out_ += static_cast<char>(static_cast<unsigned>(kind) << 5 | detail);
}

void CborWriter::big_endian(std::uint64_t value, int size) {
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) out_ += static_cast<char>(value >> shift & 0xff);
}

void CborWriter::head(CborKind kind, std::uint64_t argument) {
  const std::uint8_t detail = detail_for(argument);
  initial(kind, detail);
  big_endian(argument, bytes_after(detail));
}

void CborWriter::text(std::string_view text) {
  head(CborKind::text_string, text.size());
  out_ += text;
}

void CborWriter::bytes(std::span<const std::uint8_t> bytes) {
  head(CborKind::byte_string, bytes.size());
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void CborWriter::boolean(bool value) { initial(CborKind::other, value ? kTrue : kFalse); }
void CborWriter::null() { initial(CborKind::other, kNull); }

void CborWriter::number(const CborNumber& number) {
  if (const auto* whole = std::get_if<std::uint64_t>(&number)) return head(CborKind::unsigned_integer, *whole);
  if (const auto* whole = std::get_if<std::int64_t>(&number)) {
    // -1 is written as 0, -2 as 1: all bits turned.
    if (*whole < 0) return head(CborKind::negative_integer, ~static_cast<std::uint64_t>(*whole));
    return head(CborKind::unsigned_integer, static_cast<std::uint64_t>(*whole));
  }
  if (const auto* real = std::get_if<float>(&number)) {
    initial(CborKind::other, kFourBytes);
    return big_endian(std::bit_cast<std::uint32_t>(*real), 4);
  }
  initial(CborKind::other, kEightBytes);
  big_endian(std::bit_cast<std::uint64_t>(std::get<double>(number)), 8);
}

std::optional<std::span<const std::uint8_t>> CborReader::take(std::uint64_t size) {
  is_cut_ = is_cut_ || size > rest_.size();
  if (is_cut_) return std::nullopt;
  const auto taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::optional<CborReader::Head> CborReader::next() {
  const auto first = take(1);
  if (!first) return std::nullopt;
  Head head{.kind = static_cast<CborKind>(first->front() >> 5),
            .detail = static_cast<std::uint8_t>(first->front() & 31),
            .argument = static_cast<std::uint64_t>(first->front() & 31)};
  if (head.detail > kEightBytes) return std::nullopt;
  if (head.detail < kOneByte) return head;
  const auto argument = take(static_cast<std::uint64_t>(bytes_after(head.detail)));
  if (!argument) return std::nullopt;
  head.argument = 0;
  for (const std::uint8_t byte : *argument) head.argument = head.argument << 8 | byte;
  return head;
}

bool CborReader::Head::is_null() const { return kind == CborKind::other && detail == kNull; }

std::optional<bool> CborReader::Head::boolean() const {
  if (kind != CborKind::other || (detail != kFalse && detail != kTrue)) return std::nullopt;
  return detail == kTrue;
}

std::optional<std::uint64_t> CborReader::head(CborKind kind) {
  const auto found = next();
  return found && found->kind == kind ? std::optional(found->argument) : std::nullopt;
}

std::optional<std::span<const std::uint8_t>> CborReader::bytes() {
  const auto size = head(CborKind::byte_string);
  return size ? take(*size) : std::nullopt;
}

std::optional<std::string_view> CborReader::text() {
  const auto size = head(CborKind::text_string);
  const auto found = size ? take(*size) : std::nullopt;
  if (!found) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(found->data()), found->size());
}

std::optional<bool> CborReader::boolean() {
  const auto found = next();
  return found ? found->boolean() : std::nullopt;
}

std::optional<CborNumber> CborReader::number() {
  const auto found = next();
  if (!found) return std::nullopt;
  if (found->kind == CborKind::unsigned_integer) return found->argument;
  if (found->kind == CborKind::negative_integer && found->argument < kNegativeMax)
    return static_cast<std::int64_t>(~found->argument);
  if (found->kind != CborKind::other) return std::nullopt;
  if (found->detail == kFourBytes) return std::bit_cast<float>(static_cast<std::uint32_t>(found->argument));
  if (found->detail == kEightBytes) return std::bit_cast<double>(found->argument);
  return std::nullopt;
}

}  // namespace petri
