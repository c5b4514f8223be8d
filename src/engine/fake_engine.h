// An engine without WebAssembly, for tests of the layers above: its guests are C++ functions.
//
//   FakeEngine engine;
//   engine.add("counter", {.functions = {{.name = "next", .signature = {{}, {ValueType::i32}},
//                                         .body = [](FakeCall& call) { call.slots[0] = 7; }}}});
//   ArtifactPtr artifact = engine.artifact("counter");
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "engine/engine.h"
#include "engine/loadable_artifact.h"

namespace petri {

// One call of a fake guest's function.
class FakeCall final : public Caller {
 public:
  FakeCall(void* context, const Budget& budget, std::span<std::uint64_t> given_slots, std::vector<std::uint8_t>& memory,
           const BoundImports& imports)
      : Caller(context), slots(given_slots), budget_(budget), memory_(memory), imports_(imports) {}

  std::span<std::uint8_t> memory() override { return memory_; }
  std::uint64_t fuel_used() override { return used_; }
  After charge(std::uint64_t fuel) override {
    if (fuel > budget_.fuel - used_) stop(EndKind::out_of_fuel, 0);
    used_ += std::min(fuel, budget_.fuel - used_);
    return ended_ ? After::stop : After::resume;
  }
  void stop(EndKind kind, std::int32_t code) override {
    if (!ended_) end_ = {.kind = kind, .code = code};
    ended_ = true;
  }
  Result<Allocated> allocate(std::uint32_t) override { return Allocated{}; }
  Result<End> call(Instance& callee, std::uint32_t export_index, std::span<std::uint64_t> of_callee) override {
    Budget rest = budget_;
    rest.fuel -= used_;
    PETRI_TRY(const End end, callee.call(export_index, rest, context(), of_callee));
    charge(end.fuel_used);
    if (end.kind != EndKind::returned) stop(end.kind, end.code);
    return end;
  }
  // As a guest calls it: the declared fuel is charged first. After::stop: the function has to return.
  After call_import(std::size_t index, std::span<const std::uint64_t> arguments, std::span<std::uint64_t> results) {
    const HostImport& import = *imports_.functions.at(index);
    if (charge(import.fuel) == After::stop) return After::stop;
    PETRI_ASSERT(import.callback != nullptr);
    return import.callback(import.data, *this, arguments.data(), results.data());
  }

  End end() const { return {.kind = end_.kind, .code = end_.code, .fuel_used = used_, .memory_bytes = memory_.size()}; }

  std::span<std::uint64_t> slots;  // arguments, then results

 private:
  Budget budget_;
  std::vector<std::uint8_t>& memory_;
  const BoundImports& imports_;
  std::uint64_t used_ = 0;
  bool ended_ = false;
  End end_;
};

using FakeBody = std::function<void(FakeCall&)>;

struct FakeFunction {
  std::string name;
  Signature signature;
  FakeBody body;
};

struct FakeModule {
  std::vector<FakeFunction> functions;
  std::vector<ImportInfo> imports;
  std::uint32_t memory_pages = 0;
  bool compiles = true;  // else it is interpreted whatever is asked for
  FakeBody start = nullptr;
};

class FakeInstance final : public Instance {
 public:
  FakeInstance(const FakeModule& module, BoundImports imports)
      : module_(module), imports_(std::move(imports)), memory_(std::size_t{module.memory_pages} * 65'536) {}

  Result<End> call(std::uint32_t export_index, const Budget& budget, void* context,
                   std::span<std::uint64_t> slots) override {
    FakeCall fake_call(context, budget, slots, memory_, imports_);
    const FakeBody& body = export_index == kStartFunction ? module_.start : module_.functions.at(export_index).body;
    body(fake_call);
    return fake_call.end();
  }
  std::span<std::uint8_t> memory() override { return memory_; }
  void set_memory_bytes_max(std::uint64_t) override {}
  Result<std::uint64_t> global(std::uint32_t) override {
    return fail(ErrorCode::not_found, "a fake guest has no globals");
  }
  Result<void> set_global(std::uint32_t, std::uint64_t) override {
    return fail(ErrorCode::not_found, "a fake guest has no globals");
  }
  Result<InstanceShape> shape() override {
    return InstanceShape{.memory_pages_min = module_.memory_pages,
                         .memory_pages_max = std::numeric_limits<std::uint64_t>::max(),
                         .memory_pages = memory_.size() / InstanceShape::kPageBytes,
                         .globals = {}};
  }
  Result<void> reshape(const InstanceShape& shape) override {
    if (shape.memory_pages_min != module_.memory_pages || !shape.globals.empty()) {
      return fail(ErrorCode::state_incompatible, "the fake guest declares another memory or other globals");
    }
    if (shape.memory_bytes() < memory_.size()) {
      return fail(ErrorCode::state_incompatible, "a fake guest's memory cannot shrink");
    }
    memory_.resize(shape.memory_bytes());
    return {};
  }
  Result<void> adopt(Instance& from) override {
    memory_ = static_cast<FakeInstance&>(from).memory_;
    return {};
  }
  Result<void> look_while_filled() override { return {}; }
  std::vector<TracePoint> backtrace() override { return {}; }

 private:
  const FakeModule& module_;
  BoundImports imports_;
  std::vector<std::uint8_t> memory_;
};

class FakeCode final : public Code {
 public:
  FakeCode(Tier tier, const FakeModule& module, BoundImports imports)
      : Code(tier), module_(module), imports_(std::move(imports)) {}

