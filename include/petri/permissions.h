// The permissions of a guest: what it may ask of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

enum class Permission : std::uint8_t { messages, timers, spawn, log, clock, random, file_read, file_write };
constexpr std::size_t kPermissionCount = 8;
std::string_view name_of(Permission permission);
std::optional<Permission> permission_named(std::string_view name);
const std::vector<Permission>& all_permissions();

class Permissions {
 public:
  constexpr Permissions() = default;
  constexpr Permissions(std::initializer_list<Permission> permissions) {
    for (Permission permission : permissions) bits_ |= bit(permission);
  }
  static Permissions standard();  // messages timers spawn log clock random file_read
  // Reads "log,clock"; an unknown name is validation_failed and lists the known ones.
  static Result<Permissions> parse(std::string_view comma_separated);

  constexpr bool has(Permission permission) const { return (bits_ & bit(permission)) != 0; }
  constexpr Permissions with(Permission permission) const { return Permissions(bits_ | bit(permission)); }
  constexpr Permissions without(Permission permission) const { return Permissions(bits_ & ~bit(permission)); }
  constexpr Permissions with(Permissions others) const { return Permissions(bits_ | others.bits_); }
  constexpr Permissions without(Permissions others) const { return Permissions(bits_ & ~others.bits_); }
  // The permissions that both have.
  constexpr Permissions common(Permissions others) const { return Permissions(bits_ & others.bits_); }
  constexpr bool empty() const { return bits_ == 0; }
  std::string to_text() const;  // names, separated by spaces
  constexpr bool operator==(const Permissions&) const = default;

 private:
  explicit constexpr Permissions(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(Permission permission) { return 1U << static_cast<unsigned>(permission); }
  std::uint32_t bits_ = 0;
};

}  // namespace petri
