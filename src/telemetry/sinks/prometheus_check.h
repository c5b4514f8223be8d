// For tests: holds a text to the rules of the Prometheus format 0.0.4, and to what its authors ask of names.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/utf8.h"

namespace petri {

class PrometheusCheck {
 public:
  explicit PrometheusCheck(std::string_view text) {
    if (text.empty() || text.back() != '\n') blame("the last line has no end");
    if (!is_utf8(text)) blame("not UTF-8");
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      ++line_;
      read_line(text.substr(start, end - start));
      start = end + 1;
    }
  }

  // The faults that were found, a sentence each.
  const std::vector<std::string>& faults() const { return faults_; }
  // Values by series as written: petri_runs_total{outcome="ok"}.
  const std::map<std::string, std::uint64_t, std::less<>>& series() const { return series_; }
  std::uint64_t value(std::string_view series) const {
    const auto found = series_.find(series);
    return found == series_.end() ? ~std::uint64_t{0} : found->second;
  }
  // Over all label values of a metric.
  std::uint64_t sum(const std::string& metric) const {
    std::uint64_t total = 0;
    for (const auto& [name, value] : series_) total += name.starts_with(metric + "{") ? value : 0;
    return total;
  }

 private:
  static bool is_name(std::string_view name, bool colon) {
    const auto starts = [&](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':');
    };
    return !name.empty() && starts(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return starts(c) || (c >= '0' && c <= '9'); });
  }

  void blame(const std::string& what) { faults_.push_back("line " + std::to_string(line_) + ": " + what); }

  std::string take_word(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
  }

  void read_line(std::string_view line) {
    if (line.starts_with("# HELP ")) {
      read_help(line.substr(7));
    } else if (line.starts_with("# TYPE ")) {
      read_type(line.substr(7));
    } else {
      read_sample(line);
    }
  }

  void read_help(std::string_view rest) {
    metric_ = take_word(rest);
    typed_ = false;
    if (!is_name(metric_, true)) blame("no metric is called \"" + metric_ + "\"");
    if (!metrics_.insert(metric_).second) blame(metric_ + " comes twice");
    if (rest.empty()) blame(metric_ + " has no help");
    check_escapes(rest, "\\n");
  }

  void read_type(std::string_view rest) {
    const std::string metric = take_word(rest);
    if (metric != metric_ || typed_) blame("the type of " + metric + " does not follow its help");
    typed_ = true;
    if (rest != "counter" && rest != "gauge") blame("no such type");
    if ((rest == "counter") != metric.ends_with("_total")) blame(metric + ": counters, and only these, end in _total");
  }

  void read_sample(std::string_view line) {
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos) return blame("neither a comment nor a sample");
    const std::string_view series = line.substr(0, space), number = line.substr(space + 1);
    const std::size_t brace = std::min(series.find('{'), series.size());
    if (series.substr(0, brace) != metric_ || !typed_) blame("a sample stands away from its metric");
    if (brace < series.size()) read_labels(series.substr(brace));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) blame("no integer");
    if (!series_.emplace(std::string(series), value).second) blame(std::string(series) + " comes twice");
  }

  // {name="value",name="value"}
  void read_labels(std::string_view rest) {
    std::set<std::string> names;
    rest.remove_prefix(1);
    while (!rest.empty() && rest != "}") {
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) return blame("a label without a value");
      const std::string name(rest.substr(0, equals));
      if (!is_name(name, false) || name.starts_with("__")) blame("no label is called \"" + name + "\"");
      if (!names.insert(name).second) blame("the label " + name + " comes twice");
      rest.remove_prefix(equals + 2);
      const std::size_t end = end_of_value(rest);
      if (end == std::string_view::npos) return blame("a label value without an end");
      check_escapes(rest.substr(0, end), "\\n\"");
      rest.remove_prefix(end + 1);
      if (rest.starts_with(",")) rest.remove_prefix(1);
    }
    if (rest != "}") blame("labels without an end");
  }

  static std::size_t end_of_value(std::string_view rest) {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == '"') return i;
      if (rest[i] == '\\') ++i;
    }
    return std::string_view::npos;
  }

  void check_escapes(std::string_view text, std::string_view allowed) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') continue;
      ++i;
      if (i == text.size() || allowed.find(text[i]) == std::string_view::npos) blame("an escape it does not know");
    }
  }

  std::size_t line_ = 0;
  std::string metric_;
  bool typed_ = false;
  std::set<std::string> metrics_;
  std::map<std::string, std::uint64_t, std::less<>> series_;
  std::vector<std::string> faults_;
};

}  // namespace petri