  Result<Instantiated> instantiate_within(const MakingTime*, const HostHooks&,
                                          std::uint64_t memory_bytes_max) const override {
    if (module_.memory_pages * std::uint64_t{65'536} > memory_bytes_max) {
      return Instantiated{.instance = nullptr, .end = {.kind = EndKind::memory_limit}};
    }
    return Instantiated{.instance = std::make_unique<FakeInstance>(module_, imports_), .end = {}};
  }

 private:
  const FakeModule& module_;
  BoundImports imports_;
};

class FakeArtifact final : public LoadableArtifact {
 public:
  // The module outlives the artifact and all that is made of it.
  FakeArtifact(std::string_view bytes, const FakeModule& module)
      : LoadableArtifact(id_of(bytes), facts_of(bytes, module)), bytes_(bytes.begin(), bytes.end()), module_(module) {}

  ImportView import_at(std::uint32_t index) const override {
    const ImportInfo& info = module_.imports.at(index);
    return {.module = info.module, .name = info.name, .kind = info.kind, .signature = view_of(info.signature)};
  }
  ExportView export_at(std::uint32_t index) const override {
    const FakeFunction& function = module_.functions.at(index);
    return {
        .name = function.name, .kind = ExternKind::function, .index = index, .signature = view_of(function.signature)};
  }
  std::span<const std::uint8_t> bytes() const override { return bytes_; }
  Result<CodePtr> load(Tier tier, BoundImports imports, const LoadOptions&) const override {
    return std::make_shared<const FakeCode>(module_.compiles ? tier : Tier::interpreted, module_, std::move(imports));
  }
  Result<ScanReport> scan(std::uint32_t) const override { return ScanReport{.artifact = id(), .findings = {}}; }

 protected:
  std::string_view name_section_entry(std::uint32_t) const override { return {}; }

 private:
  static ArtifactId id_of(std::string_view bytes) {
    ArtifactId id;
    const auto count = std::min(bytes.size(), id.bytes.size());
    std::copy_n(bytes.begin(), count, id.bytes.begin());
    return id;
  }
  static ModuleFacts facts_of(std::string_view bytes, const FakeModule& module) {
    return {.bytes = bytes.size(),
            .imports = static_cast<std::uint32_t>(module.imports.size()),
            .functions = static_cast<std::uint32_t>(module.functions.size()),
            .exports = static_cast<std::uint32_t>(module.functions.size()),
            .has_start = module.start != nullptr,
            .memory_pages_min = module.memory_pages};
  }
  static SignatureView view_of(const Signature& signature) {
    return {.params = signature.params, .results = signature.results};
  }

  std::vector<std::uint8_t> bytes_;
  const FakeModule& module_;
};

// Knows the modules that were added, by their bytes. Not for several threads at once while modules are added.
class FakeEngine final : public Engine {
 public:
  void add(std::string bytes, FakeModule module) { modules_.insert_or_assign(std::move(bytes), std::move(module)); }

  // The artifact of a module that was added.
  ArtifactPtr artifact(std::string_view bytes) const {
    return std::make_shared<const FakeArtifact>(bytes, modules_.find(bytes)->second);
  }

  Result<ArtifactPtr> prepare(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                              ModuleBounds = ModuleBounds::candidate) override {
    const std::string_view bytes(reinterpret_cast<const char*>(wasm.data()), wasm.size());
    if (bytes.size() > bytes_max) return fail(ErrorCode::module_too_large, "the fake module is too large");
    if (!modules_.contains(bytes)) return fail(ErrorCode::rejected, "the fake engine knows no such module");
    return artifact(bytes);
  }
  Result<ArtifactPtr> prepare_hashed(std::span<const std::uint8_t> wasm, const ArtifactId&,
                                     std::uint64_t bytes_max) override {
    return prepare(wasm, bytes_max);
  }
  Result<ArtifactPtr> prepare_wat(std::string_view text, std::uint64_t bytes_max,
                                  ModuleBounds = ModuleBounds::candidate) override {
    return prepare({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, bytes_max);
  }
  EngineStatistics statistics() const override { return {}; }

 private:
  std::map<std::string, FakeModule, std::less<>> modules_;
};

}  // namespace petri
