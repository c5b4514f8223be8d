// The possible values of an option or argument, known by the word that help shows in its place: FILE, TIER, SIZE.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

enum class ValueKind {
  anything,
  file,
  folder,
  word,       // one of `words`
  word_list,  // some of `words`, separated by commas
};

struct ValueWords {
  ValueKind kind = ValueKind::anything;
  std::vector<std::string> words;
};

// nullptr for a placeholder that is not in the table.
const ValueWords* find_value_words(std::string_view placeholder);

// The shells `petri completion` can write for.
const std::vector<std::string>& completion_shells();

}  // namespace petri::cli
