#include "host/host_context.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "host/files/folder.h"
#include "host/process_port.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

std::uint64_t whole_ms(Clock::Duration duration) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()));
}

// The embedder's callback; what it throws stays here.
template <typename Callback, typename... Arguments>
void notify(HostCounts& counts, const Callback& callback, Arguments... arguments) {
  try {
    callback(arguments...);
  } catch (...) {
    ++counts.host_functions_threw;
  }
}

}  // namespace

HostContext::HostContext(HostSettings settings, std::uint64_t seed)
    : random(seed), settings_(std::move(settings)), log_rate_(settings_.limits.log_bytes_per_second_max) {
  PETRI_ASSERT(settings_.deterministic || settings_.clock != nullptr);
  if (!settings_.deterministic) start_ = settings_.clock->now();
}

HostContext::~HostContext() {
  wasi_.reset();
  reply_bytes.let_go();
  end_instance();
  give_back(output.bytes_kept());
}

bool HostContext::take(std::uint64_t bytes) {
  return settings_.account == nullptr || settings_.account->try_take(bytes);
}

void HostContext::give_back(std::uint64_t bytes) {
  if (settings_.account != nullptr && bytes > 0) settings_.account->give_back(bytes);
}

void HostContext::begin(std::string_view bytes, std::uint64_t deadline) {
  input = bytes;
  give_back(output.bytes_kept());
  output.clear();
  counts = {};
  limits_met_.clear();
  if (!used_.empty()) {
    used_ = {};
    uses_ = {};
  }
  fuel_before = 0;
  deadline_ns = deadline;
  waited = false;
  saw_outside = false;
  cut_ = false;
  output_cut_by_memory = false;
  ended_by = {};
  refusal.reset();
  fault = "";
  skipped_ms_ = 0;
  // Virtual time restarts with each call, and the rate with it.
  if (settings_.deterministic) log_rate_ = LogRate(settings_.limits.log_bytes_per_second_max);
  if (wasi_ != nullptr) wasi_->rewind_input();
}

void HostContext::continue_from(const HostContext& other) {
  random = other.random;
  start_ = other.start_;
  log_rate_ = other.log_rate_;
}

bool HostContext::begin_instance(std::uint64_t memory_bytes, std::uint64_t held_bytes) {
  end_instance();
  if (!take(memory_bytes)) return false;
  memory_bytes_ = memory_bytes;
  if (held_bytes > 0 && !instance_bytes.try_add(*this, held_bytes)) {
    end_instance();
    return false;
  }
  wasi_.reset();
  return true;
}

void HostContext::end_instance() {
  instance_bytes.let_go();
  give_back(memory_bytes_);
  memory_bytes_ = 0;
}

std::uint64_t HostContext::virtual_ms(std::uint64_t fuel_used) const {
  const std::uint64_t spent_ms = (virtual_start_fuel_ + fuel_before + fuel_used) / kFuelPerMillisecond;
  const std::uint64_t left = std::numeric_limits<std::int64_t>::max() - spent_ms;
  return spent_ms + std::min(virtual_start_ms_ + skipped_ms_, left);
}

std::uint64_t HostContext::wall_ms(std::uint64_t fuel_used) const {
  return settings_.deterministic ? virtual_ms(fuel_used) : whole_ms(settings_.clock->wall_now().time_since_epoch());
}

std::uint64_t HostContext::elapsed_ms(std::uint64_t fuel_used) const {
  return settings_.deterministic ? virtual_ms(fuel_used) : whole_ms(settings_.clock->now() - start_);
}

void HostContext::skip_ms(std::uint64_t milliseconds) {
  skipped_ms_ += std::min(milliseconds, std::numeric_limits<std::uint64_t>::max() - skipped_ms_);
}

std::uint64_t HostContext::output_room_max() const {
  const std::uint64_t used = memory_bytes_ + held_bytes_ - std::min(held_bytes_, MemoryAccount::kHostBytesFree);
  const std::uint64_t beside_memory = limits().memory_bytes_max - std::min(limits().memory_bytes_max, used);
  return std::min(limits().output_bytes_max, beside_memory);
}

