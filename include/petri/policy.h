// The policy of a sandbox: what it may do, how much it is trusted, and the answers to repeated failures.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/limits.h"
#include "petri/outcome.h"
#include "petri/result.h"
#include "petri/scan.h"

namespace petri {

// A permission lets guests ask something of the host.
enum class Permission : std::uint8_t { messages, timers, spawn, log, clock, random, file_read, file_write };
constexpr std::size_t kPermissionCount = 8;
std::string_view name_of(Permission permission);
std::optional<Permission> permission_named(std::string_view name);
const std::vector<Permission>& all_permissions();

// A set of permissions.
class Permissions {
 public:
  constexpr Permissions() = default;
  constexpr Permissions(std::initializer_list<Permission> permissions) {
    for (Permission permission : permissions) bits_ |= bit(permission);
  }
  static Permissions standard();  // messages timers spawn log clock random file_read
  // Reads "log,clock"; an unknown name is validation_failed and lists the known ones.
  static Result<Permissions> parse(std::string_view comma_separated);

  // True if the set has a permission; then the set with it, and without it.
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

// How much of what happens to a sandbox its audit trail keeps: nothing; what was refused, ended or changed; also what
// was granted.
enum class AuditLevel : std::uint8_t { none, basic, full };
std::string_view name_of(AuditLevel level);
std::optional<AuditLevel> audit_level_named(std::string_view name);

// A profile says how much a sandbox is trusted: limits, permissions and audit level together, by one name. These are
// its grants beside its limits, which SandboxLimits::of() has.
struct ProfileRule {
  Profile profile;
  Permissions permissions;
  AuditLevel audit;
  ModuleBounds bounds;
};
// The row of a profile, and those of all.
const ProfileRule& rule_of(Profile profile);
std::span<const ProfileRule> profile_rules();

// The imports that a module may have, whatever its permissions are. An entry is an import module ("math") or one
// function of it ("petri.log"). Imports on the block-list are refused; with an allow-list, so are imports that are not
// on it.
struct ImportRules {
  std::vector<std::string> allow;  // empty: everything
  std::vector<std::string> block;
  bool operator==(const ImportRules&) const = default;
};

// One of the profiles, or one of your own: a base, and where it differs from that.
struct ProfileSpec {
  ProfileSpec() = default;
  ProfileSpec(Profile profile) : base(profile) {}  // NOLINT: a profile is the simplest of these

  std::string name;             // of one of your own
  std::optional<Profile> base;  // without one it is validation_failed
  LimitChanges limits;
  Permissions grant, deny;
  ImportRules imports;
  std::optional<AuditLevel> audit;
  std::optional<Severity> reject_findings;  // modules with findings of this severity or above; nullopt: no scan
  std::optional<ModuleBounds> bounds;       // nullopt: the base's
  bool operator==(const ProfileSpec&) const = default;

  // The profile's own name, or that of its base.
  std::string title() const;
};

// The times of all that count are kept, and looked through when one more comes.
constexpr std::uint32_t kLimitsKeptMax = 10'000;

// An artifact that met ending limits `limits_max` times within `window`, in processes or runs, is refused everywhere by
// its hash for `period`. Its live instances continue. Evaluations neither count nor ask.
struct QuarantineOptions {
  std::uint32_t limits_max = 5;  // 0: no quarantine; at most kLimitsKeptMax
  std::chrono::nanoseconds window = std::chrono::seconds(60);
  std::chrono::nanoseconds period = std::chrono::minutes(10);
};

// Artifacts that may be blocked at a time: Runtime::block_artifact().
constexpr std::size_t kBlockedArtifactsMax = 100'000;

// An artifact that is refused everywhere by its hash until it is unblocked.
struct BlockedArtifact {
  ArtifactId artifact;
  std::string reason;  // for people: at most 1,000 bytes
};

// A sandbox whose processes were ended by limits `limits_max` times within `window` is left alone for `pause`: calls
// and messages from outside answer `busy`. Then one is admitted: if it ends `ok`, all are again. Runs neither count nor
// ask.
struct BreakerOptions {
  std::uint32_t limits_max = 5;  // 0: no breaker; at most kLimitsKeptMax
  std::chrono::nanoseconds window = std::chrono::seconds(10);
  std::chrono::nanoseconds pause = std::chrono::seconds(1);
  bool operator==(const BreakerOptions&) const = default;
};

// closed: the sandbox answers. open: it is left alone. half_open: one call is admitted, and decides.
enum class BreakerState : std::uint8_t { closed, open, half_open };
std::string_view name_of(BreakerState state);

// The actions for a sandbox whose supervision has given up, by the class of the failure.
//
// keep: it is `failed`, and what it consists of is kept. retry: it is started again after a pause that doubles each
// time; after retries_max it is terminated. rollback: modules that were given other code less than rollback_within
// before it started to fail go back to the version
//   before, once, and it is started again; where there is none it is terminated.
// restart: it is started again at once; after restarts_max it is terminated.
// isolate: nobody is answered, what still lives is frozen, everything can be looked at; restart() or destroy() end it.
// terminate: it is `failed`, and only the record of it is left; restart() reads its modules anew.
enum class RecoveryAction : std::uint8_t { keep, retry, rollback, restart, isolate, terminate };
std::string_view name_of(RecoveryAction action);
std::optional<RecoveryAction> recovery_action_named(std::string_view name);

// The answer to a sandbox whose supervision has given up.
struct Recovery {
  // Actions by class: compilation, runtime, resource, security, system. A class that is not named has the action of
  // recovery_default().
  std::map<ErrorCategory, RecoveryAction> actions;
  std::uint32_t restarts_max = 1;
  std::uint32_t retries_max = 5;
  std::chrono::nanoseconds retry_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds retry_pause_max = std::chrono::seconds(30);
  std::chrono::nanoseconds rollback_within = std::chrono::seconds(60);
  // Once the sandbox has run for this long, all counts above start again from zero.
  std::chrono::nanoseconds stable_after = std::chrono::seconds(60);
  bool operator==(const Recovery&) const = default;
};

// The classes of failure that can end a sandbox.
inline constexpr std::array<ErrorCategory, 5> kFailureClasses{ErrorCategory::compilation, ErrorCategory::runtime,
                                                              ErrorCategory::resource, ErrorCategory::security,
                                                              ErrorCategory::system};
RecoveryAction recovery_default(ErrorCategory failure);
// The action for this class, whether it was set or is the default.
RecoveryAction recovery_action(const Recovery& recovery, ErrorCategory failure);
// Refuses every class that is none of the five, and every value out of range, in one validation_failed.
Result<void> check_recovery(const Recovery& recovery);

// The class of a guest's end: what met a limit is `resource`, all else that is not `ok` is `runtime`.
ErrorCategory category_of(const Outcome& outcome);

}  // namespace petri
