// The port of a guest that has not taken its place in its sandbox yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/end.h"
#include "host/guest/kill_flag.h"
#include "host/host_context.h"
#include "host/process_port.h"
#include "petri/host_functions.h"
#include "process/turns/workers.h"

namespace petri {

// The guest sees its name, and as the tag of the message the number of the version it comes after. Nothing it asks for
// is done: every request is answered `not_now`. One thread at a time uses it.
class HookPort final : public ProcessPort {
 public:
  HookPort(std::string name, std::uint64_t version_before) : name_(std::move(name)), before_(version_before) {}

  // While this lives, what a guest that is not live yet waits for is waited for at the seat of this thread.
  class Sitting {
   public:
    explicit Sitting(const HostContext& context)
        : port_(context.not_live_yet ? static_cast<HookPort*>(context.port) : nullptr) {
      if (port_ != nullptr) port_->seat_ = &Workers::seat_of_this_thread();
    }
    ~Sitting() {
      if (port_ != nullptr) port_->seat_ = nullptr;
    }
    Sitting(const Sitting&) = delete;
    Sitting& operator=(const Sitting&) = delete;

   private:
    HookPort* port_;
  };

  std::string_view name() const override { return name_; }
  MessageHead message() const override { return {.tag = static_cast<std::int64_t>(before_)}; }
  std::int32_t send(HostCall&, std::string_view, std::string_view) override { return kNotNow; }
  std::int32_t call(HostCall&, std::string_view, std::string_view, std::uint32_t, std::string&) override {
    return kNotNow;
  }
  std::int32_t spawn(HostCall&, std::string_view) override { return kNotNow; }
  std::int32_t stop(std::string_view) override { return kNotNow; }
  std::int32_t timer(HostCall&, std::uint32_t, std::int64_t) override { return kNotNow; }
  std::uint64_t next_turn(HostContext&, std::uint64_t) override { return Budget::kNever; }
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) override {
    if (seat_ == nullptr || seat_->workers == nullptr) return wait_for_kill(kill, until_ns);
    const Workers::Pause pause(*seat_->workers, *seat_, kill);
    wait_for_kill(kill, until_ns);
  }

 private:
  static constexpr auto kNotNow = static_cast<std::int32_t>(GuestError::not_now);
  const std::string name_;
  const std::uint64_t before_;
  Workers::Seat* seat_ = nullptr;
};

}  // namespace petri
