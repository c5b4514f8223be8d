// The inner face of an Artifact: what petri itself asks of one, without building texts nobody reads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/caller.h"
#include "engine/instance/instance.h"
#include "petri/artifact.h"
#include "petri/scan.h"
#include "petri/tier.h"

namespace petri {

// Borrowed from the artifact, like the texts below. Names are the guest's: escape them before showing them.
struct SignatureView {
  std::span<const ValueType> params;
  std::span<const ValueType> results;
};
bool matches(const SignatureView& view, const Signature& signature);
Signature to_signature(const SignatureView& view);

struct ImportView {
  std::string_view module;
  std::string_view name;
  ExternKind kind = ExternKind::function;
  SignatureView signature;   // of a function
  std::uint64_t offset = 0;  // where its names begin in the module's bytes
};

struct ExportView {
  std::string_view name;
  ExternKind kind = ExternKind::function;
  std::uint32_t index = 0;  // in the index space of its kind
  SignatureView signature;  // of a function
  ValueType global_type = ValueType::i32;
  bool global_mutable = false;
  std::uint64_t offset = 0;  // where its name starts in the module's bytes
};

struct ModuleFacts {
  static constexpr std::uint64_t kNotDeclared = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t bytes = 0, code_bytes = 0, metered_bytes = 0;
  std::uint32_t types = 0, imports = 0, functions = 0, tables = 0, memories = 0, globals = 0, exports = 0;
  std::uint32_t element_segments = 0, data_segments = 0;
  bool has_start = false;
  std::uint32_t features = 0;     // bits, as feature_names() knows them
  std::uint32_t not_movable = 0;  // bits, as movability_reasons() knows them
  std::uint64_t memory_pages_min = 0;
  std::uint64_t memory_pages_max = kNotDeclared;
  std::uint64_t table_slots_min = 0;
  // The memory that an engine keeps for an instance beside these, by what the module declares; the smallest one has
  // more.
  std::uint64_t instance_bytes = 0;
  std::uint64_t stack_bytes_fixed = 0, stack_bytes_per_depth = 0;

  // The memory that the values of one call may take together, eight bytes each: a number of petri's, the same in both
  // tiers.
  std::uint64_t value_bytes(std::uint64_t call_depth) const {
    return (stack_bytes_fixed + stack_bytes_per_depth * call_depth) / 2;
  }
  // The memory of an instance that has not grown: 64 KiB a page and 8 a table slot.
  std::uint64_t memory_bytes_min() const { return memory_pages_min * 65'536 + table_slots_min * 8; }
};

struct LoadOptions {
  MachineCodeOptions compile;
  std::stop_token stop;  // a compilation is `cancelled`
  bool brief = false;    // the code and its instances are dropped soon: interpreting it is quicker to begin with then
};

// Every Artifact is one; only engines make them.
class LoadableArtifact : public Artifact {
 public:
  const ModuleFacts& facts() const { return facts_; }
  // Indexes are below facts().imports and facts().exports.
  virtual ImportView import_at(std::uint32_t index) const = 0;
  virtual ExportView export_at(std::uint32_t index) const = 0;
  // The number of the export of this name, as Instance::call takes it.
  std::optional<std::uint32_t> export_number(std::string_view name) const;

  // Binds one function to each import and translates for the tier, which is not `automatic`. Names and types have been
  // checked by the caller. The compiled tier takes as long as `options.compile` allows: timeout, limit_exceeded,
  // not_found without a compile worker.
  virtual Result<CodePtr> load(Tier tier, BoundImports imports, const LoadOptions& options = {}) const = 0;

  // The findings in its own code and sections; scan() adds imports and hooks. Keeps the `findings_max` most severe.
  virtual Result<ScanReport> scan(std::uint32_t findings_max) const = 0;

  const ModuleInfo& info() const final { return description().info; }
  const std::vector<ImportInfo>& imports() const final { return description().imports; }
  const std::vector<ExportInfo>& exports() const final { return description().exports; }
  std::string function_name(std::uint32_t function) const final;

 protected:
  LoadableArtifact(const ArtifactId& artifact_id, const ModuleFacts& facts,
                   ModuleBounds bounds = ModuleBounds::candidate)
      : Artifact(artifact_id, bounds), facts_(facts) {}
  // The name of a function in the name section, or empty.
  virtual std::string_view name_section_entry(std::uint32_t function) const = 0;

 private:
  struct Description {
    ModuleInfo info;
    std::vector<ImportInfo> imports;
    std::vector<ExportInfo> exports;
  };
  // Made when first asked for: a run does without.
  const Description& description() const;
  Description describe() const;

  ModuleFacts facts_;
  mutable std::once_flag described_;
  mutable std::unique_ptr<const Description> description_;
};

const LoadableArtifact& loadable(const Artifact& artifact);

}  // namespace petri
