// info, list, find, usage, events, metrics.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kEventWaitDefault = 10s;

Result<Answer> page_answer(ShellSession& session, SandboxQuery query, const BoundArguments& arguments) {
  PETRI_TRY(const auto offset, count_option(arguments, "--offset"));
  PETRI_TRY(const auto limit, count_option(arguments, "--limit"));
  query.offset = offset.value_or(query.offset);
  query.limit = limit.value_or(query.limit);
  const SandboxPage page = session.runtime().list(query);
  Answer answer{.text = to_text(page, query.offset)};
  Json sandboxes = Json::array();
  for (const SandboxInfo& info : page.sandboxes) sandboxes.push_back(to_json(info));
  answer.json["sandboxes"] = std::move(sandboxes);
  answer.json["total"] = page.total;
  return answer;
}

Result<EventKind> event_kind_of(const std::string& name) {
  if (const auto kind = event_kind_named(name)) return *kind;
  std::vector<std::string_view> names;
  for (const EventKind kind : all_event_kinds()) names.push_back(name_of(kind));
  return no_such("event", name, names);
}

// The sample of each second is an event that only those want who ask for it.
EventKinds all_but_samples() {
  EventKinds kinds;
  for (const EventKind kind : all_event_kinds()) {
    if (kind != EventKind::usage_sampled) kinds = kinds.with({kind});
  }
  return kinds;
}

Result<SubscriptionOptions> subscription_options(const BoundArguments& arguments) {
  SubscriptionOptions options{.sandbox = arguments.at(1)};
  EventKinds kinds;
  for (const std::string& name : arguments.values("--kind")) {
    PETRI_TRY(const EventKind kind, event_kind_of(name));
    kinds = kinds.with({kind});
  }
  options.kinds = kinds.empty() ? all_but_samples() : kinds;
  PETRI_TRY(const auto queue, count_option(arguments, "--queue"));
  options.queue_max = queue.value_or(options.queue_max);
  return options;
}

Answer listening_answer(const ShellSession& session) {
  Answer answer;
  answer.json["events"] = session.listens() ? "on" : "off";
  answer.text = fmt::format("events are {}", session.listens() ? "on" : "off");
  if (session.listens() && session.events_lost() > 0)
    answer.text += fmt::format(", {} lost", format_count(session.events_lost()));
  answer.json["lost"] = session.events_lost();
  answer.text += "\n";
  return answer;
}

// The events up to the one that is waited for are printed as they always are, and stay printed when it does not come.
// One that was printed before, since the last wait, counts: a script cannot know how soon it came.
Result<Answer> await_event(ShellSession& session, const BoundArguments& arguments) {
  if (!session.listens()) return fail(ErrorCode::validation_failed, "nobody listens; begin with events on");
  PETRI_TRY(const EventKind kind, event_kind_of(arguments.at(1)));
  PETRI_TRY(const auto timeout, time_option(arguments, "--timeout"));
  const auto deadline = std::chrono::steady_clock::now() + timeout.value_or(kEventWaitDefault);
  Answer answer;
  answer.json["event"] = name_of(kind);
  if (session.took_event(kind)) return answer;
  while (const EventPtr event = session.wait_for_event(deadline)) {
    if (event->kind == kind) return answer;
  }
  if (session.stop().stop_requested()) return fail(ErrorCode::cancelled, "the wait was interrupted");
  return fail(ErrorCode::timeout, fmt::format("there was no {} in {}", name_of(kind),
                                              format_duration(timeout.value_or(kEventWaitDefault))));
}

}  // namespace

Result<Answer> show_info(ShellSession& session, const BoundArguments& arguments) {
  Answer answer;
  if (!arguments.has(0)) {
    answer.text = to_text(session.runtime().info());
    answer.json["runtime"] = to_json(session.runtime().info());
    return answer;
  }
  PETRI_TRY(const SandboxInfo info, session.runtime().info(arguments.at(0)));
  answer.text = to_text(info);
  answer.json["sandbox"] = to_json(info);
  return answer;
}

Result<Answer> list_sandboxes(ShellSession& session, const BoundArguments& arguments) {
  return page_answer(session, {}, arguments);
}

Result<Answer> find_sandboxes(ShellSession& session, const BoundArguments& arguments) {
  SandboxQuery query{.label = arguments.value("--label").value_or("")};
  PETRI_TRY(query.generation, count_option(arguments, "--generation"));
  if (const auto name = arguments.value("--status")) {
    query.status = sandbox_status_named(*name);
    if (!query.status) return no_such("status", *name, all_status_names());
  }
  if (query.label.empty() && !query.status && !query.generation) {
    return fail(ErrorCode::validation_failed, "say what to find with --label, --status or --generation; see help find");
  }
  return page_answer(session, std::move(query), arguments);
}

Result<Answer> show_usage(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const Sandbox sandbox, session.runtime().find(arguments.at(0)));
  const SandboxInfo info = sandbox.info();
  Answer answer{.text = to_text(info.usage, info.limits)};
  answer.json["usage"] = to_json(info.usage);
  if (!arguments.has("--history")) return answer;
  const std::vector<UsageSample> history = sandbox.usage_history();
  answer.text += to_text(std::span(history));
  answer.json["history"] = to_json(std::span(history));
  return answer;
}

Result<Answer> show_events(ShellSession& session, const BoundArguments& arguments) {
  const std::string& action = arguments.at(0);
  if (action == "on") {
    PETRI_TRY(SubscriptionOptions options, subscription_options(arguments));
    PETRI_TRY(session.listen(std::move(options)));
  } else if (action == "off") {
    session.stop_listening();
  } else if (action == "wait") {
    return await_event(session, arguments);
  } else if (!action.empty()) {
    return no_such("action", action, {"on", "off", "wait"});
  }
  return listening_answer(session);
}

Result<Answer> show_metrics(ShellSession& session, const BoundArguments&) {
  Answer answer{.text = session.runtime().metrics()};
  answer.json["metrics"] = answer.text;
  return answer;
}

}  // namespace petri::cli
