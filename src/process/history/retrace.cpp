#include "process/history/retrace.h"

#include <utility>

#include "base/clock.h"
#include "host/guest/guest.h"
#include "host/host_call.h"
#include "host/process_port.h"
#include "run/backtrace.h"
#include "run/outcome_of.h"
#include "run/run_spec_check.h"

namespace petri {
namespace {

constexpr std::uint64_t kRepeatNsMax = 250'000'000;

// The port of a repetition: it answers as the sandbox did the first time, and does nothing.
class RepeatedPort final : public ProcessPort {
 public:
  RepeatedPort(std::string_view name, const std::vector<History::Answer>& answers) : name_(name), answers_(answers) {}
  void handle(const History::Step& message) { message_ = &message; }

  std::string_view name() const override { return name_; }
  MessageHead message() const override {
    if (message_ == nullptr) return {};
    return {.kind = message_->kind, .sender = message_->sender, .tag = message_->tag};
  }
  std::int32_t send(HostCall& call, std::string_view, std::string_view) override { return next(&call, nullptr); }
  std::int32_t call(HostCall& call, std::string_view, std::string_view, std::uint32_t, std::string& reply) override {
    return next(&call, &reply);
  }
  std::int32_t spawn(HostCall& call, std::string_view) override { return next(&call, nullptr); }
  std::int32_t stop(std::string_view) override { return next(nullptr, nullptr); }
  std::int32_t timer(HostCall& call, std::uint32_t, std::int64_t) override { return next(&call, nullptr); }
  std::uint64_t next_turn(HostContext&, std::uint64_t) override { return Budget::kNever; }
  void wait_until(std::uint64_t, const std::atomic<std::uint32_t>*) override {}

 private:
  std::int32_t next(HostCall* call, std::string* reply) {
    if (next_ == answers_.size()) return static_cast<std::int32_t>(GuestError::not_now);
    const History::Answer& answer = answers_[next_++];
    if (call != nullptr) call->charge(answer.fuel);
    if (reply != nullptr) *reply = answer.reply;
    return answer.code;
  }

  const std::string_view name_;
  const std::vector<History::Answer>& answers_;
  std::size_t next_ = 0;
  const History::Step* message_ = nullptr;
};

// The guest of the repetition.
class Repetition {
 public:
  Repetition(const Retrace& retrace, const History& history)
      : retrace_(retrace),
        history_(history),
        context_(retrace.settings, retrace.seed),
        guest_(retrace.module.module(), context_, &retrace.interrupt),
        port_(retrace.process, history.answers()),
        deadline_ns_(kernel_ns(CLOCK_MONOTONIC) + kRepeatNsMax) {
    context_.set_port(&port_);
  }

  // Starts as the process did, or continues from where it was known to stand.
  Result<End> start() {
    begin(history_.input());
    if (const History::Origin* from = history_.origin()) {
      PETRI_TRY(const End end, guest_.continue_from(retrace_.compiled, *from->image));
      context_.random = SeededRandom(from->random);
      return end;
    }
    PETRI_TRY(End end, guest_.instantiate(retrace_.compiled, Initialize::yes));
    if (end.kind != EndKind::returned || !retrace_.module.init) return end;
    std::uint64_t code = 0;
    return guest_.call(*retrace_.module.init, {&code, 1});
  }
  Result<End> handle(const History::Step& message) {
    const std::string function = message.function.empty() ? "petri_handle" : message.function;
    PETRI_TRY(const RunTarget target,
              find_run_target(retrace_.module.module(), {.function = function, .arguments = message.arguments}));
    std::vector<std::uint64_t> slots(target.slots());
    write_arguments(message.arguments, target, slots);
    port_.handle(message);
    context_.set_virtual_start(message.time.fuel, message.time.milliseconds);
    begin(message.bytes);
    return guest_.call(target.export_number, slots);
  }
  // True when it ended as it did before, with as much fuel: it is going the same way.
  bool continues(const Result<End>& end, std::optional<std::uint64_t> fuel_used) {
    return end && end->kind == EndKind::returned && (!fuel_used || guest_.fuel_used() == *fuel_used);
  }
  bool ended_alike(const Result<End>& end, const Outcome& ended) {
    return end && end->kind == EndKind::trapped && verdict_of({.end = *end}).trap == ended.trap &&
           guest_.place() == ended.place && guest_.fuel_used() == ended.fuel_used;
  }
  std::vector<Frame> frames() { return name_frames(retrace_.module.module(), guest_.instance()->backtrace()); }
  std::uint64_t fuel_used() const { return fuel_before_ + guest_.fuel_used(); }

 private:
  void begin(std::string_view input) {
    fuel_before_ += std::exchange(started_, true) ? guest_.fuel_used() : 0;
    guest_.begin({.fuel = Budget::kFuelUnbounded,
                  .deadline_ns = deadline_ns_,
                  .call_depth = static_cast<std::uint32_t>(retrace_.settings.limits.call_depth_max),
                  .turn_ns = Budget::kNever},
                 input);
  }

  const Retrace& retrace_;
  const History& history_;
  HostContext context_;
  Guest guest_;
  RepeatedPort port_;
  const std::uint64_t deadline_ns_;
  std::uint64_t fuel_before_ = 0;
  bool started_ = false;
};

std::vector<Frame> repeat(Repetition& again, const History& history, const History::Step* last, const Outcome& ended) {
  auto end = again.start();
  if (last == nullptr) return again.ended_alike(end, ended) ? again.frames() : std::vector<Frame>();
  if (!again.continues(end, std::nullopt)) return {};
  for (const History::Step& message : history.messages()) {
    end = again.handle(message);
    if (!again.continues(end, message.fuel_used)) return {};
  }
  end = again.handle(*last);
  return again.ended_alike(end, ended) ? again.frames() : std::vector<Frame>();
}

}  // namespace

CodePtr RetraceCode::compiled_of(const ModuleCode& module, std::stop_token stop) {
  LoadOptions options{.compile = {}, .stop = std::move(stop)};
  options.compile.time_max = kCompileTimeMax;
  if (compiled_ == nullptr) compiled_ = module.load_compiled(options);
  return compiled_;
}

std::vector<Frame> Retrace::run(const History& history, const History::Step* last, const Outcome& ended,
                                std::uint64_t& fuel_used) {
  settings.on_log = nullptr;
  Repetition again(*this, history);
  auto frames = repeat(again, history, last, ended);
  fuel_used += again.fuel_used();
  return frames;
}

}  // namespace petri
