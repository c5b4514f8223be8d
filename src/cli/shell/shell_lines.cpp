#include "cli/shell/shell_lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/shell/words.h"

namespace petri::cli {
namespace {

constexpr int kIdleMilliseconds = 100;

ShellInput input_of(CutLine line) {
  if (line.too_long) return {.kind = ShellInput::Kind::too_long, .text = ""};
  return {.kind = ShellInput::Kind::line, .text = std::move(line.text)};
}

ShellInput input_of_signal(int signal) {
  return {.kind = signal == SIGTERM ? ShellInput::Kind::terminated : ShellInput::Kind::interrupted, .text = ""};
}

std::string failure_text(int failure) {
  return fmt::format("stdin: it cannot be read ({})", std::generic_category().message(failure));
}

}  // namespace

InputWait wait_for_input(int descriptor, const SessionSignals& signals) {
  std::array<pollfd, 2> descriptors{{{.fd = descriptor, .events = POLLIN, .revents = 0},
                                     {.fd = signals.descriptor(), .events = POLLIN, .revents = 0}}};
  const int ready = ::poll(descriptors.data(), descriptors.size(), kIdleMilliseconds);
  if (ready <= 0) return InputWait::idle;
  return descriptors[1].revents != 0 ? InputWait::signal : InputWait::ready;
}

TextLines::TextLines(std::string_view text, SessionSignals& signals) : signals_(signals), cutter_(kShellLineBytesMax) {
  cutter_.add(text);
  cutter_.finish();
}

ShellInput TextLines::next(std::string_view) {
  if (const int signal = signals_.take()) return input_of_signal(signal);
  auto line = cutter_.next();
  return line ? input_of(std::move(*line)) : ShellInput{};
}

DescriptorLines::DescriptorLines(int descriptor, SessionSignals& signals, IdleWork idle)
    : descriptor_(descriptor), signals_(signals), idle_(std::move(idle)), cutter_(kShellLineBytesMax) {}

ShellInput DescriptorLines::next(std::string_view) {
  while (true) {
    if (const int signal = signals_.take()) return input_of_signal(signal);
    if (auto line = cutter_.next()) return input_of(std::move(*line));
    switch (wait_for_input(descriptor_, signals_)) {
      case InputWait::idle:
        if (idle_.is_due()) idle_.act();
        break;
      case InputWait::signal: break;
      case InputWait::ready: {
        const Read read = read_more();
        if (read == Read::failure) return {.kind = ShellInput::Kind::failed, .text = failure_text(errno)};
        if (read == Read::some) break;
        auto last = cutter_.next();
        return last ? input_of(std::move(*last)) : ShellInput{};
      }
    }
  }
}

DescriptorLines::Read DescriptorLines::read_more() {
  std::array<char, 64 << 10> step;
  const ssize_t count = ::read(descriptor_, step.data(), step.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN ? Read::some : Read::failure;
  if (count == 0) {
    cutter_.finish();
    return Read::end;
  }
  cutter_.add({step.data(), static_cast<std::size_t>(count)});
  return Read::some;
}

}  // namespace petri::cli
