// The command line: words separated by NUL bytes.
#include <string_view>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "cli/command_line.h"
#include "cli/parsing.h"
#include "fuzz/target.h"

namespace petri::fuzz {
namespace {

std::vector<std::string> words_of(std::string_view input) {
  std::vector<std::string> words;
  while (!input.empty()) {
    const std::size_t end = input.find('\0');
    words.emplace_back(input.substr(0, end));
    if (end == std::string_view::npos) break;
    input.remove_prefix(end + 1);
  }
  return words;
}

std::string seed_of(std::initializer_list<std::string_view> words) {
  std::string input;
  for (const std::string_view word : words) input.append(word).push_back('\0');
  return input;
}

// A message is one line that harms no terminal.
void require_one_clean_line(std::string_view message) {
  FUZZ_REQUIRE(!message.empty() && is_utf8(message));
  for (const char c : message) FUZZ_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

void require_numbers_to_be_read_or_refused(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    for (const ValueType type : {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64}) {
      const auto value = parse_value(text, type);
      if (!value) require_one_clean_line(value.error().message);
      // A value that was read can be written and read again, to the same bits.
      if (value) FUZZ_REQUIRE(parse_value(to_text(*value), type) == *value);
    }
  }
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      seed_of({"run", "add.wat", "--call", "add", "--args", "2", "-3.5", "-inf", "nan:0x12", "0x1f", "--fuel", "1000"}),
      seed_of({"run", "-", "--memory", "16MiB", "--timeout", "1.5s", "--depth", "100", "--tier", "compiled", "--json"}),
      seed_of(
          {"run", "p.wasm", "--allow", "log,clock,file_write", "--folder", "data", "--env", "A=b", "--", "x", "--y"}),
      seed_of({"run", "f", "--seed", "18446744073709551615", "--deterministic", "--input", "-", "--quiet"}),
      seed_of({"run", "f", "--output_bytes_max=1KiB", "--files_max", "3", "--log_bytes_per_second_max", "64KiB"}),
      seed_of({"inspect", "f.wasm", "--json", "--allow", "none"}),
      seed_of({"audit", "verify", "audit.jsonl", "--contains", "00ff", "--json"}),
      seed_of({"tables", "limits"}),
      seed_of({"bench", "prepare_us", "--list", "--json"}),
      seed_of({"version", "--help"}),
      seed_of({"--version"}),
      seed_of({"run", "[[a,b],[c]]", "++", "--args=[1,2]", "--", "--"}),
  };
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  const auto words = fuzz::words_of({reinterpret_cast<const char*>(data), size});
  const auto command = cli::parse_command_line(words);
  (void)cli::asks_for_json(words);
  if (!command) {
    FUZZ_REQUIRE(command.error().code == ErrorCode::validation_failed);
    fuzz::require_one_clean_line(command.error().message);
  } else if (const auto* run = std::get_if<cli::RunOptions>(&*command)) {
    if (const auto valid = validate(run->limits); !valid) fuzz::require_one_clean_line(valid.error().message);
    fuzz::require_numbers_to_be_read_or_refused(run->arguments);
  }
  return 0;
}
