// call, send, run, cancel, wait.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_spec_words.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

constexpr std::size_t kBackgroundCallsMax = 1'000;

Answer outcome_answer(const Outcome& outcome, const Limits& limits) {
  Answer answer{.text = answer_text(outcome), .notes = notes_text(outcome, limits), .code = exit_code_for(outcome)};
  answer.json["outcome"] = to_json(outcome);
  return answer;
}

// A call as it was asked for, its numbers in the types of the function.
struct AskedCall {
  Sandbox sandbox;
  std::string function;
  std::vector<Value> numbers;
  CallOptions options;
};

Result<AskedCall> asked_call(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  AskedCall asked{.sandbox = std::move(sandbox), .function = arguments.at(1), .numbers = {}, .options = {}};
  asked.options.process = address.inside;
  asked.options.input = arguments.value("--input").value_or("");
  PETRI_TRY(asked.options.timeout, time_option(arguments, "--timeout"));
  if (asked.function.empty()) return asked;
  // Without a module the runtime says what is wrong: no such process, or too many of them.
  const std::string module = ShellSession::module_of(asked.sandbox, address.inside);
  if (module.empty()) return asked;
  const ArtifactPtr code = session.code_of(asked.sandbox.info(), module);
  PETRI_TRY(asked.numbers, numbers_for(code, asked.function, arguments.from(2)));
  return asked;
}

// `begin` starts the call or run whose completion notifies the shell, and returns its number for cancel().
template <typename Begin>
Result<Answer> in_background(ShellSession& session, CallNews news, Begin begin) {
  if (session.news().calls_under_way().size() >= kBackgroundCallsMax) {
    return fail(ErrorCode::busy,
                fmt::format("{} calls and runs are under way already; wait for some of them, or cancel them",
                            format_count(kBackgroundCallsMax)));
  }
  const std::uint64_t number = news.number = session.news().begin_call();
  const BackgroundCall known{.sandbox = news.sandbox, .what = news.what};
  const Result<std::uint64_t> started =
      begin([receiver = session.shared_news(), news = std::move(news)](Result<Outcome> result) {
        CallNews answer = news;
        answer.result = std::move(result);
        receiver->answer_call(std::move(answer));
      });
  if (!started) {
    session.news().forget_call(number);
    return fail(started.error());
  }
  session.remember_call(number, {.sandbox = known.sandbox, .what = known.what, .call = *started});
  Answer answer{.text = fmt::format("{} {} is under way\n", known.what, number), .comes_first = true};
  answer.json["number"] = number;
  return answer;
}

Result<Answer> call_in_background(ShellSession& session, AskedCall asked) {
  CallNews news{.sandbox = asked.sandbox.id(), .result = Outcome{}};
  return in_background(session, std::move(news), [&](petri::Completion completion) {
    return asked.sandbox.call_async(asked.function, std::move(asked.numbers), std::move(asked.options),
                                    std::move(completion));
  });
}

// A run as it was asked for: of a module of the sandbox, or of code from a file.
struct AskedRun {
  Sandbox sandbox;
  std::string function;
  std::string module;
  std::optional<Source> source;
  std::vector<Value> numbers;
  petri::RunOptions options;
};

Result<petri::RunOptions> run_options(const BoundArguments& arguments) {
  petri::RunOptions options{.input = arguments.value("--input").value_or("")};
  PETRI_TRY(options.timeout, time_option(arguments, "--timeout"));
  PETRI_TRY(options.fuel_max, count_option(arguments, "--fuel"));
  PETRI_TRY(options.tier, tier_option(arguments, "--tier"));
  return options;
}

// Its code, as far as the shell knows it.
Result<ArtifactPtr> find_code(ShellSession& session, AskedRun& asked, const std::string& named,
                              const BoundArguments& arguments) {
  if (!arguments.has("--file")) {
    const SandboxInfo info = asked.sandbox.info();
    PETRI_TRY(asked.module, module_meant(info, named));
    return session.code_of(info, asked.module);
  }
  if (!named.empty()) return fail(ErrorCode::validation_failed, "a module and --file cannot both be run");
  PETRI_TRY(asked.source, read_source(*arguments.value("--file"), kShellModuleBytesMax));
  return try_artifact(*asked.source, kShellModuleBytesMax);
}

