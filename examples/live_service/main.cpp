// A counter service that is changed ten times while it is called, and knows at the end that nothing was lost.
#include <fmt/format.h>
#include <petri/runtime.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "live_service/changes.h"
#include "live_service/senders.h"
#include "live_service/service.h"

namespace live_service {
namespace {

using namespace std::chrono_literals;
using petri::Result;

constexpr const char* kModule = "service";
const std::vector<std::string> kProcesses{"left", "right"};

// Sandbox, senders, and what the table shows.
struct Scene {
  petri::Sandbox sandbox;
  petri::Subscription rollbacks;
  Senders senders;
  std::uint64_t messages;  // between two changes
};

petri::SandboxSpec service_spec() {
  petri::SandboxSpec spec{.id = "service", .modules = {{kModule, petri::Source::wat(to_wat(first_version()))}}};
  spec.profile = petri::Profile::trusted;  // as many cores as there are
  spec.tree = petri::SupervisorSpec{};
  for (const std::string& name : kProcesses) {
    spec.tree->children.emplace_back(petri::ChildSpec{.id = name, .module = kModule});
  }
  return spec;
}

struct Row {
  std::string what, versions, state, processes, pause, result;
};

void print(const Row& row) {
  std::string line = fmt::format("{:<32}{:<10}{:<11}{:<11}{:<10}{}", row.what, row.versions, row.state, row.processes,
                                 row.pause, row.result);
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string microseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.0f} us", std::chrono::duration<double, std::micro>(time).count());
}

std::string versions_text(std::uint64_t from, std::uint64_t to) { return fmt::format("{} -> {}", from, to); }

// It is changed back by itself, as soon as the first message ends in a crash.
Result<void> see_rollback(Scene& scene) {
  const petri::EventPtr event = scene.rollbacks.wait_until(std::chrono::steady_clock::now() + 30s);
  if (event == nullptr) return petri::fail(petri::ErrorCode::timeout, "the version that crashes was not rolled back");
  print({"  rolled back by itself", versions_text(event->count("from"), event->count("version")),
         std::string(event->text("state")), std::to_string(event->count("processes")),
         microseconds(std::chrono::nanoseconds(event->count("pause_ns"))), std::string(event->text("trap"))});
  return {};
}

Result<void> make(const Change& change, Scene& scene) {
  const auto report = scene.sandbox.reload(kModule, petri::Source::wat(to_wat(change.version)), change.options);
  if (!report) {
    print({change.what, "", "", "", "", report.error().message});
    return change.expected == Ending::refused ? Result<void>() : petri::fail(report.error());
  }
  print({change.what, versions_text(report->from, report->to), std::string(name_of(report->state)),
         std::to_string(report->processes.size()), microseconds(report->pause_max), ""});
  if (change.expected == Ending::refused) {
    return petri::fail(petri::ErrorCode::host_fault, "a change that should have failed was made");
  }
  return change.expected == Ending::rolled_back ? see_rollback(scene) : Result<void>();
}

Result<void> make_all(Scene& scene) {
  print({"change", "versions", "state", "processes", "pause", ""});
  for (const Change& change : all_changes()) {
    PETRI_TRY(make(change, scene));
    if (!scene.senders.wait_for(scene.messages))
      return petri::fail(petri::ErrorCode::host_fault, scene.senders.failure());
  }
  return {};
}

// A field of a process as the guest itself knows it.
Result<std::uint64_t> field(const petri::StateDocument& state, std::string_view name) {
  PETRI_TRY(const petri::StateValue value, state.get(name));
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}

// How many messages are missing, doubled or out of order.
Result<std::uint64_t> count_wrong(Scene& scene) {
  std::uint64_t wrong = 0;
  for (std::size_t process = 0; process < kProcesses.size(); ++process) {
    PETRI_TRY(const petri::StateDocument state, scene.sandbox.state(kProcesses[process]));
    PETRI_TRY(const std::uint64_t out_of_order, field(state, "out_of_order"));
    wrong += out_of_order;
    for (std::size_t sender = 0; sender < kSenders; ++sender) {
      PETRI_TRY(const std::uint64_t last, field(state, last_of(sender)));
      const std::uint64_t sent = scene.senders.sent(sender, process);
      wrong += last == sent ? 0 : 1;
      fmt::print("  {:<6} sender {}: {} sent, {} counted\n", kProcesses[process], sender, sent, last);
    }
    fmt::print("  {:<6} knows {}\n", kProcesses[process], petri::to_json(state));
  }
  return wrong;
}

// True if nothing was lost.
Result<bool> run(std::uint64_t messages) {
  PETRI_TRY(const auto runtime, petri::Runtime::create());
  PETRI_TRY(petri::Sandbox sandbox, runtime->create_sandbox(service_spec()));
  PETRI_TRY(petri::Subscription rollbacks, runtime->subscribe({.kinds = {petri::EventKind::module_rolled_back}}));
  Scene scene{sandbox, std::move(rollbacks), {sandbox, kProcesses}, messages};
  PETRI_TRY(make_all(scene));
  scene.senders.stop();
  fmt::print("\n");
  PETRI_TRY(const std::uint64_t wrong, count_wrong(scene));
  fmt::print("\n{} messages of {} senders, {} sent again after a crash: {} lost, doubled or out of order\n",
             scene.senders.handled(), kSenders, scene.senders.repeated(), wrong);
  return wrong == 0;
}

Result<std::uint64_t> read_messages(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return 30'000;
  const std::string text = arguments.size() == 2 && arguments[0] == "--messages" ? arguments[1] : "";
  std::uint64_t messages = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), messages);
  if (!text.empty() && wrong == std::errc() && end == text.data() + text.size() && messages > 0) return messages;
  return petri::fail(petri::ErrorCode::validation_failed, "usage: live_service [--messages N], N messages a change");
}

int main_of(const std::vector<std::string>& arguments) {
  constexpr int kBadInput = 4;
  const auto messages = read_messages(arguments);
  if (!messages) {
    fmt::print(stderr, "error: {}\n", messages.error().message);
    return kBadInput;
  }
  const auto whole = run(*messages);
  if (!whole) fmt::print(stderr, "error: {}\n", whole.error().message);
  return whole && *whole ? 0 : 1;
}

}  // namespace
}  // namespace live_service

int main(int argc, char** argv) {
  try {
    return live_service::main_of({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& exception) {
    fmt::print(stderr, "error: {}\n", exception.what());
    return 1;
  }
}
