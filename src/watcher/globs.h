// Patterns that paths match: "*.c", "src/**/*.h".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

// `*` and `?` stand for characters other than a slash, `**` for any, `**/` for any folders or none. A pattern without a
// slash is for the last part of a path, wherever it stands; one with a slash is for the whole path. Nothing else has a
// meaning of its own, so that every file name can be written as a pattern but for these two characters.
class Globs {
 public:
  static constexpr std::size_t kPatternsMax = 100;
  static constexpr std::size_t kPatternBytesMax = 256;

  // validation_failed names the pattern: an empty one, one that is absolute or has a part "..", or too many or long.
  static Result<Globs> create(const std::vector<std::string>& patterns);
  // True if one of them matches, or if there is none. Takes time for the product of both lengths, whatever they hold.
  bool match(std::string_view path) const;

 private:
  enum class Kind : unsigned char { literal, one, some, all, folders };
  struct Piece {
    Kind kind = Kind::literal;
    char character = 0;
  };
  struct Pattern {
    std::vector<Piece> pieces;
    bool is_name = false;  // without a slash
  };
  static Pattern read(std::string_view text);
  static bool matches(const Pattern& pattern, std::string_view text);

  std::vector<Pattern> patterns_;
};

}  // namespace petri
