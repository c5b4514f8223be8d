// The context of host functions: the input, output, log, time, random state and files of the guest they serve.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/end.h"
#include "engine/instance/instance.h"
#include "host/functions/log_rate.h"
#include "host/functions/output_buffer.h"
#include "host/functions/seeded_random.h"
#include "host/guest/held_bytes.h"
#include "host/guest/limit_met.h"
#include "host/wasi/errno.h"
#include "petri/host_functions.h"
#include "petri/limits.h"
#include "petri/outcome.h"
#include "petri/policy.h"

namespace petri {

class Folder;
class LinkedInstance;
class ProcessPort;
class ThreadPool;
class TurnPort;
class WasiState;
struct WasiDescriptor;

using EndingLimits = std::set<std::string, std::less<>>;

// How often a guest asked for something that needs a permission, in one piece of work.
struct PermissionUse {
  Permission permission;
  std::uint64_t granted = 0;
  std::uint64_t denied = 0;
};

// Memory that several guests share, within a bound of their own, and who is notified of the limits they meet and of
// what they may not do. Any thread.
class MemoryAccount {
 public:
  // Bytes that the host may hold for guests beyond their bound: even the smallest has a page for itself, and a mailbox.
  static constexpr std::uint64_t kHostBytesFree = std::uint64_t{64} << 10;

  virtual ~MemoryAccount() = default;
  // The guests' own memory. False: there is not so much left, and nothing was taken.
  virtual bool try_take(std::uint64_t bytes) = 0;
  virtual void give_back(std::uint64_t bytes) = 0;
  // Counts bytes that the host allocates because of the guests, beside their memory. False if there is no room.
  virtual bool try_hold(std::uint64_t bytes) = 0;
  virtual void let_go(std::uint64_t bytes) = 0;
  // A descriptor of the host. mfile: they have as many as they may, and `met` says which limit that is; nfile: nobody
  // may have more.
  virtual WasiErrno try_add_descriptor(LimitMet& met) = 0;
  // Counts what all guests log together, within log_bytes_per_second_max of real time. False if it is too much.
  virtual bool try_log(std::uint64_t bytes, std::uint64_t now_ms) = 0;
  virtual void remove_descriptor() = 0;
  virtual std::uint64_t taken() const = 0;
  virtual std::uint64_t allowed() const = 0;
  // Reported once for all times it happened in one piece of work. `guest` is a process, or nothing for a run.
  virtual void report_met(std::string_view guest, const LimitMet& met) = 0;
  virtual void report_used(std::string_view guest, const PermissionUse& use) = 0;
};

// Settings that are fixed before a guest starts. Callbacks run on the guest's thread; one that throws is counted.
struct HostSettings {
  Limits limits;
  Permissions permissions;
  // The permissions that a live guest has now; nullptr: all it was given. Outlives the context.
  const std::atomic<Permissions>* granted = nullptr;
  bool deterministic = false;
  const Clock* clock = nullptr;  // of guests that are not deterministic; outlives the context
  const std::vector<std::string>* program_arguments = nullptr;  // both outlive the context
  const std::map<std::string, std::string>* environment = nullptr;
  std::shared_ptr<Folder> folder;  // nullptr: the guest has no files
  std::function<void(LogLevel, std::string_view)> on_log;
  using OnBytes = std::function<void(std::string_view)>;
  const OnBytes* on_stdout = nullptr;  // both outlive the context
  const OnBytes* on_stderr = nullptr;
  bool ends_at_output_limit = false;  // a guest whose answer is cut; else it continues, and what it writes is lost
  MemoryAccount* account = nullptr;   // beside limits.memory_bytes_max; outlives the context
  // Limits that end a guest they would otherwise refuse something; none. Outlives the context.
  const EndingLimits* ending_limits = nullptr;
  ThreadPool* stacks = nullptr;  // as HostHooks::stacks
};

// The one `fault` that is the guest's: rejected, and the same every time.
inline constexpr char kCommandRunsOnce[] =
    "the _start of another module was called twice, and a WASI command runs once in an instance; call it once a case "
    "or message";

// One guest at a time, one thread at a time. May serve many calls and many guests one after another. It has more than
// forty functions of a line or two, since every host function finds here what it needs; those that have a state of
// their own are classes (OutputBuffer, LogRate, SeededRandom, WasiState, HeldBytes).
class HostContext {
 public:
  static constexpr std::size_t kLogLineBytesMax = 4'096;
  static constexpr std::uint64_t kFuelPerMillisecond = 1'000'000;  // of virtual time
  static constexpr Permissions kEffects{Permission::messages, Permission::spawn, Permission::timers,
                                        Permission::file_write};

