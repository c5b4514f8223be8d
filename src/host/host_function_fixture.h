// For tests: a real guest that passes calls on to every host function, in either tier.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "host/guest/guest.h"
#include "host/link.h"

namespace petri {

class HostFunctionFixture : public testing::TestWithParam<Tier> {
 protected:
  static constexpr std::uint64_t kFuel = 1'000'000'000;

  HostFunctionFixture() { settings_.permissions = all(); }

  static Permissions all() {
    Permissions permissions;
    for (const Permission permission : all_permissions()) permissions = permissions.with(permission);
    return permissions;
  }

  // Translated once: every test has instances of the same guest.
  static std::pair<ArtifactPtr, CodePtr> loaded_guest(Tier tier) {
    static const ArtifactPtr artifact = *Artifact::from_wat(guest_text(), 1 << 20);
    static const Linked linked = *link(loadable(*artifact), HostFunctions(), all());
    static std::map<Tier, CodePtr> codes;
    CodePtr& code = codes[tier];
    if (code == nullptr) code = *loadable(*artifact).load(tier, linked.imports);
    return {artifact, code};
  }

  // Instantiates the guest with settings_; anything below needs this first.
  void start(std::string_view input = {}) {
    settings_.clock = &clock_;
    std::tie(artifact_, code_) = loaded_guest(GetParam());
    context_ = std::make_unique<HostContext>(settings_, 7);
    guest_ = std::make_unique<Guest>(loadable(*artifact_), *context_);
    guest_->begin({.fuel = kFuel}, input);
    ASSERT_EQ(guest_->instantiate(*code_, Initialize::yes)->kind, EndKind::returned);
  }

  // Calls "module.name" and gives its result; the guest must return.
  std::uint64_t call_raw(std::string_view name, std::initializer_list<std::uint64_t> arguments) {
    std::vector<std::uint64_t> slots(arguments);
    const auto number = loadable(*artifact_).export_number(name);
    EXPECT_TRUE(number) << name;
    const SignatureView signature = loadable(*artifact_).export_at(*number).signature;
    slots.resize(std::max(signature.params.size(), signature.results.size()));
    const std::uint64_t before = guest_->fuel_used();
    const auto end = guest_->call(*number, slots);
    EXPECT_TRUE(end) << name << ": " << (end ? "" : end.error().message);
    last_ = end.value_or(End{});
    fuel_ = guest_->fuel_used() - before;
    return slots.empty() ? 0 : slots[0];
  }
  std::int32_t call(std::string_view name, std::initializer_list<std::uint64_t> arguments) {
    const auto result = static_cast<std::int32_t>(call_raw(name, arguments));
    EXPECT_EQ(last_.kind, EndKind::returned) << name;
    return result;
  }
  int wasi(std::string_view name, std::initializer_list<std::uint64_t> arguments) {
    return call("wasi." + std::string(name), arguments);
  }

  // ---- the guest's memory ----

  std::span<std::uint8_t> memory() { return guest_->instance()->memory(); }
  void put(std::uint32_t address, std::string_view bytes) {
    std::memcpy(memory().data() + address, bytes.data(), bytes.size());
  }
  template <typename T>
  void put_number(std::uint32_t address, T value) {
    std::memcpy(memory().data() + address, &value, sizeof(value));
  }
  std::string text(std::uint32_t address, std::size_t length) {
    return {reinterpret_cast<const char*>(memory().data()) + address, length};
  }
  template <typename T>
  T number(std::uint32_t address) {
    T value;
    std::memcpy(&value, memory().data() + address, sizeof(value));
    return value;
  }
  // One buffer for fd_read and fd_write: the list stands at `list`.
  void put_buffer(std::uint32_t list, std::uint32_t address, std::uint32_t length) {
    put_number(list, address);
    put_number(list + 4, length);
  }

  ManualClock clock_;
  HostSettings settings_;
  ArtifactPtr artifact_;
  CodePtr code_;
  std::unique_ptr<HostContext> context_;
  std::unique_ptr<Guest> guest_;
  End last_;
  std::uint64_t fuel_ = 0;  // of the last call

 private:
  static std::string guest_text() {
    std::ostringstream text;
    text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/guests/all_imports.wat").rdbuf();
    return text.str();
  }
};

// TEST_P suites that derive from the fixture run in both tiers.
#define PETRI_IN_BOTH_TIERS(suite)                                                               \
  INSTANTIATE_TEST_SUITE_P(BothTiers, suite, testing::Values(Tier::interpreted, Tier::compiled), \
                           [](const auto& tier) { return std::string(name_of(tier.param)); })

}  // namespace petri
