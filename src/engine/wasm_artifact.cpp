#include "engine/wasm_artifact.h"

#include <cstring>

#include "base/assert.h"
#include "engine/module/hook_exports.h"
#include "engine/module/module_scan.h"
#include "engine/wasm_code.h"
#include "engine/wasm_text.h"

namespace petri {
namespace {

ArtifactId to_id(const petri_module_info& info) {
  ArtifactId id;
  static_assert(sizeof(id.bytes) == sizeof(info.sha256));
  std::memcpy(id.bytes.data(), info.sha256, sizeof(info.sha256));
  return id;
}

ModuleFacts to_facts(const petri_module_info& info) {
  static_assert(ModuleFacts::kNotDeclared == UINT64_MAX);
  return {.bytes = info.bytes,
          .code_bytes = info.code_bytes,
          .metered_bytes = info.metered_bytes,
          .types = info.types,
          .imports = info.imports,
          .functions = info.functions,
          .tables = info.tables,
          .memories = info.memories,
          .globals = info.globals,
          .exports = info.exports,
          .element_segments = info.element_segments,
          .data_segments = info.data_segments,
          .has_start = info.has_start != 0,
          .features = info.features,
          .not_movable = info.not_movable,
          .memory_pages_min = info.memory_pages_min,
          .memory_pages_max = info.memory_pages_max,
          .table_slots_min = info.table_slots_min,
          .instance_bytes = info.instance_bytes,
          .stack_bytes_fixed = info.stack_bytes_fixed,
          .stack_bytes_per_depth = info.stack_bytes_per_depth};
}

static_assert(static_cast<int>(ExternKind::function) == PETRI_FUNCTION &&
              static_cast<int>(ExternKind::table) == PETRI_TABLE &&
              static_cast<int>(ExternKind::memory) == PETRI_MEMORY &&
              static_cast<int>(ExternKind::global) == PETRI_GLOBAL);
static_assert(sizeof(ValueType) == 1 && static_cast<int>(ValueType::i32) == PETRI_I32 &&
              static_cast<int>(ValueType::i64) == PETRI_I64 && static_cast<int>(ValueType::f32) == PETRI_F32 &&
              static_cast<int>(ValueType::f64) == PETRI_F64 && static_cast<int>(ValueType::funcref) == PETRI_FUNCREF);

// The crate's type codes are those of ValueType, a byte each, so that a list of them can be looked at where it is.
std::span<const ValueType> to_types(const std::uint8_t* types, std::uint32_t count) {
  if (count == 0) return {};
  return {reinterpret_cast<const ValueType*>(types), count};
}

SignatureView to_signature(const petri_signature& signature) {
  return {.params = to_types(signature.params, signature.params_count),
          .results = to_types(signature.results, signature.results_count)};
}

}  // namespace

Result<ArtifactPtr> WasmArtifact::create(std::span<const std::uint8_t> wasm, ModuleBounds bounds, const ArtifactId* id,
                                         std::atomic<std::uint64_t>& fallbacks) {
  petri_artifact* handle = nullptr;
  petri_error error;
  const petri_status status =
      id == nullptr
          ? petri_prepare(wasm.data(), wasm.size(), to_native(bounds), &handle, &error)
          : petri_prepare_hashed(wasm.data(), wasm.size(), to_native(bounds), id->bytes.data(), &handle, &error);
  if (status != PETRI_OK) return fail(to_error(error));
  ArtifactHandle owned(handle);
  petri_module_info info;
  petri_artifact_info(handle, &info);
  auto artifact = std::make_shared<const WasmArtifact>(std::move(owned), info, bounds, fallbacks);
  PETRI_TRY(artifact->check_hooks());
  return artifact;
}

WasmArtifact::WasmArtifact(ArtifactHandle handle, const petri_module_info& info, ModuleBounds bounds,
                           std::atomic<std::uint64_t>& fallbacks)
    : LoadableArtifact(to_id(info), to_facts(info), bounds), handle_(std::move(handle)), fallbacks_(fallbacks) {}

Result<void> WasmArtifact::check_hooks() const {
  for (std::uint32_t index = 0; index < facts().exports; ++index) PETRI_TRY(check_hook_export(export_at(index)));
  return {};
}

ImportView WasmArtifact::import_at(std::uint32_t index) const {
  petri_import_info info;
  PETRI_ASSERT(petri_artifact_import(handle_.get(), index, &info) == PETRI_OK);
  return {.module = to_view(info.module),
          .name = to_view(info.name),
          .kind = static_cast<ExternKind>(info.kind),
          .signature = to_signature(info.signature),
          .offset = info.offset};
}

ExportView WasmArtifact::export_at(std::uint32_t index) const {
  petri_export_info info;
  PETRI_ASSERT(petri_artifact_export(handle_.get(), index, &info) == PETRI_OK);
  return {.name = to_view(info.name),
          .kind = static_cast<ExternKind>(info.kind),
          .index = info.index,
          .signature = to_signature(info.signature),
          .global_type = static_cast<ValueType>(info.global_type),
          .global_mutable = info.global_mutable != 0,
          .offset = info.offset};
}

std::span<const std::uint8_t> WasmArtifact::bytes() const {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  petri_artifact_bytes(handle_.get(), &data, &size);
  return {data, size};
}

std::string_view WasmArtifact::name_section_entry(std::uint32_t function) const {
  return to_view(petri_artifact_function_name(handle_.get(), function));
}

Result<ScanReport> WasmArtifact::scan(std::uint32_t findings_max) const {
  return scan_module(*handle_, *this, findings_max);
}

// A module that one engine cannot take is run by the other: both give the same answer.
Result<CodePtr> WasmArtifact::load(Tier tier, BoundImports imports, const LoadOptions& options) const {
  PETRI_ASSERT(tier != Tier::automatic);
  auto code = WasmCode::create(*handle_, facts(), tier, imports, options);
  if (code || code.error().code != ErrorCode::engine_fault) return code;
  const Tier other = tier == Tier::interpreted ? Tier::compiled : Tier::interpreted;
  auto instead = WasmCode::create(*handle_, facts(), other, imports, options);
  if (!instead) return code;
  fallbacks_.fetch_add(1, std::memory_order_relaxed);
  return instead;
}

}  // namespace petri
