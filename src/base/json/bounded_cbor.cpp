#include <fmt/format.h>

#include <optional>

#include "base/assert.h"
#include "base/json/cbor.h"
#include "base/json/json_builder.h"

namespace petri {
namespace {

using nlohmann::json;

// Goes through the bytes with a list of what is open, which stands for the recursion that the format suggests.
class CborParser {
 public:
  CborParser(std::span<const std::uint8_t> bytes, const JsonBounds& bounds)
      : all_(bytes.size()), reader_(bytes), builder_(bounds) {}

  JsonResult parse() {
    while (next()) {
    }
    if (!builder_.fault() && !reader_.at_end()) refuse("has something behind its end");
    auto result = builder_.take();
    if (!result) result.error().byte = all_ - reader_.left();
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
    if (found->kind != CborKind::text_string) return refuse("has a map whose names are not text");
    const auto text = take(found->argument);
    return text && builder_.name(to_text(*text));
  }

  bool value() {
    const auto found = head();
    if (!found) return false;
    switch (found->kind) {
      case CborKind::unsigned_integer: return builder_.value(found->argument);
      case CborKind::negative_integer: return negative(found->argument);
      case CborKind::byte_string: return bytes(found->argument);
      case CborKind::text_string: return text(found->argument);
      case CborKind::array: return open(json::value_t::array, found->argument, 1);
      case CborKind::map: return open(json::value_t::object, found->argument, 2);
      default: return simple(*found);
    }
  }

  bool negative(std::uint64_t argument) {
    if (argument >> 63 != 0) return refuse("has a number that is too small");
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
  bool simple(const CborReader::Head& head) {
    if (head.kind != CborKind::other) return refuse("has a tag");
    if (head.is_null()) return builder_.value(nullptr);
    const auto boolean = head.boolean();
    return boolean ? builder_.value(*boolean) : refuse("has a value of a kind that petri does not write");
  }
  // Each thing in it takes a byte at least.
  bool open(json::value_t kind, std::uint64_t count, std::uint64_t bytes_each) {
    if (count > reader_.left() / bytes_each) return refuse("says that more follows than it has");
    if (!builder_.begin(kind)) return false;
    open_.push_back({.left = count, .map = kind == json::value_t::object});
    return true;
  }

  std::optional<CborReader::Head> head() {
    const auto found = reader_.next();
    if (!found) refuse(reader_.is_cut() ? "ends too early" : "has a part of unknown length");
    return found;
  }
  std::optional<std::span<const std::uint8_t>> take(std::uint64_t size) {
    const auto taken = reader_.take(size);
    if (!taken) refuse("ends too early");
    return taken;
  }
  static std::string to_text(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }
  bool refuse(std::string_view why) { return builder_.refuse(JsonFaultKind::syntax, std::string(why)); }

  const std::size_t all_;
  CborReader reader_;
  std::vector<Open> open_;
  JsonBuilder builder_;
};

// Recurses as deep as the value, which is ours.
void write(CborWriter& writer, const json& value) {
  switch (value.type()) {
    case json::value_t::null: return writer.null();
    case json::value_t::boolean: return writer.boolean(value.get<bool>());
    case json::value_t::number_integer: return writer.number(value.get<std::int64_t>());
    case json::value_t::number_unsigned: return writer.number(value.get<std::uint64_t>());
    case json::value_t::string: return writer.text(value.get_ref<const std::string&>());
    case json::value_t::binary: return writer.bytes(value.get_binary());
    case json::value_t::array:
      writer.head(CborKind::array, value.size());
      for (const json& element : value) write(writer, element);
      return;
    case json::value_t::object:
      writer.head(CborKind::map, value.size());
      for (const auto& [name, member] : value.items()) {
        writer.text(name);
        write(writer, member);
      }
      return;
    default: PETRI_UNREACHABLE();  // parse_cbor() reads no floats
  }
}

}  // namespace

void append_cbor(std::string& out, const json& value) {
  CborWriter writer(out);
  write(writer, value);
}

JsonResult parse_cbor(std::span<const std::uint8_t> bytes, const JsonBounds& bounds) {
  if (bytes.size() <= bounds.bytes_max) return CborParser(bytes, bounds).parse();
  return std::unexpected(
      JsonFault{.kind = JsonFaultKind::too_long,
                .why = fmt::format("has {} bytes, more than the {} allowed", bytes.size(), bounds.bytes_max)});
}

}  // namespace petri
