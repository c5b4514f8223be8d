#include "cli/parsing.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/nearest.h"
#include "cli/option_error.h"

namespace petri::cli {
namespace {

constexpr std::size_t kArgumentShownBytesMax = 200;

std::string_view line_before_break(std::string_view text) { return text.substr(0, text.find('\n')); }

// CLI11's sentence without its line ends and final full stop, safe to print.
std::string words_of(const CLI::Error& error) {
  const std::string text = escape_text(line_before_break(error.what()), kArgumentShownBytesMax);
  return std::string(without_full_stop(text));
}

// CLI11 says only "--fuel: At Most 1 required but received 2" when there are too many or too few values.
std::string words_of(const CLI::ArgumentMismatch& error) {
  const std::string text = words_of(static_cast<const CLI::Error&>(error));
  const bool too_many = text.find("At Most") != std::string::npos;
  return fmt::format("the option {} {}", text.substr(0, text.find(':')),
                     too_many ? "is given more than once" : "needs a value");
}

// CLI11 says "Could not convert: --json = maybe" when a flag has a value.
std::string words_of(const CLI::ConversionError& error) {
  const std::string text = words_of(static_cast<const CLI::Error&>(error));
  return fmt::format("\"{}\" makes no sense",
                     text.substr(text.find(": ") == std::string::npos ? 0 : text.find(": ") + 2));
}

bool looks_like_an_option(const std::string& word) { return word.starts_with('-'); }

// A command that takes names leaves them over; an option among them is a mistake.
bool left_over_option(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  return std::any_of(words.begin(), words.end(), looks_like_an_option);
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> option_names_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> names = option_names_of(command);
  for (const CLI::App* one : commands_of(command)) names.push_back(one->get_name());
  return names;
}

std::string proposal(const std::string& word, const std::vector<std::string>& names) {
  return did_you_mean(word.substr(0, word.find('=')), {names.begin(), names.end()});
}

}  // namespace

Result<Parsed> parse(CLI::App& app, std::vector<std::string> words) {
  for (std::string& word : words) word = with_hyphens(std::move(word));
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::ExtrasError&) {
    return Parsed::unexpected_word;
  } catch (const OptionError& error) {
    return refuse_usage(named_command(app), without_full_stop(error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    return refuse_usage(named_command(app), words_of(error));
  } catch (const CLI::ConversionError& error) {
    return refuse_usage(named_command(app), words_of(error));
  } catch (const CLI::Error& error) {
    return refuse_usage(named_command(app), words_of(error));
  }
  return left_over_option(app) ? Parsed::unexpected_word : Parsed::all;
}

const CLI::App& named_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : named_command(*named.back());
}

std::string words_for(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : words_for(*parent) + " " + command.get_name();
}

std::string help_of(const CLI::App& command, const std::string& usage) {
  std::string text = command.help(command.get_parent() == nullptr ? "" : words_for(*command.get_parent()));
  const std::size_t line = text.find("Usage: ");
  if (!usage.empty() && line != std::string::npos) text.replace(line, text.find('\n', line) - line, "Usage: " + usage);
  return text;
}

std::unexpected<Error> refuse_usage(const CLI::App& command, std::string_view what) {
  const std::string words = words_for(command);
  Error error{
      .code = ErrorCode::validation_failed, .message = fmt::format("{}; see {} --help", what, words), .details = {}};
  return fail(std::move(error).with("operation", words.substr(words.find(' ') + 1)));
}

std::string first_unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  // The words left over may begin with valid names; the unknown option after them is the fault.
  const bool takes_names = named_command(app).get_allow_extras();
  const auto wrong = takes_names ? std::find_if(words.begin(), words.end(), looks_like_an_option) : words.begin();
  return wrong == words.end() ? std::string() : *wrong;
}

std::unexpected<Error> refuse_unexpected(const CLI::App& app) {
  const CLI::App& command = named_command(app);
  const std::string word = first_unexpected(app);
  const bool has_commands = !commands_of(command).empty();
  if (has_commands || looks_like_an_option(word)) {
    const auto names = has_commands ? known_words(command) : option_names_of(command);
    return refuse_usage(command, fmt::format("there is no {} {}{}", has_commands ? "command or option" : "option",
                                             argument_shown(word), proposal(word, names)));
  }
  return refuse_usage(command, fmt::format("the argument {} is one too many", argument_shown(word)));
}

Result<const CLI::App*> command_named(const CLI::App& app, std::span<const std::string> words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const auto commands = commands_of(*command);
    const auto found = std::ranges::find_if(commands, [&](const CLI::App* one) { return one->get_name() == word; });
    if (found == commands.end()) {
      std::vector<std::string> names;
      for (const CLI::App* one : commands) names.push_back(one->get_name());
      return refuse_usage(*command,
                          fmt::format("there is no command {}{}", argument_shown(word), proposal(word, names)));
    }
    command = *found;
  }
  return command;
}

std::string with_hyphens(std::string word) {
  if (!word.starts_with("--")) return word;
  std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_',
               '-');
  return word;
}

std::string argument_shown(std::string_view word) { return in_quotes(word, kArgumentShownBytesMax); }

bool asks_for_json(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfWords);
  return std::find(arguments.begin(), end, "--json") != end;
}

}  // namespace petri::cli
