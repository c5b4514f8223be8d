#include "cli/shell/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/byte_text.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

namespace petri::cli {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%~^*?!<>&|$";

constexpr char kSeparator = ';';

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::size_t column_of(std::string_view line, std::size_t byte) {
  std::size_t column = 1;
  for (std::size_t at = 0; at < byte; ++column) at += decode_utf8(line.substr(at)).bytes;
  return column;
}

class Scanner {
 public:
  explicit Scanner(std::string_view line) : line_(line) {}

  WordScan scan() {
    if (line_.size() > kShellLineBytesMax) {
      refuse(kShellLineBytesMax, fmt::format("the line has more than {}", format_bytes(kShellLineBytesMax)));
      return std::move(scan_);
    }
    if (!find_strange_bytes()) return std::move(scan_);
    while (!scan_.wrong && skip_blanks()) word();
    return std::move(scan_);
  }

 private:
  bool at_end() const { return at_ >= line_.size(); }
  // Where the line is read from keeps to `scan_.wrong` once it is set.
  void refuse(std::size_t byte, std::string_view what) {
    const std::size_t column = byte >= kShellLineBytesMax ? kShellLineBytesMax : column_of(line_, byte);
    scan_.wrong =
        Error{.code = ErrorCode::validation_failed, .message = fmt::format("column {}: {}", column, what)}.with(
            "column", fmt::format("{}", column));
  }

  // Looked for first, so that what is binary is called that, wherever its quotes happen to be.
  bool find_strange_bytes() {
    for (std::size_t at = 0; at < line_.size();) {
      const Utf8Step step = decode_utf8(line_.substr(at));
      const bool strange_control = is_control(line_[at]) && line_[at] != '\t';
      if (!step.valid || strange_control) {
        refuse(at, fmt::format("the byte 0x{:02x} cannot stand in a command; inside \"...\" it is written \\x{:02x}",
                               static_cast<unsigned char>(line_[at]), static_cast<unsigned char>(line_[at])));
        return false;
      }
      at += step.bytes;
    }
    return true;
  }

  // False at the end of the line, or where a comment starts.
  bool skip_blanks() {
    while (!at_end() && is_blank(line_[at_])) ++at_;
    return !at_end() && line_[at_] != '#';
  }

  void word() {
    ShellWord word{.begin = at_};
    if (line_[at_] == kSeparator) {
      scan_.words.push_back({.text = std::string(1, kSeparator), .begin = at_, .end = at_ + 1, .separates = true});
      scan_.open = false;
      ++at_;
      return;
    }
    while (!at_end() && !is_blank(line_[at_]) && line_[at_] != kSeparator && !scan_.wrong) piece(word.text);
    word.end = at_;
    scan_.open = at_end();
    const bool whole = !scan_.wrong || scan_.quote != 0;
    if (whole) scan_.words.push_back(std::move(word));
  }

  void piece(std::string& text) {
    const char c = line_[at_];
    if (c == '\'' || c == '"') return quoted(text, c);
    if (c == '\\') return escaped(text);
    text += c;
    ++at_;
  }

  void escaped(std::string& text) {
    const std::size_t begin = at_++;
    if (at_end()) return refuse(begin, "there is nothing after the backslash");
    const std::size_t bytes = decode_utf8(line_.substr(at_)).bytes;
    text.append(line_, at_, bytes);
    at_ += bytes;
  }

  void quoted(std::string& text, char quote) {
    const std::size_t begin = at_++;
    while (!at_end() && line_[at_] != quote) {
      if (quote == '"' && line_[at_] == '\\') {
        if (!escape_in_quotes(text)) return;
      } else {
        text += line_[at_++];
      }
    }
    if (!at_end()) {
      ++at_;
      return;
    }
    scan_.quote = quote;
    refuse(begin, fmt::format("the quote {} is not closed", quote));
  }

  bool escape_in_quotes(std::string& text) {
    const std::size_t begin = at_++;
    const char c = at_end() ? '\0' : line_[at_];
    constexpr std::string_view kEscapes = "\"\\nrt";
    constexpr std::string_view kMeanings = "\"\\\n\r\t";
    if (const std::size_t known = kEscapes.find(c); known != std::string_view::npos) {
      text += kMeanings[known];
      ++at_;
      return true;
    }
    if (c == 'x') {
      const auto byte = from_hex(line_.substr(at_ + 1, 2));
      if (byte && byte->size() == 1) {
        text += static_cast<char>(byte->front());
        at_ += 3;
        return true;
      }
    }
    refuse(begin, R"(inside "..." a backslash stands before one of " \ n r t, or before x and two hexadecimal digits)");
    return false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  WordScan scan_;
};

}  // namespace

WordScan scan_words(std::string_view line) { return Scanner(line).scan(); }

Result<std::vector<ShellWord>> split_words(std::string_view line) {
  WordScan scan = scan_words(line);
  if (scan.wrong) return fail(std::move(*scan.wrong));
  return std::move(scan.words);
}

std::vector<std::vector<ShellWord>> commands_of(std::vector<ShellWord> words) {
  std::vector<std::vector<ShellWord>> commands(1);
  for (ShellWord& word : words) {
    if (!word.separates) {
      commands.back().push_back(std::move(word));
    } else if (!commands.back().empty()) {
      commands.emplace_back();
    }
  }
  if (commands.back().empty()) commands.pop_back();
  return commands;
}

std::string quote_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain) return std::string(text);
  std::string quoted = "\"";
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    const char c = text.front();
    if (c == '"' || c == '\\') {
      quoted.append("\\").push_back(c);
    } else if (!step.valid || is_control(c)) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted.append(text, 0, step.bytes);
    }
    text.remove_prefix(step.bytes);
  }
  return quoted + "\"";
}

}  // namespace petri::cli
