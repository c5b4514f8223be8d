// An artifact of the crate's: bytes that passed the gate, and the way into both engines.
#pragma once

#include <atomic>
#include <memory>

#include "engine/loadable_artifact.h"
#include "petri_engine.h"

namespace petri {

struct DropArtifact {
  void operator()(petri_artifact* artifact) const { petri_artifact_drop(artifact); }
};
using ArtifactHandle = std::unique_ptr<petri_artifact, DropArtifact>;

// Never changes: any thread, and any number of load() and scan() at once.
class WasmArtifact final : public LoadableArtifact {
 public:
  // `fallbacks` counts what one engine could not load and the other did; it lives as long as the process.
  // `id`, unless it is null, is the hash of the bytes.
  static Result<ArtifactPtr> create(std::span<const std::uint8_t> wasm, ModuleBounds bounds, const ArtifactId* id,
                                    std::atomic<std::uint64_t>& fallbacks);

  WasmArtifact(ArtifactHandle handle, const petri_module_info& info, ModuleBounds bounds,
               std::atomic<std::uint64_t>& fallbacks);

  ImportView import_at(std::uint32_t index) const override;
  ExportView export_at(std::uint32_t index) const override;
  std::span<const std::uint8_t> bytes() const override;
  Result<CodePtr> load(Tier tier, BoundImports imports, const LoadOptions& options) const override;
  Result<ScanReport> scan(std::uint32_t findings_max) const override;

 protected:
  std::string_view name_section_entry(std::uint32_t function) const override;

 private:
  Result<void> check_hooks() const;

  ArtifactHandle handle_;
  std::atomic<std::uint64_t>& fallbacks_;
};

}  // namespace petri
