#include "cli/manual/roff.h"

#include <fmt/format.h>

#include "base/assert.h"

namespace petri::cli {
namespace {

// The code point that starts at `at`, and moves behind it. The text is our own, and valid UTF-8.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t point = first & (0x3F >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return point;
}

std::string escape_point(char32_t point) {
  if (point == '\\') return "\\e";
  if (point == '-') return "\\-";
  if (point == '\'') return "\\(aq";
  if (point == '"') return "\\(dq";
  if (point == '^') return "\\(ha";
  if (point == '~') return "\\(ti";
  if (point == '`') return "\\(ga";
  if (point < 0x80) return {static_cast<char>(point)};
  return fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(point));
}

}  // namespace

std::string roff_escape(std::string_view text) {
  // A dot at the start of a line would be a request.
  std::string result = text.starts_with('.') ? "\\&" : "";
  for (std::size_t at = 0; at < text.size();) result += escape_point(next_code_point(text, at));
  return result;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_escape(text) + "\\fR"; }
std::string roff_italic(std::string_view text) { return "\\fI" + roff_escape(text) + "\\fR"; }

// Without a date: the same petri makes the same pages.
RoffPage::RoffPage(std::string_view title, std::string_view source)
    : text_(fmt::format(".\\\" Written by \"petri manual\".\n.TH \"{}\" 1 \"\" \"{}\" \"petri\"\n.ad l\n.nh\n",
                        roff_escape(title), roff_escape(source))) {}

void RoffPage::section(std::string_view name) { text_ += fmt::format(".SH {}\n", roff_escape(name)); }

void RoffPage::paragraph(std::string_view text) { text_ += fmt::format(".PP\n{}\n", text); }

void RoffPage::item(std::string_view term, std::string_view text) { text_ += fmt::format(".TP\n{}\n{}\n", term, text); }

void RoffPage::lines(const std::vector<std::string>& lines) {
  text_ += ".nf\n";
  for (const std::string& line : lines) text_ += roff_bold(line) + "\n";
  text_ += ".fi\n";
}

void RoffPage::references(const std::vector<std::string>& pages) {
  for (std::size_t i = 0; i < pages.size(); ++i)
    text_ += fmt::format(".BR {} (1){}\n", roff_escape(pages[i]), i + 1 < pages.size() ? "," : "");
}

}  // namespace petri::cli
