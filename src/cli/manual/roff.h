// The few marks of man(7) that our pages need. All text is escaped, so that it shows as it is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

class RoffPage {
 public:
  RoffPage(std::string_view title, std::string_view source);

  void section(std::string_view name);
  void paragraph(std::string_view text);
  // A term with its explanation, indented.
  void item(std::string_view term, std::string_view text);
  // Lines as they are, each in bold.
  void lines(const std::vector<std::string>& lines);
  // Other pages of section 1, separated by commas.
  void references(const std::vector<std::string>& pages);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A word in bold, and one in italics, for a paragraph or an item. What is inside is escaped.
std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);
std::string roff_escape(std::string_view text);

}  // namespace petri::cli
