// For tests: a module that says when petri scans it, and when it makes an instance of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/loadable_artifact.h"

namespace petri {

struct ArtifactWatch {
  std::function<void()> on_scan = nullptr;
  std::function<void()> on_instantiate = nullptr;
};

// Another artifact, and code made of it, in all they do. The watch is called on the threads that use them.
class WatchedArtifact final : public LoadableArtifact {
 public:
  WatchedArtifact(ArtifactPtr inner, ArtifactWatch watch)
      : LoadableArtifact(inner->id(), loadable(*inner).facts()), inner_(std::move(inner)), watch_(std::move(watch)) {}
  static Source of_wat(const std::string& text, ArtifactWatch watch) {
    return Source::artifact(
        std::make_shared<const WatchedArtifact>(*Artifact::from_wat(text, 1 << 20), std::move(watch)));
  }

  ImportView import_at(std::uint32_t index) const override { return loadable(*inner_).import_at(index); }
  ExportView export_at(std::uint32_t index) const override { return loadable(*inner_).export_at(index); }
  std::span<const std::uint8_t> bytes() const override { return inner_->bytes(); }
  Result<CodePtr> load(Tier tier, BoundImports imports, const LoadOptions& options) const override {
    PETRI_TRY(CodePtr code, loadable(*inner_).load(tier, std::move(imports), options));
    if (watch_.on_instantiate == nullptr) return code;
    return std::make_shared<const WatchedCode>(std::move(code), watch_.on_instantiate);
  }
  Result<ScanReport> scan(std::uint32_t findings_max) const override {
    if (watch_.on_scan) watch_.on_scan();
    return loadable(*inner_).scan(findings_max);
  }

 protected:
  std::string_view name_section_entry(std::uint32_t) const override { return {}; }

 private:
  class WatchedCode final : public Code {
   public:
    WatchedCode(CodePtr inner, std::function<void()> on_instantiate)
        : Code(inner->tier()), inner_(std::move(inner)), on_instantiate_(std::move(on_instantiate)) {}
    Result<Instantiated> instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                            std::uint64_t memory_bytes_max) const override {
      on_instantiate_();
      return inner_->instantiate_within(time, hooks, memory_bytes_max);
    }

   private:
    const CodePtr inner_;
    const std::function<void()> on_instantiate_;
  };

  const ArtifactPtr inner_;
  const ArtifactWatch watch_;
};

}  // namespace petri
