#include "cli/shell/line_cutter.h"

#include <utility>

namespace petri::cli {

void LineCutter::add(std::string_view bytes) {
  waiting_.erase(0, at_);
  looked_ -= at_;
  at_ = 0;
  waiting_.append(bytes);
}

CutLine LineCutter::take(std::size_t bytes, std::size_t end_bytes) {
  std::string_view line = std::string_view(waiting_).substr(at_, bytes);
  const bool too_long = std::exchange(skipping_, false) || line.size() > line_bytes_max_ + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  CutLine cut{.text = "", .too_long = too_long || line.size() > line_bytes_max_};
  if (!cut.too_long) cut.text = line;
  at_ += bytes + end_bytes;
  looked_ = at_;
  return cut;
}

std::optional<CutLine> LineCutter::next() {
  const std::size_t end = waiting_.find('\n', looked_);
  if (end != std::string::npos) return take(end - at_, 1);
  looked_ = waiting_.size();
  const std::size_t left = waiting_.size() - at_;
  if (finished_) return left > 0 || skipping_ ? std::optional(take(left, 0)) : std::nullopt;
  if (left > line_bytes_max_ + 1) {  // one more may be a \r
    skipping_ = true;
    at_ = waiting_.size();
  }
  return std::nullopt;
}

}  // namespace petri::cli