Growth HostContext::try_grow(std::uint64_t memory_bytes) {
  const std::uint64_t own = memory_bytes + output.bytes_kept();
  const std::uint64_t max = limits().memory_bytes_max;
  if (own > max || own + held_bytes_ > max + MemoryAccount::kHostBytesFree) {
    note_met(memory_limit, memory_bytes + output.bytes_kept(), limits().memory_bytes_max);
  } else if (memory_bytes > memory_bytes_ && !take(memory_bytes - memory_bytes_)) {
    note_no_memory(memory_bytes - memory_bytes_);
  } else {
    memory_bytes_ = memory_bytes;
    return Growth::allowed;
  }
  return ended_by.empty() ? Growth::refused : Growth::ends;
}

void HostContext::shrink(std::uint64_t by) {
  memory_bytes_ -= by;
  give_back(by);
}

bool HostContext::try_hold(std::uint64_t bytes) {
  const std::uint64_t own = memory_bytes_ + output.bytes_kept() + held_bytes_ + bytes;
  if (own > limits().memory_bytes_max + MemoryAccount::kHostBytesFree) {
    note_met(memory_limit, own, limits().memory_bytes_max);
    return false;
  }
  if (settings_.account != nullptr && !settings_.account->try_hold(bytes)) {
    note_no_memory(bytes);
    return false;
  }
  held_bytes_ += bytes;
  return true;
}

void HostContext::let_go(std::uint64_t bytes) {
  held_bytes_ -= bytes;
  if (settings_.account != nullptr) settings_.account->let_go(bytes);
}

// The account has not so much left.
void HostContext::note_no_memory(std::uint64_t bytes) {
  note_met("memory_bytes_max", settings_.account->taken() + bytes, settings_.account->allowed());
}

void HostContext::note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) {
  if (settings_.ending_limits != nullptr && settings_.ending_limits->contains(limit)) {
    if (ended_by.empty()) ended_by = limit;
    return;
  }
  if (settings_.account == nullptr) return;
  const auto known = std::ranges::find(limits_met_, limit, &LimitMet::limit);
  if (known != limits_met_.end()) {
    ++known->count;
  } else {
    limits_met_.push_back({.limit = limit, .wanted = wanted, .allowed = allowed});
  }
}

void HostContext::report_to_account() {
  const std::string_view guest = port == nullptr ? "" : port->name();
  for (const LimitMet& met : limits_met_) settings_.account->report_met(guest, met);
  limits_met_.clear();
  if (used_.empty()) return;
  for (const Permission permission : all_permissions()) {
    if (!used_.has(permission)) continue;
    Uses& uses = uses_[static_cast<std::size_t>(permission)];
    if (settings_.account != nullptr) {
      settings_.account->report_used(guest, {permission, uses.granted, uses.denied});
    }
    uses = {};
  }
  used_ = {};
}

// How large the answer may be once these bytes are in it; where the account has not so much, no larger than it is.
std::uint64_t HostContext::room_for(std::size_t bytes) {
  const std::uint64_t room = output_room_max(), kept = output.bytes_kept();
  if (settings_.account == nullptr || output.bytes_cut() > 0 || room <= kept) return room;
  if (take(std::min<std::uint64_t>(bytes, room - kept))) return room;
  output_cut_by_memory = true;
  return kept;
}

std::size_t HostContext::write_output(std::string_view bytes) {
  const std::size_t kept = output.append(bytes, room_for(bytes.size()));
  if (kept < bytes.size()) note_cut(bytes.size() - kept);
  return kept;
}

