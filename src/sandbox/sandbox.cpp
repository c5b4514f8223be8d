// The handle: every verb goes to the part of the core that it is about.
#include "petri/sandbox.h"

#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// Verbs that take their time and use what the runtime has: its end waits for them.
class InUse {
 public:
  explicit InUse(const std::shared_ptr<SandboxCore>& core) : verb_(core->under_way()), core_(*core) {}
  SandboxCore* operator->() const { return &core_; }

 private:
  const UnderWay::Verb verb_;
  SandboxCore& core_;
};

}  // namespace

const std::string& Sandbox::id() const { return core_->id(); }
SandboxStatus Sandbox::status() const { return core_->status(); }
SandboxInfo Sandbox::info() const { return core_->info(); }
Usage Sandbox::usage() const { return core_->usage().now(); }
std::vector<UsageSample> Sandbox::usage_history() const { return core_->usage().history(); }
std::vector<ChildInfo> Sandbox::children() const { return core_->trees().children(); }

Result<Outcome> Sandbox::call(std::string_view function, std::vector<Value> arguments, const CallOptions& options) {
  return core_->calls().call(function, std::move(arguments), options);
}
Result<std::uint64_t> Sandbox::call_async(std::string_view function, std::vector<Value> arguments, CallOptions options,
                                          Completion completion) {
  return core_->calls().call_async(function, std::move(arguments), std::move(options), std::move(completion));
}
Result<void> Sandbox::send(std::string_view bytes, std::string_view process) {
  return core_->calls().send(bytes, process);
}
Result<Outcome> Sandbox::run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options) {
  return InUse(core_)->runs().run(module, function, std::move(arguments), options);
}
Result<Outcome> Sandbox::run(const Source& source, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options) {
  return InUse(core_)->runs().run(source, function, std::move(arguments), options);
}
Result<std::uint64_t> Sandbox::run_async(std::string_view module, std::string_view function,
                                         std::vector<Value> arguments, RunOptions options, Completion completion) {
  return core_->runs().run_async(module, function, std::move(arguments), std::move(options), std::move(completion));
}
Result<std::uint64_t> Sandbox::run_async(const Source& source, std::string_view function, std::vector<Value> arguments,
                                         RunOptions options, Completion completion) {
  return core_->runs().run_async(source, function, std::move(arguments), std::move(options), std::move(completion));
}
Result<void> Sandbox::cancel(std::uint64_t call) { return core_->calls().cancel(call); }
Result<void> Sandbox::start_child(const TreeChild& child, std::string_view supervisor) {
  return core_->child_verbs().start_child(child, supervisor);
}
Result<std::string> Sandbox::start_instance(const InstanceSpec& instance, std::string_view supervisor) {
  return core_->child_verbs().start_instance(instance, supervisor);
}
Result<void> Sandbox::stop_child(std::string_view address) { return core_->child_verbs().stop_child(address); }
Result<void> Sandbox::restart_child(std::string_view address) { return core_->child_verbs().restart_child(address); }
Result<void> Sandbox::remove_child(std::string_view address) { return core_->child_verbs().remove_child(address); }
Result<void> Sandbox::update_tree(const SupervisorSpec& tree) { return core_->child_verbs().update_tree(tree); }
Result<void> Sandbox::update_limits(const LimitChanges& changes) { return core_->live_limits().update_limits(changes); }
Result<void> Sandbox::update_permissions(Permissions permissions) {
  return core_->live_limits().update_permissions(permissions);
}
Result<void> Sandbox::label(std::string_view label) { return core_->labels().add(label); }
Result<void> Sandbox::unlabel(std::string_view label) { return core_->labels().remove(label); }
Result<VersionInfo> Sandbox::load(std::string_view module, const Source& source, const VersionOptions& options) {
  return InUse(core_)->versions().load(module, source, options);
}
Result<VersionInfo> Sandbox::stage(std::string_view module, const Source& source, const VersionOptions& options) {
  return InUse(core_)->versions().stage(module, source, options);
}
Result<ReloadReport> Sandbox::reload(std::string_view module, const Source& source, const ReloadOptions& options) {
  return InUse(core_)->reloads().reload(module, source, options);
}
Result<std::vector<ReloadReport>> Sandbox::reload_all(const std::vector<ModuleSpec>& modules,
                                                      const ReloadOptions& options) {
  return InUse(core_)->reloads().reload_all(modules, options);
}
Result<std::vector<ReloadReport>> Sandbox::reload_all(const Source& folder, const ReloadOptions& options) {
  return InUse(core_)->reloads().reload_folder(folder, options);
}
Result<ReloadReport> Sandbox::activate(std::string_view module, std::uint64_t version, const ReloadOptions& options) {
  return InUse(core_)->reloads().activate(module, version, options);
}
Result<ReloadReport> Sandbox::rollback(std::string_view module, std::uint64_t version, const RollbackOptions& options) {
  return InUse(core_)->reloads().rollback(module, version, options);
}
Result<std::vector<std::string>> Sandbox::dependencies(std::string_view module) const {
  return core_->modules().dependencies(module);
}
Result<std::vector<std::string>> Sandbox::reload_order() const { return core_->modules().reload_order(); }
Result<ReloadPlan> Sandbox::plan(std::string_view module, const Source& source, const ReloadOptions& options) const {
  return InUse(core_)->reloads().plan(module, source, options);
}
Result<std::vector<VersionInfo>> Sandbox::versions(std::string_view module) const {
  return core_->versions().versions(module);
}
Result<ModuleHistory> Sandbox::history(std::string_view module) const { return core_->versions().history(module); }
Result<ModuleArchive> Sandbox::export_module(std::string_view module) const {
  return core_->versions().export_module(module);
}
Result<VersionInfo> Sandbox::import_module(const ModuleArchive& archive) {
  return InUse(core_)->versions().import_module(archive);
}
Result<VersionInfo> Sandbox::copy_version(const Sandbox& from, std::string_view module, std::uint64_t version,
                                          const VersionOptions& options) {
  return InUse(core_)->versions().copy_version(from.core_->versions(), module, version, options);
}
Result<Snapshot> Sandbox::snapshot() { return InUse(core_)->snapshots().snapshot(); }
Result<void> Sandbox::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  return InUse(core_)->snapshots().restore(snapshot, options);
}
Result<StateDocument> Sandbox::state(std::string_view process) {
  return InUse(core_)->state_documents().state(process);
}
Result<void> Sandbox::update_state(const std::vector<StateUpdate>& updates, std::string_view process) {
  return InUse(core_)->state_documents().update(updates, process);
}
Result<void> Sandbox::stop() { return InUse(core_)->stop(); }
Result<void> Sandbox::restart(const RestartOptions& options) { return InUse(core_)->restart(options); }

}  // namespace petri
