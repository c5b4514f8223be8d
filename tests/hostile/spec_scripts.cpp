#include "hostile/spec_scripts.h"

#include <algorithm>
#include <string_view>

namespace petri {
namespace {

// Where the list, text, comment or word that starts here ends. Comments are skipped by the caller.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t end_of_text(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at + 1;
  }
  std::size_t end_of_block_comment(std::size_t at) const {
    int depth = 0;
    do {
      if (text_.compare(at, 2, "(;") == 0) {
        ++depth, ++at;
      } else if (text_.compare(at, 2, ";)") == 0) {
        --depth, ++at;
      }
      ++at;
    } while (depth > 0 && at < text_.size());
    return at;
  }
  // Where something that is neither space nor comment starts.
  std::size_t next(std::size_t at) const {
    while (at < text_.size()) {
      if (text_.compare(at, 2, ";;") == 0) {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (text_.compare(at, 2, "(;") == 0) {
        at = end_of_block_comment(at);
      } else if (std::string_view(" \t\r\n").find(text_[at]) != std::string_view::npos) {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }
  std::size_t end_of_list(std::size_t at) const {
    int depth = 0;
    for (; at < text_.size(); at = next(at)) {
      if (text_[at] == '"') {
        at = end_of_text(at);
        continue;
      }
      if (text_[at] == '(') ++depth;
      if (text_[at++] == ')' && --depth == 0) break;
    }
    return at;
  }
  std::string_view word(std::size_t at) const { return text_.substr(at, text_.find_first_of(" \t\r\n()\";", at) - at); }

 private:
  std::string_view text_;
};

unsigned digit_of(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

// The bytes a text of the format stands for.
std::string bytes_of(std::string_view quoted) {
  constexpr std::string_view kEscapes = "tnr\"'\\", kMeanings = "\t\n\r\"'\\";
  std::string bytes;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      bytes += quoted[i];
      continue;
    }
    const std::size_t escape = kEscapes.find(quoted[++i]);
    if (escape != std::string_view::npos) {
      bytes += kMeanings[escape];
    } else {
      bytes += static_cast<char>(digit_of(quoted[i]) * 16 + digit_of(quoted[i + 1]));
      ++i;
    }
  }
  return bytes;
}

// The texts of "(module binary ...)" and "(module quote ...)", one after another.
std::string texts_of(const Scanner& scanner, std::string_view module, std::string_view separator) {
  std::string all;
  for (std::size_t at = scanner.next(1); at < module.size(); at = scanner.next(at)) {
    if (module[at] != '"') {
      ++at;
      continue;
    }
    const std::size_t end = scanner.end_of_text(at);
    all += bytes_of(module.substr(at, end - at));
    all += separator;
    at = end;
  }
  return all;
}

Source source_of(std::string_view module) {
  const Scanner scanner(module);
  std::size_t at = scanner.next(1 + std::string_view("module").size());
  if (module[at] == '$') at = scanner.next(at + scanner.word(at).size());
  const std::string_view kind = scanner.word(at);
  if (kind == "quote") return Source::wat(texts_of(scanner, module, " "));
  if (kind != "binary") return Source::wat(std::string(module));
  const std::string bytes = texts_of(scanner, module, "");
  return Source::wasm({bytes.begin(), bytes.end()});
}

}  // namespace

std::vector<SpecModule> refused_modules(const std::string& name, const std::string& script) {
  const Scanner scanner(script);
  std::vector<SpecModule> all;
  for (std::size_t at = scanner.next(0); at < script.size(); at = scanner.next(at)) {
    const std::size_t end = scanner.end_of_list(at);
    const std::string verdict(scanner.word(at + 1));
    const std::size_t module = scanner.next(at + 1 + verdict.size());
    if (verdict == "assert_invalid" || verdict == "assert_malformed" || verdict == "assert_unlinkable") {
      const auto line = 1 + std::count(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      all.push_back({name + ":" + std::to_string(line), verdict,
                     source_of(std::string_view(script).substr(module, scanner.end_of_list(module) - module))});
    }
    at = end;
  }
  return all;
}

}  // namespace petri
