#include "cli/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

#include "cli/command_error.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

// A descriptor 0, 1 or 2 that the caller closed would otherwise become the first file petri opens. They are opened the
// wrong way round, so that using one fails as it should.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != descriptor) ::_exit(static_cast<int>(ExitCode::host_failure));
  }
}

using Run = ExitCode (*)(const std::vector<std::string>&, Console&);

// Exceptions of libraries end here: a failed allocation or thread is the machine's failure, in one sentence.
ExitCode run_guarded(Run run, const std::vector<std::string>& arguments, Console& console) {
  try {
    return run(arguments, console);
  } catch (const std::bad_alloc&) {
    return report_error({.code = ErrorCode::host_fault, .message = "there is not enough memory for this."},
                        asks_for_json(arguments), console);
  } catch (const std::exception& exception) {
    return report_error({.code = ErrorCode::host_fault, .message = exception.what()}, asks_for_json(arguments),
                        console);
  }
}

// Failing to print is a failure even if all else went well. A reader that went away knows that already.
ExitCode finish(ExitCode code, Console& console) {
  const auto written = console.out.status();
  if (written) return code;
  if (!console.out.reader_is_gone()) return report_error(written.error(), false, console);
  return ExitCode::host_failure;
}

}  // namespace

int run_program(int argc, char** argv, Run run) {
  hold_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  Console console{.out = {STDOUT_FILENO, "stdout"}, .error = {STDERR_FILENO, "stderr"}};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(finish(run_guarded(run, arguments, console), console));
}

}  // namespace petri::cli
