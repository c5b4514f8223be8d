#include "base/bounded_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_builder.h"

namespace petri {
namespace {

using nlohmann::json;

constexpr int kOutOfRange = 406;  // nlohmann's number for a number that no double holds

// What nlohmann's parser calls. It has no recursion of its own.
class JsonEvents final : public nlohmann::json_sax<json> {
 public:
  explicit JsonEvents(JsonBuilder& builder) : builder_(builder) {}

  bool null() override { return builder_.value(nullptr); }
  bool boolean(bool value) override { return builder_.value(value); }
  bool number_integer(number_integer_t value) override { return builder_.value(value); }
  bool number_unsigned(number_unsigned_t value) override { return builder_.value(value); }
  bool number_float(number_float_t value, const string_t&) override { return builder_.value(value); }
  bool string(string_t& value) override { return builder_.value(std::move(value)); }
  bool binary(binary_t&) override { return builder_.refuse(JsonFaultKind::syntax, "is not JSON"); }
  bool start_object(std::size_t) override { return builder_.begin(json::value_t::object); }
  bool key(string_t& name) override { return builder_.name(std::move(name)); }
  bool end_object() override { return builder_.end(); }
  bool start_array(std::size_t) override { return builder_.begin(json::value_t::array); }
  bool end_array() override { return builder_.end(); }
  bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
    byte_ = byte;
    if (error.id == kOutOfRange) return builder_.refuse(JsonFaultKind::number_range, "has a number that is too large");
    return builder_.refuse(JsonFaultKind::syntax, "is not JSON");
  }
  std::size_t byte() const { return byte_; }

 private:
  JsonBuilder& builder_;
  std::size_t byte_ = 0;
};

// The text as the parser reads it: it ends early once `may_continue` says so. All copies share one state.
class MeteredCharacters {
 public:
  struct State {
    const std::function<bool()>& may_continue;
    std::uint32_t read = 0;
    bool stopped = false;
  };
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  MeteredCharacters(const char* at, State& state) : at_(at), state_(&state) {}
  reference operator*() const { return *at_; }
  MeteredCharacters& operator++() {
    ++at_;
    if (++state_->read == kBytesBetweenQuestions) ask();
    return *this;
  }
  MeteredCharacters operator++(int) {
    MeteredCharacters before = *this;
    ++*this;
    return before;
  }
  // Only ever asked of the present place and the end.
  bool operator==(const MeteredCharacters& other) const { return at_ == other.at_ || state_->stopped; }
  bool operator!=(const MeteredCharacters& other) const { return !(*this == other); }

 private:
  static constexpr std::uint32_t kBytesBetweenQuestions = 4'096;

  void ask() {
    state_->read = 0;
    state_->stopped = !state_->may_continue();
  }

  const char* at_;
  State* state_;
};

// Where the parser stopped reading, as an editor counts.
std::string place_in(std::string_view text, std::size_t bytes) {
  const std::string_view read = text.substr(0, std::min(bytes, text.size()));
  const auto line = std::count(read.begin(), read.end(), '\n') + 1;
  const std::size_t line_start = read.rfind('\n') == std::string_view::npos ? 0 : read.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(read.size() - line_start, 1));
}

// False: it was not read to its end, and the events say why unless it was stopped.
bool read(std::string_view text, const std::function<bool()>& may_continue, JsonBuilder& builder, JsonEvents& events) {
  if (!may_continue) return json::sax_parse(text, &events);
  MeteredCharacters::State state{.may_continue = may_continue};
  const bool whole = json::sax_parse(MeteredCharacters(text.data(), state),
                                     MeteredCharacters(text.data() + text.size(), state), &events);
  if (state.stopped) builder.refuse(JsonFaultKind::stopped, "was not read to its end: its reader was stopped");
  return whole && !state.stopped;
}

}  // namespace

ErrorCode JsonFault::code() const {
  if (kind == JsonFaultKind::stopped) return ErrorCode::cancelled;
  const bool is_bound = kind >= JsonFaultKind::too_long;
  return is_bound ? ErrorCode::too_large : ErrorCode::parse_failed;
}

Error JsonFault::error(std::string_view what) const {
  return {.code = code(), .message = fmt::format("{} {}", what, why), .details = {}};
}

JsonResult parse_json(std::string_view text, const JsonBounds& bounds, const std::function<bool()>& may_continue) {
  JsonBuilder builder(bounds);
  if (text.size() > bounds.bytes_max) {
    builder.refuse(JsonFaultKind::too_long,
                   fmt::format("has {} bytes, more than the {} allowed", text.size(), bounds.bytes_max));
    return builder.take();
  }
  JsonEvents events(builder);
  const bool whole = read(text, may_continue, builder, events);
  if (!whole && !builder.fault()) builder.refuse(JsonFaultKind::syntax, "is not JSON");
  auto result = builder.take();
  if (result) return result;
  JsonFault& fault = result.error();
  fault.byte = events.byte();
  if (fault.kind == JsonFaultKind::syntax) fault.why += fmt::format(" from {} on", place_in(text, fault.byte));
  return result;
}

}  // namespace petri
