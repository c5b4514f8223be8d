#include "report/page/html.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri {

std::string html_text(std::string_view text, std::size_t bytes_max) {
  std::string html;
  for (const char c : escape_text(text, bytes_max)) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string percent_text(std::size_t part, std::size_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.1) return "&lt; 0.1 %";
  if (part < whole && percent > 99.9) return "&gt; 99.9 %";
  return part == whole ? "100 %" : fmt::format("{:.1f} %", percent);
}

std::string percent_of(double place) { return fmt::format("{:.2f}%", 100 * place); }

std::string score_text(std::optional<double> score) { return score ? fmt::format("{:.6g}", *score) : "none"; }

std::string hash_cell(std::string_view hex) {
  return fmt::format(R"(<code class="hash" title="{0}">{0}</code>)", html_text(hex));
}

}  // namespace petri
