// Reading the words of a command line with CLI11, and saying in one sentence what is wrong with them. The grammar is
// its caller's.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace CLI {
class App;
}

namespace petri::cli {

// The words after this one are those of another program.
inline constexpr std::string_view kEndOfWords = "--";

enum class Parsed {
  all,
  help,             // --help was among the words: help_of(named_command(app))
  unexpected_word,  // one stands where none is expected: refuse_unexpected(app)
};

// Fills what the options of `app` refer to. Anything else that is wrong is validation_failed and names the word.
Result<Parsed> parse(CLI::App& app, std::vector<std::string> words);

// The subcommand that was named, the innermost of them, or the app itself.
const CLI::App& named_command(const CLI::App& app);

// "petri", "petri run", "petri audit verify".
std::string words_for(const CLI::App& command);
// With this line in place of CLI11's own, which knows neither the words that are left over nor those after "--".
std::string help_of(const CLI::App& command, const std::string& usage = {});

// validation_failed, with where to find help.
std::unexpected<Error> refuse_usage(const CLI::App& command, std::string_view what);
// The same about the first word that was not expected.
std::unexpected<Error> refuse_unexpected(const CLI::App& app);
std::string first_unexpected(const CLI::App& app);

// The command that these words name, starting at `app`; validation_failed with the nearest where there is none.
Result<const CLI::App*> command_named(const CLI::App& app, std::span<const std::string> words);

// "--keep_state" as "--keep-state": options had underscores once. A value after "=" stays as it is.
std::string with_hyphens(std::string word);

// A word of the command line as it is repeated in a message.
std::string argument_shown(std::string_view word);

// True when errors are to be printed as JSON too, even those of the arguments themselves.
bool asks_for_json(const std::vector<std::string>& arguments);

}  // namespace petri::cli
