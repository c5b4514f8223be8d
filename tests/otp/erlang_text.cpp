#include <fmt/format.h>

#include <string_view>

#include "trace.h"

namespace petri::otp {
namespace {

std::string binary(std::string_view text) { return fmt::format("<<\"{}\">>", text); }

std::string_view word(Crash crash) {
  constexpr std::string_view kWords[] = {"normal", "shutdown", "{shutdown, told}", "boom", "kill"};
  return kWords[static_cast<std::size_t>(crash)];
}

std::string_view word(Shutdown shutdown) {
  if (shutdown.is_brutal()) return "brutal_kill";
  return shutdown.timeout() ? "5000" : "infinity";
}

std::string term(const SupervisorSpec& supervisor);
std::string term(const BurstItem& item);
std::string term(const TraceStep& step);

std::string term(const TreeChild& child) {
  if (child.supervisor()) return term(*child.supervisor());
  return fmt::format("{{child,{},{},{}}}", binary(child.id()), name_of(child.restart()), word(child.shutdown()));
}

template <typename List>
std::string terms(const List& list) {
  std::string text;
  for (const auto& one : list) text.append(text.empty() ? "" : ",").append(term(one));
  return "[" + text + "]";
}

std::string term(const SupervisorSpec& supervisor) {
  return fmt::format("{{supervisor,{},{},{},{},{},{},{}}}", binary(supervisor.id), name_of(supervisor.strategy),
                     supervisor.intensity, supervisor.period.count(), name_of(supervisor.restart),
                     word(supervisor.shutdown), terms(supervisor.children));
}

std::string term(const CrashProcess& step) {
  return fmt::format("{{crash,{},{}}}", binary(step.address), word(step.how));
}
std::string term(const FailStarts& step) { return fmt::format("{{fail,{},{}}}", binary(step.address), step.count); }
std::string term(const CrashDuring& step) {
  return fmt::format("{{{},{},{},{}}}", step.stop ? "on_stop" : "on_start", binary(step.address), binary(step.victim),
                     word(step.how));
}
std::string term(const PassTime& step) { return fmt::format("{{pass,{}}}", step.seconds); }

std::string term(const Ask& step) {
  constexpr std::string_view kVerbs[] = {"add_child", "add_instance", "stop_one", "restart_one", "remove_one"};
  if (step.of_template && step.verb == Verb::stop_one) {
    return fmt::format("{{ask,{},stop_instance,{}}}", binary(step.supervisor), binary(step.id));
  }
  const std::string what = step.verb == Verb::add_child ? term(step.child.front()) : binary(step.id);
  return fmt::format("{{ask,{},{},{}}}", binary(step.supervisor), kVerbs[static_cast<std::size_t>(step.verb)], what);
}

std::string term(const BurstItem& item) {
  return std::visit([](const auto& one) { return term(one); }, item);
}
std::string term(const Burst& step) {
  return fmt::format("{{burst,{},{}}}", binary(step.supervisor), terms(step.items));
}
std::string term(const TraceStep& step) {
  return std::visit([](const auto& one) { return term(one); }, step);
}

}  // namespace

std::string to_erlang(const Trace& trace) {
  return fmt::format("{{trace,{},{},{},{}}}.", trace.number, term(trace.tree), terms(trace.before), terms(trace.steps));
}

}  // namespace petri::otp
