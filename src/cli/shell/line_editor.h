// Lines as a person types them at a terminal: with editing, history and completion.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/console.h"
#include "cli/shell/completion.h"
#include "cli/shell/shell_lines.h"

namespace petri::cli {

// Stands on libedit, and is the only part that knows it. At most one at a time, on the main thread.
class LineEditor : public ShellLines {
 public:
  struct Options {
    std::optional<std::string> history;  // a file; none is kept without one, and one that cannot be written is ignored
    std::function<KnownNames()> known_names;
    IdleWork idle;
  };
  LineEditor(Console& console, SessionSignals& signals, Options options);
  ~LineEditor() override;

  ShellInput next(std::string_view prompt) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace petri::cli
