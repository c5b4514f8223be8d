#include "evolve/packing_module.h"

#include <algorithm>
#include <array>
#include <limits>

#include "evolve/arithmetic.h"

namespace evolve {
namespace {

using enum petri::ValueType;
using petri::WasmLocal;

constexpr std::uint32_t kPageBytes = 64 << 10;
constexpr std::int32_t kCounterBytes = 4;
constexpr std::int32_t kItemBytes = 2;

// The loop over the items, and inside it the loop over the rooms that bins can have left.
class PackingBody {
 public:
  PackingBody(petri::WasmBuilder& module, petri::WasmBody body, PackingMemory memory)
      : body_(body), items_at_(static_cast<std::int32_t>(memory.items_at)) {
    module.memory({.pages_min = memory.pages, .pages_max = memory.pages});
  }

  struct Input {
    petri::WasmFunction size;
    petri::WasmFunction read;
  };
  void read_items(Input input) {
    body_.call(input.size).local_set(bytes_);
    body_.i32_const(items_at_).i32_const(0).local_get(bytes_).call(input.read).drop();
    // The instance may have packed another case before.
    body_.i32_const(0).i32_const(0).local_get(capacity_).i32_const(1).i32_add().i32_const(kCounterBytes).i32_mul();
    body_.memory_fill();
    body_.f64_const(1).local_get(capacity_).f64_convert_i32_s().f64_div().local_set(unit_);
  }

  template <typename EmitPriority>
  void pack(EmitPriority emit_priority) {
    body_.block().loop();
    body_.local_get(at_).local_get(bytes_).i32_ge_u().br_if(1);
    take_item();
    body_.f64_const(-std::numeric_limits<double>::infinity()).local_set(best_);
    body_.local_get(capacity_).local_set(chosen_);
    choose_room(emit_priority);
    put_item();
    body_.br(0).end().end();
    body_.local_get(bins_);
  }

  std::array<WasmLocal, 3> variables() const { return {item_share_, room_share_, left_share_}; }
  WasmLocal scratch() const { return scratch_; }

 private:
  void take_item() {
    body_.local_get(at_).i32_const(items_at_).i32_add().i32_load16_u().local_set(item_);
    body_.local_get(item_).f64_convert_i32_s().local_get(unit_).f64_mul().local_set(item_share_);
    body_.local_get(at_).i32_const(kItemBytes).i32_add().local_set(at_);
    body_.local_get(item_).local_set(room_);
  }

  template <typename EmitPriority>
  void choose_room(EmitPriority emit_priority) {
    body_.loop();
    load_counter(room_);
    body_.local_get(room_).local_get(capacity_).i32_eq().i32_or().if_();
    body_.local_get(room_).f64_convert_i32_s().local_get(unit_).f64_mul().local_tee(room_share_);
    body_.local_get(item_share_).f64_sub().local_set(left_share_);
    emit_priority();
    body_.local_tee(priority_).local_get(best_).f64_gt().if_();
    body_.local_get(priority_).local_set(best_).local_get(room_).local_set(chosen_);
    body_.end().end();
    body_.local_get(room_).i32_const(1).i32_add().local_tee(room_).local_get(capacity_).i32_le_u().br_if(0).end();
  }

  // One bin less with the chosen room, or one bin more; and one with what is left of it.
  void put_item() {
    body_.local_get(chosen_).local_get(capacity_).i32_eq().if_();
    body_.local_get(bins_).i32_const(1).i32_add().local_set(bins_);
    body_.else_();
    add_to_counter(chosen_, -1);
    body_.end();
    body_.local_get(chosen_).local_get(item_).i32_sub().local_set(chosen_);
    add_to_counter(chosen_, 1);
  }

  void load_counter(WasmLocal room) { body_.local_get(room).i32_const(kCounterBytes).i32_mul().i32_load(); }
  void add_to_counter(WasmLocal room, std::int32_t change) {
    body_.local_get(room).i32_const(kCounterBytes).i32_mul();
    load_counter(room);
    body_.i32_const(change).i32_add().i32_store();
  }

  petri::WasmBody body_;
  std::int32_t items_at_;
  WasmLocal capacity_{0};
  WasmLocal bytes_ = body_.local(i32);
  WasmLocal at_ = body_.local(i32);
  WasmLocal item_ = body_.local(i32);
  WasmLocal room_ = body_.local(i32);
  WasmLocal chosen_ = body_.local(i32);
  WasmLocal bins_ = body_.local(i32);
  WasmLocal unit_ = body_.local(f64);
  WasmLocal item_share_ = body_.local(f64);
  WasmLocal room_share_ = body_.local(f64);
  WasmLocal left_share_ = body_.local(f64);
  WasmLocal priority_ = body_.local(f64);
  WasmLocal best_ = body_.local(f64);
  WasmLocal scratch_ = body_.local(f64);
};

}  // namespace

Language packing_language() {
  namespace a = arithmetic;
  const auto draw = [](Random& random) { return random.between(-1, 1); };
  return make_language(f64, {variable("item", 0), variable("room", 1), variable("left", 2), a::constant(draw)},
                       {a::add(), a::subtract(), a::multiply(), a::divide(), a::minimum(), a::maximum()});
}

PackingMemory packing_memory(const Instances& instances) {
  std::size_t items_max = 0;
  for (const Items& items : instances.all) items_max = std::max(items_max, items.size());
  const auto items_at = static_cast<std::uint32_t>(kCounterBytes * (instances.capacity + 1));
  const auto bytes = items_at + static_cast<std::uint32_t>(kItemBytes * items_max);
  return {.items_at = items_at, .pages = (bytes + kPageBytes - 1) / kPageBytes};
}

void emit_packing(const Tree& rule, const Language& language, PackingMemory memory, petri::WasmBuilder& module) {
  const auto imported = import_math(rule, language, module);
  const PackingBody::Input input{
      .size = module.import_function("petri", "input_size", {.results = {i32}}),
      .read = module.import_function("petri", "input_read", {.params = {i32, i32, i32}, .results = {i32}})};
  auto body = module.function("pack", {.params = {i32}, .results = {i32}});
  PackingBody packing(module, body, memory);
  packing.read_items(input);
  const auto variables = packing.variables();
  packing.pack([&] {
    emit_tree(rule, language,
              {.body = body, .variables = variables, .scratch = packing.scratch(), .imported = imported});
  });
  body.end();
}

petri::Case packing_case(const Items& items, std::uint16_t capacity) {
  petri::Case one{.arguments = {static_cast<std::int32_t>(capacity)}, .input = {}};
  for (const std::uint16_t item : items) {
    one.input += static_cast<char>(item & 0xff);
    one.input += static_cast<char>(item >> 8);
  }
  return one;
}

}  // namespace evolve
