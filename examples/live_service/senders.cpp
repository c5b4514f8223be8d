#include "live_service/senders.h"

#include <fmt/format.h>

namespace live_service {
namespace {

constexpr int kTriesMax = 10;

}  // namespace

Senders::Senders(petri::Sandbox sandbox, std::vector<std::string> processes)
    : sandbox_(std::move(sandbox)), processes_(std::move(processes)) {
  for (std::size_t sender = 0; sender < kSenders; ++sender) {
    sent_[sender].resize(processes_.size());
    threads_.emplace_back([this, sender](const std::stop_token& stop) { send(stop, sender); });
  }
}

void Senders::stop() { threads_.clear(); }

bool Senders::wait_for(std::uint64_t more) {
  const std::uint64_t goal = handled_ + more;
  std::uint64_t seen = handled_;
  while (seen < goal && !failed_) {
    handled_.wait(seen);
    seen = handled_;
  }
  return !failed_;
}

std::string Senders::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Senders::send(const std::stop_token& stop, std::size_t sender) {
  while (!stop.stop_requested() && !failed_) {
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      if (!send_one(sender, process)) return;
      ++handled_;
      handled_.notify_one();
    }
  }
}

bool Senders::send_one(std::size_t sender, std::size_t process) {
  const std::uint64_t number = sent_[sender][process] + 1;
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const auto outcome = sandbox_.call("", {}, {.process = processes_[process], .input = message(sender, number)});
    if (!outcome) {
      give_up(outcome.error().message);
      return false;
    }
    if (outcome->kind == petri::OutcomeKind::ok) {
      sent_[sender][process] = number;
      return true;
    }
    ++repeated_;
  }
  give_up(fmt::format("message {} of sender {} was not handled in {} tries", number, sender, kTriesMax));
  return false;
}

void Senders::give_up(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why;
  failed_ = true;
  ++handled_;  // a thread that waits looks again
  handled_.notify_all();
}

}  // namespace live_service
