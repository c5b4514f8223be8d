// An artifact loaded into one of the crate's engines.
#pragma once

#include <memory>

#include "engine/caller.h"
#include "engine/instance/instance.h"
#include "engine/loadable_artifact.h"
#include "petri_engine.h"

namespace petri {

struct DropCode {
  void operator()(petri_code* code) const { petri_code_drop(code); }
};
using CodeHandle = std::unique_ptr<petri_code, DropCode>;

// How much native stack the guest's own frames may need at a given call depth.
struct StackNeed {
  std::uint64_t bytes_fixed = 0;
  std::uint64_t bytes_per_depth = 0;
  std::uint64_t bytes(std::uint32_t call_depth) const { return bytes_fixed + bytes_per_depth * call_depth; }
};

// Never changes: any thread may instantiate it. Instances do not need it afterwards.
class WasmCode final : public Code {
 public:
  static Result<CodePtr> create(const petri_artifact& artifact, const ModuleFacts& facts, Tier tier,
                                const BoundImports& imports, const LoadOptions& options);

  WasmCode(Tier tier, CodeHandle handle, StackNeed stack, std::shared_ptr<const void> owner)
      : Code(tier), handle_(std::move(handle)), stack_(stack), owner_(std::move(owner)) {}

  Result<Instantiated> instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                          std::uint64_t memory_bytes_max) const override;

 private:
  CodeHandle handle_;
  StackNeed stack_;
  std::shared_ptr<const void> owner_;  // of what the imports point to
};

}  // namespace petri
