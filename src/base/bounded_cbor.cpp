#include <fmt/format.h>

#include <optional>

#include "base/json_builder.h"

namespace petri {
namespace {

using nlohmann::json;

enum class Major : std::uint8_t { unsigned_integer, negative_integer, bytes, text, array, map, tag, other };

constexpr std::uint8_t kFalse = 20, kTrue = 21, kNull = 22;
constexpr std::uint8_t kOneByte = 24;     // the argument follows in 1, 2, 4 or 8 bytes for 24 to 27
constexpr std::uint8_t kEightBytes = 27;  // what is above has no known length
constexpr std::uint64_t kNegativeMax = std::uint64_t{1} << 63;

struct Head {
  Major major;
  std::uint8_t detail;
  std::uint64_t argument;
};

// Goes through the bytes with a list of what is open, which stands for the recursion that the format suggests.
class CborParser {
 public:
  CborParser(std::span<const std::uint8_t> bytes, const JsonBounds& bounds)
      : all_(bytes.size()), rest_(bytes), builder_(bounds) {}

  JsonResult parse() {
    while (next()) {
    }
    if (!builder_.fault() && !rest_.empty()) refuse("has something behind its end");
    auto result = builder_.take();
    if (!result) result.error().byte = all_ - rest_.size();
    return result;
  }

 private:
  struct Open {
    std::uint64_t left;
    bool map;
  };

  // Reads one value, and what ends with it; false at the end and at a fault.
  bool next() {
    if (!open_.empty()) {
      --open_.back().left;
      if (open_.back().map && !name()) return false;
    }
    if (!value()) return false;
    while (!open_.empty() && open_.back().left == 0) {
      open_.pop_back();
      builder_.end();
    }
    return !open_.empty();
  }

  bool name() {
    const auto found = head();
    if (!found) return false;
    if (found->major != Major::text) return refuse("has a map whose names are not text");
    const auto text = take(found->argument);
    return text && builder_.name(to_text(*text));
  }

  bool value() {
    const auto found = head();
    if (!found) return false;
    switch (found->major) {
      case Major::unsigned_integer: return builder_.value(found->argument);
      case Major::negative_integer: return negative(found->argument);
      case Major::bytes: return bytes(found->argument);
      case Major::text: return text(found->argument);
      case Major::array: return open(json::value_t::array, found->argument, 1);
      case Major::map: return open(json::value_t::object, found->argument, 2);
      default: return simple(*found);
    }
  }

  bool negative(std::uint64_t argument) {
    if (argument >= kNegativeMax) return refuse("has a number that is too small");
    return builder_.value(static_cast<std::int64_t>(~argument));
  }
  bool bytes(std::uint64_t size) {
    const auto taken = take(size);
    return taken && builder_.value(json::binary({taken->begin(), taken->end()}));
  }
  bool text(std::uint64_t size) {
    const auto taken = take(size);
    return taken && builder_.value(to_text(*taken));
  }
  bool simple(const Head& head) {
    if (head.major != Major::other) return refuse("has a tag");
    if (head.detail == kNull) return builder_.value(nullptr);
    if (head.detail != kFalse && head.detail != kTrue) return refuse("has a value of a kind that petri does not write");
    return builder_.value(head.detail == kTrue);
  }
  // Each thing in it takes a byte at least.
  bool open(json::value_t kind, std::uint64_t count, std::uint64_t bytes_each) {
    if (count > rest_.size() / bytes_each) return refuse("says that more follows than it has");
    if (!builder_.begin(kind)) return false;
    open_.push_back({.left = count, .map = kind == json::value_t::object});
    return true;
  }

  std::optional<Head> head() {
    const auto first = take(1);
    if (!first) return std::nullopt;
    Head head{.major = static_cast<Major>(first->front() >> 5),
              .detail = static_cast<std::uint8_t>(first->front() & 31),
              .argument = static_cast<std::uint64_t>(first->front() & 31)};
    if (head.detail > kEightBytes) {
      refuse("has a part of unknown length");
      return std::nullopt;
    }
    if (head.detail < kOneByte) return head;
    const auto argument = take(std::uint64_t{1} << (head.detail - kOneByte));
    if (!argument) return std::nullopt;
    head.argument = 0;
    for (const std::uint8_t byte : *argument) head.argument = head.argument << 8 | byte;
    return head;
  }
  std::optional<std::span<const std::uint8_t>> take(std::uint64_t size) {
    if (size > rest_.size()) {
      refuse("ends too early");
      return std::nullopt;
    }
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  static std::string to_text(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }
  bool refuse(std::string_view why) { return builder_.refuse(JsonFaultKind::syntax, std::string(why)); }

  const std::size_t all_;
  std::span<const std::uint8_t> rest_;
  std::vector<Open> open_;
  JsonBuilder builder_;
};

}  // namespace

JsonResult parse_cbor(std::span<const std::uint8_t> bytes, const JsonBounds& bounds) {
  if (bytes.size() <= bounds.bytes_max) return CborParser(bytes, bounds).parse();
  return std::unexpected(
      JsonFault{.kind = JsonFaultKind::too_long,
                .why = fmt::format("has {} bytes, more than the {} allowed", bytes.size(), bounds.bytes_max)});
}

}  // namespace petri
