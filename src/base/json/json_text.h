// Reads JSON (RFC 8259) from a text, in pieces and without recursion.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/json/json_builder.h"

namespace petri {

// Made for hostile texts: what is kept is what the builder gets and the string being read, an error copies nothing of
// the text, and between two questions to `may_continue` no more than a few thousand bytes are read, inside of strings
// too. nlohmann's own parser keeps each string three times and quotes it in its errors.
class JsonText {
 public:
  // All three outlive it. `may_continue` may be empty.
  JsonText(std::string_view text, const std::function<bool()>& may_continue, JsonBuilder& builder)
      : text_(text), may_continue_(may_continue), builder_(builder) {}

  // One value and nothing behind it. False: the builder has the fault.
  bool read();
  // How far the text was read; behind the first byte that cannot be, where it is not JSON.
  std::size_t byte() const { return at_; }

 private:
  enum class Expected : std::uint8_t { value, value_or_end, name, name_or_end, colon, comma_or_end };

  bool read_next();
  bool read_value(char first);
  bool read_literal(std::string_view literal, const nlohmann::json& value);
  bool read_number();
  bool read_string(std::string& into);
  bool read_plain(std::string& into);
  bool read_escape(std::string& into);
  bool read_code_unit(char32_t& unit);
  bool open(nlohmann::json::value_t kind, Expected first);
  bool close();
  bool expect(Expected next, bool taken);

  void skip_spaces();
  std::size_t skip_digits();
  bool take(char wanted);
  bool at_end() const { return at_ == text_.size(); }
  char present() const { return text_[at_]; }
  // So many bytes were read.
  bool step(std::size_t bytes);
  bool not_json();

  const std::string_view text_;
  const std::function<bool()>& may_continue_;
  JsonBuilder& builder_;
  std::size_t at_ = 0;
  std::size_t since_question_ = 0;
  Expected expected_ = Expected::value;
};

}  // namespace petri