// The first cut decides which limit it was: nothing is kept after it.
void HostContext::note_cut(std::size_t bytes) {
  if (cut_) return;
  cut_ = true;
  output_cut_by_memory = output_cut_by_memory || output_room_max() < limits().output_bytes_max;
  if (!output_cut_by_memory) {
    note_cut_by("output_bytes_max", output.bytes_kept() + bytes, limits().output_bytes_max);
  } else if (output_room_max() < limits().output_bytes_max) {
    note_cut_by(memory_limit, memory_bytes_ + output.bytes_kept() + bytes, limits().memory_bytes_max);
  } else {
    note_cut_by("memory_bytes_max", settings_.account->taken() + bytes, settings_.account->allowed());
  }
}

bool HostContext::ends_at_cut() const {
  return settings_.ends_at_output_limit ||
         (settings_.ending_limits != nullptr && settings_.ending_limits->contains("output_bytes_max"));
}

void HostContext::note_cut_by(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) {
  if (!ends_at_cut()) return note_met(limit, wanted, allowed);
  if (ended_by.empty()) ended_by = limit;
}

EndKind HostContext::end_by_limit() const {
  if (cut_ && ends_at_cut()) return EndKind::output_limit;
  return ended_by.ends_with("memory_bytes_max") ? EndKind::memory_limit : EndKind::cancelled;
}

std::size_t HostContext::write_stdout(std::string_view bytes) {
  if (settings_.on_stdout == nullptr) return write_output(bytes);
  const std::size_t kept = output.pass(bytes, room_for(bytes.size()));
  if (kept < bytes.size()) note_cut(bytes.size() - kept);
  if (kept > 0) notify(counts, *settings_.on_stdout, bytes.substr(0, kept));
  return kept;
}

// A line costs one byte more than it has: its end. So empty lines are not free.
HostContext::LogRoom HostContext::spend_log(std::uint64_t bytes, std::uint64_t fuel_used) {
  const bool own = log_rate_.try_spend(bytes + 1, elapsed_ms(fuel_used));
  if (own && account_takes_log(bytes + 1)) return LogRoom::yes;
  if (own && settings_.deterministic) return LogRoom::lost;
  note_met("log_bytes_per_second_max", bytes + 1, limits().log_bytes_per_second_max);
  return LogRoom::no;
}

bool HostContext::account_takes_log(std::uint64_t bytes) const {
  if (settings_.account == nullptr || settings_.clock == nullptr) return true;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(settings_.clock->now().time_since_epoch());
  return settings_.account->try_log(bytes, static_cast<std::uint64_t>(now.count()));
}

std::optional<std::size_t> HostContext::write_log(LogLevel level, std::string_view line, std::uint64_t fuel_used) {
  const std::string_view kept = utf8_prefix(line, kLogLineBytesMax);
  const LogRoom room = spend_log(kept.size(), fuel_used);
  if (room == LogRoom::no) {
    ++counts.log_lines_dropped;
    counts.log_bytes_dropped += line.size();
    return std::nullopt;
  }
  counts.log_bytes_dropped += line.size() - kept.size();
  if (settings_.on_log && room == LogRoom::yes) notify(counts, settings_.on_log, level, kept);
  return kept.size();
}

void HostContext::write_stderr(std::string_view bytes, std::uint64_t fuel_used) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kLogLineBytesMax);
    const LogRoom room = spend_log(piece.size(), fuel_used);
    if (room == LogRoom::no) {
      ++counts.log_lines_dropped;
      counts.log_bytes_dropped += bytes.size();
      return;
    }
    if (room == LogRoom::yes) notify(counts, *settings_.on_stderr, piece);
    bytes.remove_prefix(piece.size());
  }
}

void HostContext::finish(std::uint64_t fuel_used) {
  if (wasi_ == nullptr || wasi_->error_line().empty()) return;
  write_log(LogLevel::warning, wasi_->error_line(), fuel_used);
  wasi_->error_line().clear();
}

void HostContext::set_port(ProcessPort* process) {
  port = process;
  turns = process;
}

WasiState& HostContext::wasi() {
  if (wasi_ == nullptr) wasi_ = std::make_unique<WasiState>(settings_.folder);
  return *wasi_;
}

}  // namespace petri
