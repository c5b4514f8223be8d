// Builds a WebAssembly module in about a microsecond, without text: what genetic programming emits its programs with.
//
//   using enum petri::ValueType;
//   petri::WasmBuilder module;
//   auto square = module.function({.params = {f64}, .results = {f64}});
//   square.local_get(0).local_get(0).f64_mul().end();
//
//   auto sum = module.function("sum_of_squares", {.params = {i32}, .results = {f64}});
//   const auto total = sum.local(f64);
//   sum.block().loop()                                             // from the parameter down to 1
//       .local_get(0).i32_eqz().br_if(1)
//       .local_get(0).f64_convert_i32_s().call(square.index())
//       .local_get(total).f64_add().local_set(total)
//       .local_get(0).i32_const(1).i32_sub().local_set(0)
//       .br(0).end().end()
//       .local_get(total).end();                                   // the last end() closes the function
//
//   const auto bytes = module.build();                             // Result: bytes, or what is wrong
//   if (bytes) const auto artifact = petri::Artifact::from_wasm(*bytes, 1 << 20);
//
// The calls only append bytes. What the builder knows to be wrong (a block left open, a local that is not there) is
// kept until build(), which returns the first of them. The types of values on the stack, and whatever else makes a
// module valid, are checked by Artifact::from_wasm, as for any other module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "petri/result.h"
#include "petri/value.h"
#include "petri/wasm_builder/wasm_operators.h"

namespace petri {

class WasmDraft;

// Parameters or results. Holds them itself, so that a signature costs no allocation; petri accepts no function with
// more.
class WasmTypes {
 public:
  static constexpr std::size_t kSizeMax = 64;

  constexpr WasmTypes() = default;
  constexpr WasmTypes(std::initializer_list<ValueType> types) : WasmTypes(std::span(types.begin(), types.size())) {}
  constexpr WasmTypes(std::span<const ValueType> types) {
    for (const ValueType type : types) push_back(type);
  }
  // The same type this many times.
  static constexpr WasmTypes repeated(ValueType type, std::size_t count) {
    WasmTypes types;
    for (std::size_t i = 0; i < count; ++i) types.push_back(type);
    return types;
  }

  // Keeps a type; beyond kSizeMax only the number of types is kept, for build() to report.
  constexpr void push_back(ValueType type) {
    if (size_ < kSizeMax) types_[size_] = type;
    ++size_;
  }
  constexpr std::size_t size() const { return size_; }
  constexpr std::span<const ValueType> span() const {
    return std::span(types_).first(size_ < kSizeMax ? size_ : kSizeMax);
  }

 private:
  std::array<ValueType, kSizeMax> types_{};
  std::size_t size_ = 0;
};

// The type of a function.
struct WasmSignature {
  WasmTypes params;
  WasmTypes results;
};

// Places in the index spaces of a module: valid for the builder that gave them, until it is cleared.
struct WasmType {
  std::uint32_t index = 0;
};
struct WasmFunction {
  std::uint32_t index = 0;  // imports first
};
struct WasmTable {
  std::uint32_t index = 0;
};
struct WasmGlobal {
  std::uint32_t index = 0;
};
// Parameters first, so that local_get(0) is the first parameter.
struct WasmLocal {
  constexpr WasmLocal(std::uint32_t local_index) : index(local_index) {}
  std::uint32_t index;
};
// An open block, however many more are opened inside it.
struct WasmLabel {
  std::uint32_t level = 0;  // counted from the function, which is 0
};

// Emits the operators of one function, in the order they run. A small handle that may be copied; it is of use from the
// builder's function() or body() until the end() that closes the function. It has a member for each operator of wasm.
class WasmBody {
 public:
  WasmFunction index() const { return function_; }
  // Declares one more local, which starts as zero; possible until the function is closed.
  WasmLocal local(ValueType type);

  // Constants.
  WasmBody& i32_const(std::int32_t value);
  WasmBody& i64_const(std::int64_t value);
  WasmBody& f32_const(float value);  // NaNs keep their payload
  WasmBody& f64_const(double value);
  // A constant of the type of the value.
  WasmBody& constant(Value value);

  // Locals and globals.
  WasmBody& local_get(WasmLocal local);
  WasmBody& local_set(WasmLocal local);
  WasmBody& local_tee(WasmLocal local);
  WasmBody& global_get(WasmGlobal global);
  WasmBody& global_set(WasmGlobal global);

  // Every numeric operator by its name: i32_add(), f64_mul(), i64_trunc_sat_f64_s() ...
  WasmBody& op(WasmOperator op);
#define PETRI_WASM_METHOD(type, name, ...) \
  WasmBody& type##_##name() { return op(WasmOperator::type##_##name); }
  PETRI_WASM_OPERATORS(PETRI_WASM_METHOD)
#undef PETRI_WASM_METHOD

  // Every load and store by its name: f64_load(8), i32_store8() ... The offset is added to the address on the stack.
  // The alignment hint is the natural one; it changes no result.
  WasmBody& op(WasmMemoryOperator op, std::uint32_t offset = 0);
#define PETRI_WASM_METHOD(type, name, ...) \
  WasmBody& type##_##name(std::uint32_t offset = 0) { return op(WasmMemoryOperator::type##_##name, offset); }
  PETRI_WASM_LOADS(PETRI_WASM_METHOD)
  PETRI_WASM_STORES(PETRI_WASM_METHOD)
#undef PETRI_WASM_METHOD
  // The memory as a whole.
  WasmBody& memory_size();
  WasmBody& memory_grow();
  WasmBody& memory_copy();  // to, from, bytes
  WasmBody& memory_fill();  // to, value, bytes

