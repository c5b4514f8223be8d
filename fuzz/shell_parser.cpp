// The lines of petri shell: cut out of a stream, taken apart into words, bound to a verb, and completed.
#include <algorithm>
#include <string_view>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "cli/permission_words.h"
#include "cli/shell/bound_arguments.h"
#include "cli/shell/completion.h"
#include "cli/shell/limit_words.h"
#include "cli/shell/line_cutter.h"
#include "cli/shell/words.h"
#include "fuzz/target.h"

namespace petri::fuzz {
namespace {

using namespace petri::cli;

const KnownNames& known_names() {
  static const KnownNames known{
      .sandboxes = {{"orders", {.processes = {"a", "pool/w"}, .modules = {"orders"}, .functions = {"add", "ü"}}},
                    {"x-1", {}}},
      .background_calls = {"1"}};
  return known;
}

// A message is one line that harms no terminal.
void require_one_clean_line(const Error& error) {
  FUZZ_REQUIRE(!error.message.empty() && is_utf8(error.message));
  for (const char c : error.message) FUZZ_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

// Words stand in the line one after the other, and can be typed again.
void require_words_to_be_typed_again(std::string_view line, const std::vector<ShellWord>& words) {
  std::string again;
  std::size_t end = 0;
  for (const ShellWord& word : words) {
    FUZZ_REQUIRE(word.begin >= end && word.end > word.begin && word.end <= line.size());
    end = word.end;
    again += quote_word(word.text) + " ";
  }
  const auto read = split_words(again);
  FUZZ_REQUIRE(read.has_value() || again.size() > kShellLineBytesMax);
  FUZZ_REQUIRE(!read || std::ranges::equal(*read, words, {}, &ShellWord::text, &ShellWord::text));
}

void require_a_verdict(const std::vector<ShellWord>& words) {
  std::vector<std::string> texts;
  for (const ShellWord& word : words) texts.push_back(word.text);
  const auto verb = verb_named(texts.front());
  if (!verb) return require_one_clean_line(verb.error());
  const auto arguments = BoundArguments::bind(**verb, {texts.begin() + 1, texts.end()});
  if (!arguments) require_one_clean_line(arguments.error());
  if (const auto limits = parse_limit_changes(texts); !limits) require_one_clean_line(limits.error());
  if (const auto changed = change_permissions({}, texts); !changed) require_one_clean_line(changed.error());
}

void require_sensible_completion(std::string_view line, std::size_t cursor) {
  const Completion completion = complete(line, cursor, known_names());
  FUZZ_REQUIRE(completion.begin <= std::min(cursor, line.size()));
  FUZZ_REQUIRE(std::ranges::is_sorted(completion.candidates));
  for (const std::string& candidate : completion.candidates) FUZZ_REQUIRE(candidate.starts_with(completion.prefix));
}

void handle_line(std::string_view line) {
  const auto words = split_words(line);
  if (!words) {
    FUZZ_REQUIRE(words.error().code == ErrorCode::validation_failed && !words.error().detail("column").empty());
    require_one_clean_line(words.error());
  } else if (!words->empty()) {
    require_words_to_be_typed_again(line, *words);
    require_a_verdict(*words);
  }
  require_sensible_completion(line, line.size());
  require_sensible_completion(line, line.size() / 2);
}

// The lines are the same, however the bytes come in pieces.
void require_the_same_lines(std::string_view text, const std::vector<CutLine>& lines, std::size_t line_bytes_max) {
  LineCutter cutter(line_bytes_max);
  std::vector<CutLine> pieced;
  const auto take = [&] {
    while (auto line = cutter.next()) pieced.push_back(*line);
  };
  for (std::size_t step = 1; !text.empty(); step = step % 7 + 1) {
    cutter.add(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
    take();
  }
  cutter.finish();
  take();
  FUZZ_REQUIRE(pieced == lines);
}

std::vector<CutLine> lines_of(std::string_view text, std::size_t line_bytes_max) {
  LineCutter cutter(line_bytes_max);
  cutter.add(text);
  cutter.finish();
  std::vector<CutLine> lines;
  while (auto line = cutter.next()) lines.push_back(*line);
  return lines;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      "create orders orders.wat --limit memory=16MiB --label shop --allow log,clock\n",
      "create a --wat '(module (func (export \"f\")))' --tree '{\"children\": []}' # a comment\n",
      "call orders/pool/w add 2 -3.5 nan:0x12 --input \"a\\\"b\\\\\\x00\\xff\\n\" --background\n",
      "limits orders fuel=7 execution_time_max=50ms\npermissions orders +clock -log none\n",
      "events wait process.exited --timeout 5s\r\nevents on orders --kind=limit.met\n",
      "send x-1 -- --text\n\n\\\nfind --status running",
      std::string("help \0 \xff \x1b[31m \xc3\xbc", 17),
  };
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = fuzz::lines_of(text, cli::kShellLineBytesMax);
  for (const cli::CutLine& line : lines) fuzz::handle_line(line.text);
  fuzz::require_the_same_lines(text, lines, cli::kShellLineBytesMax);
  fuzz::require_the_same_lines(text, fuzz::lines_of(text, 8), 8);
  return 0;
}
