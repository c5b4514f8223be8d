// What a guest sees of its sandbox before it has taken its place there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/end.h"
#include "host/process_port.h"
#include "petri/guest_error.h"

namespace petri {

// It knows its name, and as the tag of the message the number of the version it comes after. Nothing it does shows.
class HookPort final : public ProcessPort {
 public:
  HookPort(std::string name, std::uint64_t version_before) : name_(std::move(name)), before_(version_before) {}

  std::string_view name() const override { return name_; }
  MessageHead message() const override { return {.tag = static_cast<std::int64_t>(before_)}; }
  std::int32_t send(std::string_view, std::string_view) override { return kNotNow; }
  std::int32_t call(HostCall&, std::string_view, std::string_view, std::uint32_t, std::string&) override {
    return kNotNow;
  }
  std::int32_t spawn(std::string_view) override { return kNotNow; }
  std::int32_t stop(std::string_view) override { return kNotNow; }
  std::int32_t timer(HostCall&, std::uint32_t, std::int64_t) override { return kNotNow; }
  std::uint64_t next_turn() override { return Budget::kNever; }

 private:
  static constexpr auto kNotNow = static_cast<std::int32_t>(GuestError::not_now);
  const std::string name_;
  const std::uint64_t before_;
};

}  // namespace petri
