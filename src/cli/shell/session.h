// The session that the verbs of the shell work on: one runtime, what is known of its code, and what happens in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/completion.h"
#include "cli/shell/news.h"
#include "petri/runtime.h"

namespace petri::cli {

// A sandbox, and a process or module of it: "orders", "orders/pool/worker".
struct Address {
  std::string sandbox;
  std::string inside;  // empty: the only one there is

  static Address parse(std::string_view text);
};

// Or a run.
struct BackgroundCall {
  std::string sandbox;
  std::string_view what = "call";
  std::uint64_t call = 0;  // as Sandbox::cancel() knows it
};

// Used by one thread. Guests' threads reach only its news.
class ShellSession {
 public:
  static Result<std::unique_ptr<ShellSession>> create(RuntimeOptions options);

  Runtime& runtime() { return *runtime_; }
  ShellNews& news() { return *news_; }
  std::shared_ptr<ShellNews> shared_news() const { return news_; }

  // Asks what is under way to stop; that of the command that is being carried out.
  std::stop_token stop() const { return stop_; }
  void set_stop(std::stop_token stop) { stop_ = std::move(stop); }

  // The code of a sandbox, so that numbers can be read in the types of its functions.
  void remember_code(const std::string& sandbox, std::vector<ArtifactPtr> code);
  // One more version; those that no module keeps any longer are forgotten. nullptr changes nothing.
  void learn_code(const Sandbox& sandbox, ArtifactPtr code);
  void forget_code(std::string_view sandbox);
  void copy_code(std::string_view from, const std::string& to);
  // nullptr when the sandbox has no such module, or its code is not known here.
  ArtifactPtr code_of(const SandboxInfo& sandbox, std::string_view module) const;
  // The module of a process; without a name, of the only process. Empty when there is none.
  static std::string module_of(const Sandbox& sandbox, std::string_view process);

  void remember_call(std::uint64_t number, BackgroundCall call);
  // not_found when it is answered already or never was.
  Result<BackgroundCall> background_call(std::uint64_t number) const;

  Result<void> listen(SubscriptionOptions options);
  void stop_listening();
  bool listens() const { return listens_; }
  // Events that wait, oldest first, and at most as many as one queue holds.
  std::vector<EventPtr> take_events();
  // True if such an event was taken since listening started, or since this last returned true.
  bool took_event(EventKind kind);
  // Waits for the next event, which is still to be taken; nullptr once the deadline has passed or the command was asked
  // to stop.
  EventPtr wait_for_event(Subscription::TimePoint deadline);
  std::uint64_t events_lost() const { return subscription_.lost(); }

  // The names that completion can offer now.
  KnownNames known_names() const;

 private:
  explicit ShellSession(std::unique_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

  std::shared_ptr<ShellNews> news_ = std::make_shared<ShellNews>();  // outlives the runtime, whose guests add to it
  std::unique_ptr<Runtime> runtime_;
  std::stop_token stop_;
  std::map<std::string, std::vector<ArtifactPtr>, std::less<>> code_;
  std::map<std::uint64_t, BackgroundCall> calls_;
  Subscription subscription_;
  std::vector<EventPtr> events_seen_;  // by a wait, and not taken yet
  EventKinds kinds_taken_;
  bool listens_ = false;
};

}  // namespace petri::cli