  HostContext(HostSettings settings, std::uint64_t seed);
  ~HostContext();
  HostContext(const HostContext&) = delete;
  HostContext& operator=(const HostContext&) = delete;

  // Forgets what the last call left: output, counts, fuel, virtual time. Random state and files continue, and the log's
  // rate does where time is real. `bytes` are borrowed until the next begin().
  void begin(std::string_view bytes, std::uint64_t deadline_ns);
  // A fresh instance: its memory has this size, the host holds so much for it (stack, what the engine keeps), its
  // descriptors are those of a new program. False: the account has not so much.
  bool begin_instance(std::uint64_t memory_bytes, std::uint64_t held_bytes = 0);
  void end_instance();
  void reseed(std::uint64_t seed) { random = SeededRandom(seed); }
  // Random state, time and the log's rate continue where those of the other are, whose place this one takes.
  void continue_from(const HostContext& other);

  const HostSettings& settings() const { return settings_; }
  const Limits& limits() const { return settings_.limits; }
  // Between two calls.
  void set_limits(const Limits& limits) {
    if (limits.log_bytes_per_second_max != settings_.limits.log_bytes_per_second_max)
      log_rate_ = LogRate(limits.log_bytes_per_second_max);
    settings_.limits = limits;
  }

  // Whole milliseconds: what calendars show, and what has passed since the context was made. In deterministic runs
  // both are the fuel spent, at a million a millisecond, and what was waited for.
  std::uint64_t wall_ms(std::uint64_t fuel_used) const;
  std::uint64_t elapsed_ms(std::uint64_t fuel_used) const;
  // The guest learns the time: what it does then may differ the next time, unless that is virtual.
  void note_time_seen() { saw_outside = saw_outside || !settings_.deterministic; }
  // Lets virtual time pass.
  void skip_ms(std::uint64_t milliseconds);
  std::uint64_t skipped_ms() const { return skipped_ms_; }
  // Virtual time that was over before this call, as fuel and as milliseconds; of guests that share a time.
  void set_virtual_start(std::uint64_t fuel, std::uint64_t milliseconds) {
    virtual_start_fuel_ = fuel;
    virtual_start_ms_ = milliseconds;
  }
  std::uint64_t virtual_start_fuel() const { return virtual_start_fuel_; }
  std::uint64_t virtual_start_ms() const { return virtual_start_ms_; }

  // How large the answer may become: output_bytes_max, and what memory and tables leave of memory_bytes_max.
  std::uint64_t output_room_max() const;
  // Grows memory and tables to this size if there is room for it beside the answer written so far.
  Growth try_grow(std::uint64_t memory_bytes);
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  // They are smaller by this much.
  void shrink(std::uint64_t by);
  // Counts bytes that the host is about to allocate because of this guest, beside its memory and its answer. False if
  // memory_bytes_max is met, which is then noted. HeldBytes gives back what it has taken.
  bool try_hold(std::uint64_t bytes);
  void let_go(std::uint64_t bytes);

  // Appends to the answer, or hands the bytes to on_stdout. Answers how many were kept.
  std::size_t write_output(std::string_view bytes);
  std::size_t write_stdout(std::string_view bytes);
  // One line for the log, or raw bytes for on_stderr; both within log_bytes_per_second_max. Answers how many bytes of
  // the line were kept, or nothing when it was dropped.
  std::optional<std::size_t> write_log(LogLevel level, std::string_view line, std::uint64_t fuel_used);
  void write_stderr(std::string_view bytes, std::uint64_t fuel_used);

  // The guest has ended: what it wrote to standard error without ending the line is a line all the same.
  void finish(std::uint64_t fuel_used);

