#include "cli/shell/command_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/interrupt.h"
#include "cli/shell/bound_arguments.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/words.h"
#include "petri/event_sinks.h"

namespace petri::cli {
namespace {

constexpr std::string_view kPrompt = "petri> ";
constexpr std::string_view kPromptOfMore = "    -> ";

// A line that ends in a backslash continues in the next; one that ends in two ends in a backslash that was meant.
bool is_continued(std::string_view line) {
  std::size_t backslashes = 0;
  while (line.ends_with('\\')) {
    line.remove_suffix(1);
    ++backslashes;
  }
  return backslashes % 2 == 1;
}

std::vector<std::string> texts_of(std::vector<ShellWord> words) {
  std::vector<std::string> texts;
  for (ShellWord& word : words) texts.push_back(std::move(word.text));
  return texts;
}

std::string each_line_after(std::string_view prefix, std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    text.append(prefix).append(lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return text;
}

}  // namespace

ExitCode CommandLoop::run(ShellLines& lines) {
  while (!console_.out.failed()) {
    if (handle(read_command(lines)) == Next::end) break;
  }
  print_news();
  return code_;
}

ShellInput CommandLoop::read_command(ShellLines& lines) {
  ShellInput input = lines.next(kPrompt);
  command_line_ = ++line_;
  while (input.kind == ShellInput::Kind::line && is_continued(input.text)) {
    ShellInput more = lines.next(kPromptOfMore);
    ++line_;
    if (more.kind == ShellInput::Kind::ended) break;
    if (more.kind != ShellInput::Kind::line) return more;
    input.text.pop_back();
    input.text += more.text;
    if (input.text.size() > kShellLineBytesMax) input.kind = ShellInput::Kind::too_long;
  }
  return input;
}

CommandLoop::Next CommandLoop::handle(const ShellInput& input) {
  switch (input.kind) {
    case ShellInput::Kind::line: return carry_out(input.text);
    case ShellInput::Kind::too_long: {
      const Error error{.code = ErrorCode::too_large,
                        .message = fmt::format("the line has more than {}", format_bytes(kShellLineBytesMax))};
      print("", error);
      return failed_with(exit_code_for(error));
    }
    case ShellInput::Kind::interrupted:
      if (options_.typed) return Next::resume;
      [[fallthrough]];
    case ShellInput::Kind::terminated: code_ = ExitCode::interrupted; return Next::end;
    case ShellInput::Kind::failed: {
      const Error error = Error{.code = ErrorCode::io_error, .message = input.text}.with("path", "-");
      print("", error);
      code_ = exit_code_for(error);
      return Next::end;
    }
    case ShellInput::Kind::ended: return Next::end;
  }
  return Next::end;
}

CommandLoop::Next CommandLoop::carry_out(const std::string& line) {
  if (options_.echo && !line.empty()) console_.out.write(fmt::format("{}{}\n", kPrompt, for_terminal(line)));
  auto words = split_words(line);
  if (!words) {
    print("", words.error());
    return failed_with(exit_code_for(words.error()));
  }
  for (std::vector<ShellWord>& command : commands_of(std::move(*words))) {
    std::vector<std::string> texts = texts_of(std::move(command));
    if (options_.command_of) texts = options_.command_of(std::move(texts));
    if (carry_out_one(texts) == Next::end) return Next::end;
  }
  return Next::resume;
}

CommandLoop::Next CommandLoop::carry_out_one(const std::vector<std::string>& texts) {
  Interrupt interrupt;
  session_.set_stop(interrupt.token());
  auto answer = answer_to(texts);
  session_.set_stop({});
  if (!answer || !answer->comes_first) print_news();
  const ExitCode code = answer ? answer->code : exit_code_for(answer.error());
  answer ? print(texts.front(), *answer) : print(texts.front(), answer.error());
  const bool ends = interrupt.signal() == SIGTERM || (interrupt.signalled() && !options_.typed);
  if (ends) code_ = ExitCode::interrupted;
  if (ends || (answer && answer->quits)) return Next::end;
  return code == ExitCode::ok ? Next::resume : failed_with(code);
}

Result<Answer> CommandLoop::answer_to(const std::vector<std::string>& words) {
  PETRI_TRY(const Verb* verb, verb_named(words.front()));
  PETRI_TRY(const BoundArguments arguments, BoundArguments::bind(*verb, {words.begin() + 1, words.end()}));
  return verb->act(session_, arguments);
}

// The exit code is that of the first failure: others may follow from it.
CommandLoop::Next CommandLoop::failed_with(ExitCode code) {
  if (options_.typed) return Next::resume;
  if (code_ == ExitCode::ok) code_ = code;
  return options_.stop_on_error ? Next::end : Next::resume;
}

Json CommandLoop::json_of(std::string_view verb) const {
  Json json = Json::object();
  if (!options_.typed) json["line"] = command_line_;
  if (!verb.empty()) json["verb"] = verb;
  return json;
}

void CommandLoop::print(std::string_view verb, const Answer& answer) {
  if (options_.json) {
    Json json = json_of(verb);
    json.update(answer.json);
    return console_.out.write(to_line(json));
  }
  console_.out.write(answer.text);
  console_.error.write(answer.notes);
}

void CommandLoop::print(std::string_view verb, const Error& error) {
  if (options_.json) {
    Json json = json_of(verb);
    json["error"] = to_json(error);
    return console_.out.write(to_line(json));
  }
  const std::string where = options_.typed ? "" : fmt::format("line {}: ", command_line_);
  console_.error.write_coloured(Colour::failure, "error:");
  console_.error.write(fmt::format(" {}{}\n", where, without_full_stop(error.message)));
}

// ---- news -----------------------------------------------------------------------------------------------------

bool CommandLoop::has_news() {
  gather_news();
  return !news_.empty();
}

void CommandLoop::print_news() {
  gather_news();
  for (const Said& said : std::exchange(news_, {})) {
    OutputStream& stream = said.error_stream ? console_.error : console_.out;
    said.has_colours ? stream.write_control(said.text) : stream.write(said.text);
  }
}

void CommandLoop::gather_news() {
  for (const NewsItem& item : session_.news().take()) gather(item);
  if (const std::uint64_t lost = session_.news().take_lost()) gather_lost(lost, "log lines");
  for (const EventPtr& event : session_.take_events()) {
    if (options_.json) {
      news_.push_back({false, to_line(news_json(*event))});
    } else if (options_.event_text) {
      news_.push_back({true, options_.event_text(*event), console_.error.is_terminal()});
    } else {
      news_.push_back({true, fmt::format("event {}\n", petri::to_text(*event))});
    }
  }
  const std::uint64_t lost = session_.events_lost();
  if (lost > events_lost_reported_) gather_lost(lost - events_lost_reported_, "events");
  events_lost_reported_ = lost;
}

void CommandLoop::gather(const NewsItem& item) {
  if (options_.json) {
    news_.push_back({false, std::visit([](const auto& news) { return to_line(news_json(news)); }, item)});
    return;
  }
  if (const auto* log = std::get_if<LogNews>(&item)) return news_.push_back({true, to_text(*log)});
  const auto& call = std::get<CallNews>(item);
  const std::string name = fmt::format("{} {}", call.what, call.number);
  if (!call.result) {
    news_.push_back({true, fmt::format("{} error: {}\n", name, without_full_stop(call.result.error().message))});
    return;
  }
  const auto info = session_.runtime().info(call.sandbox);
  const std::string values = answer_text(*call.result);
  if (!values.empty()) news_.push_back({false, fmt::format("{}: {}", name, values)});
  SandboxLimits limits = info ? info->limits : SandboxLimits();
  limits.fuel_max = call.fuel_max.value_or(limits.fuel_max);
  limits.execution_time_max = call.timeout.value_or(limits.execution_time_max);
  news_.push_back({true, each_line_after(name + " ", notes_text(*call.result, limits))});
}

void CommandLoop::gather_lost(std::uint64_t count, std::string_view what) {
  if (options_.json) {
    news_.push_back({false, to_line({{"lost", {{"what", what}, {"count", count}}}})});
  } else {
    news_.push_back({true, fmt::format("lost: {} {} that nobody read in time\n", format_count(count), what)});
  }
}

}  // namespace petri::cli
