// Carries out the lines of the shell, one after the other, and reports what comes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/shell/session.h"
#include "cli/shell/shell_lines.h"
#include "cli/shell/verb.h"

namespace petri::cli {

struct LoopOptions {
  bool json = false;
  bool echo = false;           // say each command before its answer, as if it had been typed
  bool stop_on_error = false;  // the first failure is the last command
  bool typed = false;          // by a person: lines have no numbers, and a signal ends a line but not the session
  // The words of a line as a command of the shell; empty: they are one already.
  std::function<std::vector<std::string>(std::vector<std::string>)> command_of = {};
  // An event as it is shown, with its line ends and escaped but for colours; empty: as `events` shows it.
  std::function<std::string(const Event&)> event_text = {};
};

class CommandLoop {
 public:
  CommandLoop(ShellSession& session, Console& console, LoopOptions options)
      : session_(session), console_(console), options_(options) {}

  // Until the lines end, or a command or signal ends it.
  ExitCode run(ShellLines& lines);

  // For those who wait for lines: what happened meanwhile.
  bool has_news();
  void print_news();

 private:
  enum class Next { resume, end };
  struct Said {
    bool error_stream = false;
    std::string text;
    bool has_colours = false;
  };

  ShellInput read_command(ShellLines& lines);
  Next handle(const ShellInput& input);
  Next carry_out(const std::string& line);
  Next carry_out_one(const std::vector<std::string>& texts);
  Result<Answer> answer_to(const std::vector<std::string>& words);
  void print(std::string_view verb, const Answer& answer);
  void print(std::string_view verb, const Error& error);
  Next failed_with(ExitCode code);
  void gather_news();
  void gather(const NewsItem& item);
  void gather_lost(std::uint64_t count, std::string_view what);
  Json json_of(std::string_view verb) const;

  ShellSession& session_;
  Console& console_;
  LoopOptions options_;
  std::vector<Said> news_;
  std::uint64_t events_lost_reported_ = 0;
  std::size_t line_ = 0;          // of the last line that was read
  std::size_t command_line_ = 0;  // where the command started
  ExitCode code_ = ExitCode::ok;
};

}  // namespace petri::cli