  // Each is closed by its end(). With one result or none their type costs nothing; others join the module's types.
  WasmBody& block();
  WasmBody& block(ValueType result);
  WasmBody& block(const WasmSignature& signature);
  WasmBody& loop();
  WasmBody& loop(ValueType result);
  WasmBody& loop(const WasmSignature& signature);
  // NOLINTBEGIN(readability-identifier-naming): without the underscore these are keywords.
  WasmBody& if_();
  WasmBody& if_(ValueType result);
  WasmBody& if_(const WasmSignature& signature);
  WasmBody& else_();
  WasmBody& return_();
  // NOLINTEND(readability-identifier-naming)
  WasmBody& end();  // of the innermost open block, else of the function

  // A branch names its target by depth, 0 being the innermost open block and the outermost the function itself, or by
  // label.
  WasmLabel label() const;                        // of the innermost open block
  std::uint32_t depth_of(WasmLabel label) const;  // from here
  WasmBody& br(std::uint32_t depth);
  WasmBody& br(WasmLabel label) { return br(depth_of(label)); }
  WasmBody& br_if(std::uint32_t depth);
  WasmBody& br_if(WasmLabel label) { return br_if(depth_of(label)); }
  // Branches to the depth at the index on the stack, or to the other one beyond the last.
  WasmBody& br_table(std::span<const std::uint32_t> depths, std::uint32_t depth_otherwise);
  WasmBody& br_table(std::initializer_list<std::uint32_t> depths, std::uint32_t depth_otherwise) {
    return br_table(std::span(depths.begin(), depths.size()), depth_otherwise);
  }
  WasmBody& call(WasmFunction function);
  // The slot of the table is the last operand.
  WasmBody& call_indirect(WasmType type, WasmTable table = {});
  WasmBody& call_indirect(const WasmSignature& signature, WasmTable table = {});

  // Operators without a type.
  WasmBody& drop();
  WasmBody& select();
  WasmBody& nop();
  WasmBody& unreachable();

 private:
  friend class WasmBuilder;
  WasmBody(WasmDraft& draft, WasmFunction function) : draft_(&draft), function_(function) {}
  // The code that operators are appended to. Operators after the function is closed are refused.
  std::vector<std::uint8_t>& code();
  WasmBody& emit(std::initializer_list<std::uint8_t> bytes);
  WasmBody& emit_local(std::uint8_t code, WasmLocal local);
  WasmBody& emit_global(std::uint8_t code, WasmGlobal global);
  WasmBody& emit_branch(std::uint8_t code, std::uint32_t depth);
  WasmBody& emit_block(std::uint8_t code, std::int64_t type);
  WasmBody& emit_block(std::uint8_t code, const WasmSignature& signature);
  void check_depth(std::uint32_t depth);

  WasmDraft* draft_;
  WasmFunction function_;
};

// Initial sizes and contents of a memory, a table and a global.
struct WasmMemorySpec {
  std::uint32_t pages_min = 1;  // of 64 KiB
  std::optional<std::uint32_t> pages_max;
};
struct WasmTableSpec {
  std::uint32_t slots_min = 0;
  std::optional<std::uint32_t> slots_max;
};
struct WasmGlobalSpec {
  Value initial;
  bool is_mutable = false;
};

// One module in the making. For one thread at a time.
class WasmBuilder {
 public:
  WasmBuilder();
  ~WasmBuilder();
  WasmBuilder(WasmBuilder&&) noexcept;
  WasmBuilder& operator=(WasmBuilder&&) noexcept;

  // Starts an empty module, in the memory of the last one: building many with one builder allocates nothing.
  void clear();

  // Equal signatures are one type.
  WasmType type(const WasmSignature& signature);
  // Imports come before all functions of the module's own.
  WasmFunction import_function(std::string_view module, std::string_view name, const WasmSignature& signature);

  // A new function, exported under this name or not at all; its body is emitted next. One body is open at a time.
  WasmBody function(std::string_view export_name, const WasmSignature& signature);
  WasmBody function(const WasmSignature& signature);
  // The two halves of function(), for functions that call each other.
  WasmFunction declare(const WasmSignature& signature);
  // Emits the body of a declared function.
  WasmBody body(WasmFunction function);

  // Adds a memory, a table, a global; a module has one memory at most.
  void memory(const WasmMemorySpec& spec);
  WasmTable table(const WasmTableSpec& spec);  // of functions
  WasmGlobal global(const WasmGlobalSpec& spec);
  // The initial contents of memory and tables.
  void data(std::uint32_t address, std::span<const std::uint8_t> bytes);
  void data(std::uint32_t address, std::string_view bytes);
  // Functions for the slots of a table from this one on.
  void elements(WasmTable table, std::uint32_t slot, std::span<const WasmFunction> functions);
  void elements(WasmTable table, std::uint32_t slot, std::initializer_list<WasmFunction> functions) {
    elements(table, slot, std::span(functions.begin(), functions.size()));
  }

  // Exports by name; one name is given once.
  void export_function(std::string_view name, WasmFunction function);
  void export_memory(std::string_view name);
  void export_table(std::string_view name, WasmTable table);
  void export_global(std::string_view name, WasmGlobal global);

  // Runs when the module is instantiated.
  void start(WasmFunction function);
  // The name backtraces show, in the name section; an exported function has one already.
  void name_function(WasmFunction function, std::string_view name);

  // The module's bytes, or validation_failed with the first thing that is wrong. May be called again, also after
  // adding.
  Result<std::vector<std::uint8_t>> build() const;
  // The same into a buffer that is used again and again; on failure it is left as it was.
  Result<void> build_into(std::vector<std::uint8_t>& bytes) const;

 private:
  std::unique_ptr<WasmDraft> draft_;
};

}  // namespace petri
