#include "watcher/globs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"

namespace petri {
namespace {

bool has_dots(std::string_view pattern) {
  return pattern == ".." || pattern.starts_with("../") || pattern.ends_with("/..") || pattern.contains("/../");
}

Result<void> check_pattern(const std::string& pattern) {
  std::string_view why;
  if (pattern.empty()) why = "is empty";
  if (pattern.starts_with('/')) why = "is absolute; patterns are for paths below the folder";
  if (has_dots(pattern)) why = "leads out of the folder";
  if (pattern.size() > Globs::kPatternBytesMax) why = "is longer than 256 bytes";
  if (why.empty()) return {};
  return fail(ErrorCode::validation_failed, fmt::format("the pattern {} {}", in_quotes(pattern), why));
}

}  // namespace

Result<Globs> Globs::create(const std::vector<std::string>& patterns) {
  if (patterns.size() > kPatternsMax) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{} patterns are more than the {} there may be", patterns.size(), kPatternsMax));
  }
  Globs globs;
  for (const std::string& pattern : patterns) {
    PETRI_TRY(check_pattern(pattern));
    globs.patterns_.push_back(read(pattern));
  }
  return globs;
}

Globs::Pattern Globs::read(std::string_view text) {
  Pattern pattern{.pieces = {}, .is_name = !text.contains('/')};
  while (!text.empty()) {
    std::size_t length = 1;
    if (text.starts_with("**/")) {
      pattern.pieces.push_back({Kind::folders});
      length = 3;
    } else if (text.starts_with("**")) {
      pattern.pieces.push_back({Kind::all});
      length = 2;
    } else if (text.front() == '*') {
      pattern.pieces.push_back({Kind::some});
    } else if (text.front() == '?') {
      pattern.pieces.push_back({Kind::one});
    } else {
      pattern.pieces.push_back({Kind::literal, text.front()});
    }
    text.remove_prefix(length);
  }
  return pattern;
}

// `here[end]` says if the pieces so far can match the first `end` characters.
bool Globs::matches(const Pattern& pattern, std::string_view text) {
  std::vector<char> here(text.size() + 1, 0);
  here[0] = 1;
  for (const Piece& piece : pattern.pieces) {
    std::vector<char> next(text.size() + 1, 0);
    bool reached = false;  // by this piece, from any place before
    for (std::size_t end = 0; end <= text.size(); ++end) {
      const char last = end == 0 ? '\0' : text[end - 1];
      const bool stepped = end > 0 && here[end - 1] != 0;
      switch (piece.kind) {
        case Kind::literal: next[end] = stepped && last == piece.character ? 1 : 0; break;
        case Kind::one: next[end] = stepped && last != '/' ? 1 : 0; break;
        case Kind::some: next[end] = here[end] != 0 || (end > 0 && next[end - 1] != 0 && last != '/') ? 1 : 0; break;
        case Kind::all: next[end] = here[end] != 0 || (end > 0 && next[end - 1] != 0) ? 1 : 0; break;
        case Kind::folders: next[end] = here[end] != 0 || (reached && last == '/') ? 1 : 0; break;
      }
      reached = reached || here[end] != 0;
    }
    here = std::move(next);
  }
  return here[text.size()] != 0;
}

bool Globs::match(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto matches_it = [&](const Pattern& pattern) { return matches(pattern, pattern.is_name ? name : path); };
  return patterns_.empty() || std::ranges::any_of(patterns_, matches_it);
}

}  // namespace petri
