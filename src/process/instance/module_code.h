// A module as processes run it: checked, linked and loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "engine/instance/linked_code.h"
#include "host/link.h"
#include "tiering/hot_code.h"

namespace petri {

struct ModuleCode;
class RetraceCode;
using ModuleCodePtr = std::shared_ptr<const ModuleCode>;

// One of several modules that are linked with one another.
struct ModulePart {
  std::string name;
  ModuleCodePtr code;  // of the module by itself
  std::vector<LinkedTarget> targets;
};

// A module and those it is linked with; it is the last of them. They have one tier, and become hot together. Any thread
// may use it.
class LinkedModules {
 public:
  explicit LinkedModules(std::vector<ModulePart> parts);
  const std::vector<ModulePart>& parts() const { return parts_; }
  const ModulePart* find(std::string_view name) const;
  CodePtr interpreted_or_fixed() const;
  // Compiles all of them now, apart from what becomes hot; nullptr when one of them cannot be compiled.
  CodePtr load_compiled(const LoadOptions& options) const;
  // The compiled code; nullptr until all of them are compiled.
  CodePtr compiled() const EXCLUDES(mutex_);

 private:
  template <typename CodeOf>
  CodePtr link(CodeOf code_of) const;

  const std::vector<ModulePart> parts_;
  std::map<std::string_view, const ModulePart*> by_name_;  // there may be thousands
  mutable Mutex mutex_;
  mutable CodePtr compiled_ GUARDED_BY(mutex_);
};

// All sandboxes that run a module share this, unless it is linked with others. It never changes, so any thread may use
// it.
struct ModuleCode {
  ArtifactPtr artifact;
  BoundImports imports;
  std::vector<ModuleImport> from_modules;       // what it imports from others
  std::shared_ptr<const LinkedModules> linked;  // nullptr: it imports from no module
  CodePtr code;
  std::shared_ptr<HotCode> hot;  // nullptr: it keeps its tier
  // True when nothing it imports from the embedder has effects that a repetition would double.
  bool repeatable = false;
  std::shared_ptr<RetraceCode> retrace;
  // The numbers of the hooks among the exports.
  std::optional<std::uint32_t> init, handle, terminate, save, load, migrate, ready;

  const LoadableArtifact& module() const { return loadable(*artifact); }
  // The code that a new instance is created from.
  CodePtr best() const {
    CodePtr compiled = hot == nullptr ? nullptr : this->compiled();
    return compiled == nullptr ? code : compiled;
  }

  // For a module that has `hot`: the compiled code, once all that it is linked with is compiled, too; else nullptr.
  CodePtr compiled() const { return linked == nullptr ? hot->compiled() : linked->compiled(); }
  // For any module: code that is compiled for the caller alone; nullptr when it cannot be compiled.
  CodePtr load_compiled(const LoadOptions& options) const;
  // These report to the promoter what is hot, for modules that have `hot`. The client is who asks for compiled code.
  void add_instance(const void* client) const;
  void remove_instance() const;
  void add_burned(std::uint64_t fuel, const void* client) const;
  void promote(const void* client) const;

  // Empty when it is movable, and so are those it is linked with.
  std::string why_not_movable() const;
  bool movable() const;
};

// Finds the hooks of a process among the exports.
ModuleCodePtr make_module_code(ArtifactPtr artifact, BoundImports imports, CodePtr code,
                               std::shared_ptr<HotCode> hot = nullptr, std::vector<ModuleImport> from_modules = {},
                               bool repeatable = false);
// The module without those it is linked with.
ModuleCodePtr by_itself(const ModuleCodePtr& code);
// The code of the last part, linked with all others. Each part comes after those it imports from.
ModuleCodePtr make_linked_code(std::vector<ModulePart> parts);

}  // namespace petri
