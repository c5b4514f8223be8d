// Counts what is allocated: a builder that is used again takes nothing more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "petri/wasm_builder/wasm_builder.h"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

// Not inlined: GCC would see memory of malloc() in the hands of delete and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace petri {
namespace {

using enum ValueType;

void emit_everything(WasmBuilder& module) {
  const WasmFunction imported = module.import_function("math", "sin", {.params = {f64}, .results = {f64}});
  module.memory({.pages_min = 1});
  module.data(0, "some bytes");
  const WasmGlobal global = module.global({.initial = 0.5, .is_mutable = true});
  auto f = module.function("f", {.params = {f64, i32}, .results = {f64}});
  module.elements(module.table({.slots_min = 1}), 0, {f.index()});
  module.name_function(f.index(), "a name that does not fit into a short string");
  const WasmLocal local = f.local(f64);
  f.block({.params = {}, .results = {f64, f64}}).local_get(0).call(imported).global_get(global).end();
  f.f64_add().local_tee(local).i32_const(0).local_get(local).f64_store(8).end();
}

TEST(WasmBuilder, AllocatesNothingWhenItIsUsedAgain) {
  WasmBuilder module;
  std::vector<std::uint8_t> bytes;
  emit_everything(module);
  ASSERT_TRUE(module.build_into(bytes));
  const std::vector<std::uint8_t> first = bytes;

  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    module.clear();
    emit_everything(module);
    ASSERT_TRUE(module.build_into(bytes));
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(bytes, first);
}

}  // namespace
}  // namespace petri