Result<AskedRun> asked_run(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  AskedRun asked{.sandbox = std::move(sandbox), .function = arguments.at(1)};
  PETRI_TRY(asked.options, run_options(arguments));
  PETRI_TRY(const ArtifactPtr code, find_code(session, asked, address.inside, arguments));
  if (code != nullptr) {
    PETRI_TRY(asked.numbers, numbers_for(code, asked.function, arguments.from(2)));
  }
  return asked;
}

Result<Outcome> run_now(AskedRun& asked) {
  if (asked.source) return asked.sandbox.run(*asked.source, asked.function, asked.numbers, asked.options);
  return asked.sandbox.run(asked.module, asked.function, asked.numbers, asked.options);
}

Result<Answer> run_in_background(ShellSession& session, AskedRun asked) {
  CallNews news{.sandbox = asked.sandbox.id(),
                .what = "run",
                .result = Outcome{},
                .fuel_max = asked.options.fuel_max,
                .timeout = asked.options.timeout};
  return in_background(session, std::move(news), [&](petri::Completion completion) {
    return asked.source ? asked.sandbox.run_async(*asked.source, asked.function, asked.numbers, asked.options,
                                                  std::move(completion))
                        : asked.sandbox.run_async(asked.module, asked.function, asked.numbers, asked.options,
                                                  std::move(completion));
  });
}

Result<std::uint64_t> call_number(const std::string& text) {
  auto number = parse_count(text);
  if (!number) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"{}\" is no number of a call or run in the background", escape_text(text, 80)));
  }
  return *number;
}

}  // namespace

Result<Answer> call_process(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedCall asked, asked_call(session, arguments));
  if (arguments.has("--background")) return call_in_background(session, std::move(asked));
  asked.options.stop = session.stop();
  PETRI_TRY(const Outcome outcome, asked.sandbox.call(asked.function, asked.numbers, asked.options));
  return outcome_answer(outcome, asked.sandbox.info().limits);
}

Result<Answer> send_message(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(sandbox.send(arguments.at(1), address.inside));
  Answer answer{.text = fmt::format("sent {}\n", counted(arguments.at(1).size(), "byte", "bytes"))};
  answer.json["bytes"] = arguments.at(1).size();
  return answer;
}

Result<Answer> run_function(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(AskedRun asked, asked_run(session, arguments));
  if (arguments.has("--background")) return run_in_background(session, std::move(asked));
  asked.options.stop = session.stop();
  PETRI_TRY(const Outcome outcome, run_now(asked));
  SandboxLimits limits = asked.sandbox.info().limits;
  limits.fuel_max = asked.options.fuel_max.value_or(limits.fuel_max);
  limits.execution_time_max = asked.options.timeout.value_or(limits.execution_time_max);
  return outcome_answer(outcome, limits);
}

Result<Answer> cancel_call(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const std::uint64_t number, call_number(arguments.at(0)));
  PETRI_TRY(const BackgroundCall call, session.background_call(number));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(call.sandbox));
  PETRI_TRY(sandbox.cancel(call.call));
  Answer answer{.text = fmt::format("cancelled {} {}\n", call.what, number), .comes_first = true};
  answer.json["number"] = number;
  return answer;
}

Result<Answer> wait_for_calls(ShellSession& session, const BoundArguments& arguments) {
  std::optional<std::uint64_t> number;
  if (arguments.has(0)) {
    PETRI_TRY(number, call_number(arguments.at(0)));
    if (!session.news().knows(*number))
      return fail(ErrorCode::not_found, fmt::format("there was no call or run {} in the background", *number));
  }
  PETRI_TRY(const auto timeout, time_option(arguments, "--timeout"));
  std::optional<ShellNews::TimePoint> deadline;
  if (timeout) deadline = std::chrono::steady_clock::now() + *timeout;
  const bool answered = session.news().wait_for_calls(number, deadline, session.stop());
  const std::size_t left = session.news().calls_under_way().size();
  if (!answered && session.stop().stop_requested()) return fail(ErrorCode::cancelled, "the wait was interrupted");
  if (!answered)
    return fail(ErrorCode::timeout,
                fmt::format("{} still under way", counted(left, "call or run is", "calls or runs are")));
  Answer answer;
  answer.json["under_way"] = left;
  return answer;
}

}  // namespace petri::cli
