// call, send, run, cancel, wait.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/units.h"
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

Result<Answer> call_in_background(ShellSession& session, AskedCall asked) {
  if (session.news().calls_under_way().size() >= kBackgroundCallsMax) {
    return fail(ErrorCode::busy, fmt::format("{} calls are under way already; wait for some of them, or cancel them",
                                             format_count(kBackgroundCallsMax)));
  }
  const std::string id = asked.sandbox.id();
  const std::uint64_t number = session.news().begin_call();
  const auto call =
      asked.sandbox.call_async(asked.function, std::move(asked.numbers), std::move(asked.options),
                               [news = session.shared_news(), number, id](Result<Outcome> result) {
                                 news->answer_call({.number = number, .sandbox = id, .result = std::move(result)});
                               });
  if (!call) {
    session.news().forget_call(number);
    return fail(call.error());
  }
  session.remember_call(number, {.sandbox = id, .call = *call});
  Answer answer{.text = fmt::format("call {} is under way\n", number), .comes_first = true};
  answer.json["number"] = number;
  return answer;
}

Result<petri::RunOptions> run_options(ShellSession& session, const BoundArguments& arguments) {
  petri::RunOptions options{.input = arguments.value("--input").value_or(""), .stop = session.stop()};
  PETRI_TRY(options.timeout, time_option(arguments, "--timeout"));
  PETRI_TRY(options.fuel_max, count_option(arguments, "--fuel"));
  PETRI_TRY(options.tier, tier_option(arguments, "--tier"));
  return options;
}

Result<Outcome> run_source(Sandbox& sandbox, const BoundArguments& arguments, const petri::RunOptions& options) {
  PETRI_TRY(const Source source, read_source(*arguments.value("--file"), kShellModuleBytesMax));
  const ArtifactPtr code = try_artifact(source, kShellModuleBytesMax);
  std::vector<Value> numbers;
  if (code != nullptr) {
    PETRI_TRY(numbers, numbers_for(code, arguments.at(1), arguments.from(2)));
  }
  return sandbox.run(source, arguments.at(1), std::move(numbers), options);
}

Result<Outcome> run_module(ShellSession& session, Sandbox& sandbox, const std::string& named,
                           const BoundArguments& arguments, const petri::RunOptions& options) {
  const SandboxInfo info = sandbox.info();
  PETRI_TRY(const std::string module, module_meant(info, named));
  std::vector<Value> numbers;
  if (const ArtifactPtr code = session.code_of(info, module)) {
    PETRI_TRY(numbers, numbers_for(code, arguments.at(1), arguments.from(2)));
  }
  return sandbox.run(module, arguments.at(1), std::move(numbers), options);
}

Result<std::uint64_t> call_number(const std::string& text) {
  auto number = parse_count(text);
  if (!number) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"{}\" is no number of a call in the background", escape_text(text, 80)));
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
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(const petri::RunOptions options, run_options(session, arguments));
  const bool given = arguments.has("--file");
  if (given && !address.inside.empty())
    return fail(ErrorCode::validation_failed, "a module and --file cannot both be run");
  PETRI_TRY(const Outcome outcome, given ? run_source(sandbox, arguments, options)
                                         : run_module(session, sandbox, address.inside, arguments, options));
  SandboxLimits limits = sandbox.info().limits;
  limits.fuel_max = options.fuel_max.value_or(limits.fuel_max);
  limits.execution_time_max = options.timeout.value_or(limits.execution_time_max);
  return outcome_answer(outcome, limits);
}

Result<Answer> cancel_call(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const std::uint64_t number, call_number(arguments.at(0)));
  PETRI_TRY(const BackgroundCall call, session.background_call(number));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(call.sandbox));
  PETRI_TRY(sandbox.cancel(call.call));
  Answer answer{.text = fmt::format("cancelled call {}\n", number), .comes_first = true};
  answer.json["number"] = number;
  return answer;
}

Result<Answer> wait_for_calls(ShellSession& session, const BoundArguments& arguments) {
  std::optional<std::uint64_t> number;
  if (arguments.has(0)) {
    PETRI_TRY(number, call_number(arguments.at(0)));
    if (!session.news().knows(*number))
      return fail(ErrorCode::not_found, fmt::format("there was no call {} in the background", *number));
  }
  PETRI_TRY(const auto timeout, time_option(arguments, "--timeout"));
  std::optional<ShellNews::TimePoint> deadline;
  if (timeout) deadline = std::chrono::steady_clock::now() + *timeout;
  const bool answered = session.news().wait_for_calls(number, deadline, session.stop());
  const std::size_t left = session.news().calls_under_way().size();
  if (!answered && session.stop().stop_requested()) return fail(ErrorCode::cancelled, "the wait was interrupted");
  if (!answered)
    return fail(ErrorCode::timeout, fmt::format("{} still under way", counted(left, "call is", "calls are")));
  Answer answer;
  answer.json["under_way"] = left;
  return answer;
}

}  // namespace petri::cli
