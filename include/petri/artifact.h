// A checked module: WebAssembly bytes that passed the gate, and what is known of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/outcome.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri {

// The kinds of what a module imports and exports.
enum class ExternKind : std::uint8_t { function, table, memory, global };
std::string_view name_of(ExternKind kind);

// How large a module and its parts may be (docs/reference/bounds.md): `candidate` for evolved code by the hundred
// thousand, where what is cheap to write must not be expensive to load; `program` for what ordinary compilers produce,
// which may take the compiler long, in the worker that can be killed.
enum class ModuleBounds : std::uint8_t { candidate, program };
std::string_view name_of(ModuleBounds bounds);
std::optional<ModuleBounds> module_bounds_named(std::string_view name);
// The module_bytes_max of programs, where none is named: the smallest that CPython fits into.
constexpr std::uint64_t kProgramBytesMax = std::uint64_t{64} << 20;

// One import of a module.
struct ImportInfo {
  std::string module;
  std::string name;
  ExternKind kind = ExternKind::function;
  Signature signature;  // of a function
};

// One export of a module.
struct ExportInfo {
  std::string name;
  ExternKind kind = ExternKind::function;
  std::uint32_t index = 0;  // in the index space of its kind
  Signature signature;      // of a function
  std::optional<ValueType> global_type;
  bool global_mutable = false;
};

// The facts that the gate found about a module: its sizes, and which additions to WebAssembly it uses.
struct ModuleInfo {
  ArtifactId id;
  std::uint64_t bytes = 0;
  std::uint64_t code_bytes = 0;
  std::uint64_t metered_bytes = 0;
  std::uint32_t types = 0, functions = 0, tables = 0, memories = 0, globals = 0;
  std::uint32_t element_segments = 0, data_segments = 0;
  bool has_start = false;
  std::vector<std::string> features;             // accepted additions to the MVP it uses, by name
  std::vector<std::string> not_movable_because;  // empty: a live instance can be moved, copied and saved
  std::uint64_t memory_pages_min = 0;
  std::optional<std::uint64_t> memory_pages_max;
  std::uint64_t table_slots_min = 0;
  std::uint64_t stack_bytes_fixed = 0;  // native stack needed at most: fixed + per_depth * call_depth_max
  std::uint64_t stack_bytes_per_depth = 0;
};

// Immutable and shared; safe to use from any thread. The last user frees it.
class Artifact {
 public:
  // Checks bytes as they were sent: `rejected` names the first thing petri does not accept. What does not start like
  // wasm is never tried as text. More than `bytes_max` is `module_too_large` before anything parses it.
  static Result<std::shared_ptr<const Artifact>> from_wasm(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                                                           ModuleBounds bounds = ModuleBounds::candidate);
  // Prepares wat text; text that does not parse is `parse_failed` with details "line" and "column".
  static Result<std::shared_ptr<const Artifact>> from_wat(std::string_view text, std::uint64_t bytes_max,
                                                          ModuleBounds bounds = ModuleBounds::candidate);

  virtual ~Artifact() = default;
  virtual const ModuleInfo& info() const = 0;
  virtual const std::vector<ImportInfo>& imports() const = 0;
  virtual const std::vector<ExportInfo>& exports() const = 0;
  virtual std::span<const std::uint8_t> bytes() const = 0;  // as sent
  // The function's name in the name section, else that of an export of it, else empty.
  virtual std::string function_name(std::uint32_t function) const = 0;

  // The export of this name, or nullptr.
  const ExportInfo* find_export(std::string_view name) const;
  const ArtifactId& id() const { return id_; }
  // The bounds that it was checked by.
  ModuleBounds bounds() const { return bounds_; }

 protected:
  // Only petri's engines create artifacts.
  explicit Artifact(const ArtifactId& artifact_id, ModuleBounds bounds = ModuleBounds::candidate)
      : id_(artifact_id), bounds_(bounds) {}
  Artifact(const Artifact&) = delete;
  Artifact& operator=(const Artifact&) = delete;

 private:
  ArtifactId id_;
  ModuleBounds bounds_;
};

// An artifact as it is shared.
using ArtifactPtr = std::shared_ptr<const Artifact>;

}  // namespace petri
