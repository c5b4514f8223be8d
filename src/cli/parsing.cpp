#include "cli/parsing.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/text/escape.h"
#include "cli/command_error.h"
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

bool has_commands(const CLI::App& command) {
  return !command.get_subcommands([](const CLI::App*) { return true; }).empty();
}

}  // namespace

Result<Parsed> parse(CLI::App& app, std::vector<std::string> words) {
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

std::string help_of(const CLI::App& command) {
  return command.help(command.get_parent() == nullptr ? "" : words_for(*command.get_parent()));
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
  if (has_commands(command))
    return refuse_usage(command, fmt::format("there is no command or option {}", argument_shown(word)));
  if (looks_like_an_option(word))
    return refuse_usage(command, fmt::format("there is no option {}", argument_shown(word)));
  return refuse_usage(command, fmt::format("the argument {} is one too many", argument_shown(word)));
}

std::string argument_shown(std::string_view word) { return in_quotes(word, kArgumentShownBytesMax); }

bool asks_for_json(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfWords);
  return std::find(arguments.begin(), end, "--json") != end;
}

}  // namespace petri::cli
