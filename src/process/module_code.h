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
#include "engine/linked_code.h"
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

// Those a module is linked with, and it: the last. They have one tier, and become hot together.
class LinkedModules {
 public:
  explicit LinkedModules(std::vector<ModulePart> parts);
  const std::vector<ModulePart>& parts() const { return parts_; }
  const ModulePart* find(std::string_view name) const;
  CodePtr interpreted_or_fixed() const;
  // Compiled now, apart from what becomes hot; nullptr when one of them cannot be.
  CodePtr load_compiled(const LoadOptions& options) const;
  // Once all of them have been compiled.
  CodePtr compiled() const EXCLUDES(mutex_);

 private:
  template <typename CodeOf>
  CodePtr link(CodeOf code_of) const;

  const std::vector<ModulePart> parts_;
  std::map<std::string_view, const ModulePart*> by_name_;  // there may be thousands
  mutable Mutex mutex_;
  mutable CodePtr compiled_ GUARDED_BY(mutex_);
};

// Shared by all sandboxes that run it, unless it is linked with others.
struct ModuleCode {
  ArtifactPtr artifact;
  BoundImports imports;
  std::vector<ModuleImport> from_modules;       // what it imports from others
  std::shared_ptr<const LinkedModules> linked;  // none: it is by itself
  CodePtr code;
  std::shared_ptr<HotCode> hot;  // none: it keeps its tier
  // Nothing it imports from the embedder has effects that a repetition would double.
  bool repeatable = false;
  std::shared_ptr<RetraceCode> retrace;
  // Exports by their numbers.
  std::optional<std::uint32_t> init, handle, terminate, save, load, migrate, ready;

  const LoadableArtifact& module() const { return loadable(*artifact); }
  // What a new instance is made of.
  CodePtr best() const {
    CodePtr compiled = hot == nullptr ? nullptr : this->compiled();
    return compiled == nullptr ? code : compiled;
  }

  // Of one that has `hot`, for all that it is linked with.
  CodePtr compiled() const { return linked == nullptr ? hot->compiled() : linked->compiled(); }
  // The same of any, compiled for the caller alone; nullptr when it cannot be.
  CodePtr load_compiled(const LoadOptions& options) const;
  // The client is the promoter's: who asks.
  void add_instance(const void* client) const;
  void remove_instance() const;
  void add_burned(std::uint64_t fuel, const void* client) const;
  void promote(const void* client) const;

  // Empty: it is, and so are those it is linked with.
  std::string why_not_movable() const;
  bool movable() const;
};

// Finds the hooks of a process among the exports.
ModuleCodePtr make_module_code(ArtifactPtr artifact, BoundImports imports, CodePtr code,
                               std::shared_ptr<HotCode> hot = nullptr, std::vector<ModuleImport> from_modules = {},
                               bool repeatable = false);
// Without those it is linked with.
ModuleCodePtr by_itself(const ModuleCodePtr& code);
// Of the last of them, with all others. Each comes after those it imports from.
ModuleCodePtr make_linked_code(std::vector<ModulePart> parts);

}  // namespace petri
