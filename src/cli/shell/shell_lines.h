// Where the lines of the shell come from.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/shell/line_cutter.h"
#include "cli/shell/session_signals.h"

namespace petri::cli {

struct ShellInput {
  enum class Kind { line, too_long, interrupted, terminated, failed, ended };
  Kind kind = Kind::ended;
  std::string text;  // of a line, or why there will be none
};

class ShellLines {
 public:
  virtual ~ShellLines() = default;
  // Waits for the next one. The prompt is for those who type.
  virtual ShellInput next(std::string_view prompt) = 0;
};

// Looked after while nobody has typed anything yet.
struct IdleWork {
  std::function<bool()> is_due;
  std::function<void()> act;
};

// The lines of a text that is there as a whole.
class TextLines : public ShellLines {
 public:
  TextLines(std::string_view text, SessionSignals& signals);
  ShellInput next(std::string_view prompt) override;

 private:
  SessionSignals& signals_;
  LineCutter cutter_;
};

// The lines of a descriptor, as they come; another program may be typing.
class DescriptorLines : public ShellLines {
 public:
  DescriptorLines(int descriptor, SessionSignals& signals, IdleWork idle);
  ShellInput next(std::string_view prompt) override;

 private:
  enum class Read { some, end, failure };
  Read read_more();
  int descriptor_;
  SessionSignals& signals_;
  IdleWork idle_;
  LineCutter cutter_;
};

// The result of a wait for input on a descriptor.
enum class InputWait { ready, signal, idle };
// Waits until there is something to read or a signal to take, in pieces short enough for the idle work.
InputWait wait_for_input(int descriptor, const SessionSignals& signals);

}  // namespace petri::cli
