#include "cli/shell/news.h"

#include <algorithm>
#include <utility>

namespace petri::cli {

void ShellNews::add_log(LogNews log) {
  const std::scoped_lock lock(mutex_);
  if (items_.size() >= kShellNewsMax) {
    ++lost_;
    return;
  }
  items_.emplace_back(std::move(log));
}

std::uint64_t ShellNews::begin_call() {
  const std::scoped_lock lock(mutex_);
  under_way_.insert(++last_number_);
  return last_number_;
}

void ShellNews::answer_call(CallNews answer) {
  const std::scoped_lock lock(mutex_);
  under_way_.erase(answer.number);
  items_.emplace_back(std::move(answer));
  changed_.notify_all();
}

void ShellNews::forget_call(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  under_way_.erase(number);
  if (number == last_number_) --last_number_;
}

std::vector<NewsItem> ShellNews::take() {
  const std::scoped_lock lock(mutex_);
  std::vector<NewsItem> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
  items_.clear();
  return taken;
}

std::uint64_t ShellNews::take_lost() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(lost_, 0);
}

bool ShellNews::knows(std::uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  return number >= 1 && number <= last_number_;
}

std::vector<std::uint64_t> ShellNews::calls_under_way() const {
  const std::scoped_lock lock(mutex_);
  return {under_way_.begin(), under_way_.end()};
}

bool ShellNews::answered(std::optional<std::uint64_t> number) const {
  return number ? !under_way_.contains(*number) : under_way_.empty();
}

bool ShellNews::wait_for_calls(std::optional<std::uint64_t> number, std::optional<TimePoint> deadline,
                               std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const auto done = [&] { return answered(number); };
  if (deadline) return changed_.wait_until(lock, stop, *deadline, done);
  return changed_.wait(lock, stop, done);
}

}  // namespace petri::cli
