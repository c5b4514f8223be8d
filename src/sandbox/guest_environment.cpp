#include "sandbox/guest_environment.h"

#include <string>
#include <utility>

namespace petri {

GuestEnvironment::GuestEnvironment(const Parts& parts)
    : parts_(parts),
      granted_(parts.traits->policy.permissions),
      account_(std::make_shared<TreeAccount>(SandboxLimitsPtr(parts.traits, &parts.traits->policy.limits), this,
                                             parts.services.budget, parts.services.descriptors.get())),
      share_(parts.traits->policy.limits.cpu_percent_max),
      threads_(account_.get()),
      queue_(make_queue()) {}

// Work that a message has started elsewhere is done before the next message.
std::unique_ptr<DeterministicQueue> GuestEnvironment::make_queue() {
  if (!parts_.spec.deterministic) return nullptr;
  return std::make_unique<DeterministicQueue>(
      workers(), client(), [this] { return keep_alive(); }, [this] { parts_.trees.wait_until_quiet(); });
}

void GuestEnvironment::set_limits(const SandboxLimits& limits) {
  account_->set_limits(limits);
  share_.set_percent(limits.cpu_percent_max);
  if (const auto granted = folder()) granted->set_limits(limits);
}

// ---- the folder -----------------------------------------------------------------------------------------------

Result<void> GuestEnvironment::open_folder() {
  if (parts_.traits->folder.empty()) return {};
  PETRI_TRY(const auto descriptor, take_descriptor(parts_.services.descriptors));
  PETRI_TRY(auto folder, Folder::open(parts_.traits->folder, *account_->limits()));
  Folder* const opened = folder.get();
  set_folder(std::shared_ptr<Folder>(opened, [folder = std::move(folder), descriptor](Folder*) {}));
  return {};
}

std::shared_ptr<Folder> GuestEnvironment::folder() const {
  MutexLock lock(folder_mutex_);
  return folder_;
}

// The old folder is closed after the lock was released.
void GuestEnvironment::set_folder(std::shared_ptr<Folder> folder) {
  MutexLock lock(folder_mutex_);
  folder_.swap(folder);
}

// ---- what guests have and ask for -----------------------------------------------------------------------------

HostSettings GuestEnvironment::host_settings(std::string_view process) {
  HostSettings settings{.limits = *account_->limits(),
                        .permissions = permissions(),
                        .granted = &granted_,
                        .deterministic = parts_.spec.deterministic,
                        .clock = &parts_.services.clock,
                        .program_arguments = &parts_.traits->arguments,
                        .environment = &parts_.traits->environment,
                        .folder = folder(),
                        .account = account_.get(),
                        .ending_limits = ending_limits(),
                        .stacks = &parts_.services.workers.stacks()};
  if (parts_.spec.on_log) {
    settings.on_log = [this, name = std::string(process)](LogLevel level, std::string_view line) {
      parts_.spec.on_log(name, level, line);
    };
  }
  return settings;
}

Spawning GuestEnvironment::spawning() {
  return Spawning({.account = account_,
                   .budget = parts_.services.budget,
                   .services = *this,
                   .modules = parts_.modules,
                   .processes = parts_.processes,
                   .trees = parts_.trees});
}

std::int32_t GuestEnvironment::spawn(Process& by, HostCall& call, std::string_view spec) {
  return spawning().spawn(by, call, spec);
}

std::int32_t GuestEnvironment::stop_child(Process& by, std::string_view name) {
  return spawning().stop_child(by, name);
}

void GuestEnvironment::instance_gone(const Process& process, std::uint64_t incarnation) {
  parts_.journal.instance_gone();
  parts_.timers.cancel(process, incarnation);
}

}  // namespace petri
