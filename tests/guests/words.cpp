// C++ with its standard library, as a reactor: `_initialize` runs first.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "petri.h"

static std::vector<std::string> greeting{"constructors", "have", "run"};

static std::string input() {
  std::string text(static_cast<std::size_t>(petri_input_size()), ' ');
  petri_input_read(text.data(), 0, text.size());
  return text;
}

// How often each word of the input occurs.
PETRI_EXPORT("count") petri_i32 count() {
  std::map<std::string, int> counts;
  std::string word;
  for (const char character : input() + " ") {
    if (character != ' ') {
      word += character;
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  for (const auto& [name, times] : counts) petri_output_text((name + "=" + std::to_string(times) + "\n").c_str());
  return static_cast<petri_i32>(greeting.size());
}