  // True if the guest may do this now. The use is counted, whatever the answer is.
  bool may_use(Permission permission) {
    if (!permissions().has(permission)) [[unlikely]] {
      note_denied(permission);
      return false;
    }
    used_ = used_.with(permission);
    ++uses_[static_cast<std::size_t>(permission)].granted;
    return true;
  }
  void note_denied(Permission permission) {
    used_ = used_.with(permission);
    ++uses_[static_cast<std::size_t>(permission)].denied;
  }
  // Until it has taken the place of the one before, nothing of what it does shows.
  bool is_too_early(Permission permission) const { return not_live_yet && kEffects.has(permission); }
  Permissions permissions() const {
    return settings_.granted == nullptr ? settings_.permissions : settings_.granted->load(std::memory_order_relaxed);
  }

  // Remembers a limit that was met, or that it ends the guest.
  void note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed);
  // How a guest that `ended_by` names is taken.
  EndKind end_by_limit() const;
  // Reports to the account limits that were met and permissions that were asked for, and forgets them.
  void report_to_account();

  // Made when first asked for: most guests never do.
  WasiState& wasi();

  // Sets the port of a live process: what it may ask of its sandbox, and who gives it its turns.
  void set_port(ProcessPort* process);

  ProcessPort* port = nullptr;       // of a live process
  TurnPort* turns = nullptr;         // of one that runs beside others: that port, or another
  LinkedInstance* linked = nullptr;  // of a guest that is made of several modules
  std::string reply;                 // to its last call,
  HeldBytes reply_bytes;             // which takes so much
  HeldBytes instance_bytes;          // of its instance, beside its memory
  std::string_view input;
  std::string_view memory_limit = "memory_bytes_max";  // the name of the one that bounds this guest's own memory
  OutputBuffer output;
  SeededRandom random;
  HostCounts counts;
  std::uint64_t fuel_before = 0;  // spent since begin() by calls that have ended
  // HostCall::look() compares these: the guest's deadline, the end of its turn, and a flag that ends it from outside
  // (nullptr: nothing does).
  std::uint64_t deadline_ns = Budget::kNever;
  std::uint64_t turn_ns = Budget::kNever;
  const std::atomic<std::uint32_t>* kill = nullptr;
  bool waited = false;                // for real time to pass
  bool allocating = false;            // a host function waits for the guest's allocator
  bool saw_outside = false;           // the real clock, files, or what else may differ the next time
  bool not_live_yet = false;          // made to take a live guest's place, which it has not done yet
  bool output_cut_by_memory = false;  // memory_bytes_max left no room, not output_bytes_max
  std::string_view ended_by;          // the limit that has ended the guest in place of a refusal
  std::optional<EndKind> refusal;     // how a guest that a host function has ended is to be taken
  const char* fault = "";  // why a host function could not do its work: petri's failure but for kCommandRunsOnce

 private:
  std::uint64_t virtual_ms(std::uint64_t fuel_used) const;
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);
  // The fate of a log line. A deterministic guest sees only what follows from its own rate: a line that is too much for
  // its sandbox is lost without its knowing.
  enum class LogRoom : std::uint8_t { yes, lost, no };
  LogRoom spend_log(std::uint64_t bytes, std::uint64_t fuel_used);
  bool account_takes_log(std::uint64_t bytes) const;
  std::uint64_t room_for(std::size_t bytes);
  void note_cut(std::size_t bytes);
  bool ends_at_cut() const;
  void note_cut_by(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed);
  void note_no_memory(std::uint64_t bytes);

  HostSettings settings_;
  Clock::TimePoint start_;
  LogRate log_rate_;
  std::vector<LimitMet> limits_met_;  // since begin()
  Permissions used_;                  // those below that are not as they started
  struct Uses {
    std::uint32_t granted = 0, denied = 0;
  };
  std::array<Uses, kPermissionCount> uses_{};
  std::uint64_t memory_bytes_ = 0;
  std::uint64_t held_bytes_ = 0;
  bool cut_ = false;
  std::uint64_t skipped_ms_ = 0;
  std::uint64_t virtual_start_fuel_ = 0;
  std::uint64_t virtual_start_ms_ = 0;
  std::unique_ptr<WasiState> wasi_;
};

}  // namespace petri
