#include "bench/search/snippets.h"

#include <algorithm>

#include "bench/shapes/opcodes.h"

namespace petri::bench {
namespace {

// Writes one snippet.
struct Pen {
  Bytes& code;
  const SnippetContext& in;
  const OwnLocals& own;
  std::uint32_t turn;

  void raw(std::initializer_list<unsigned> bytes) const { put(code, bytes); }
  void indexed(unsigned opcode, std::uint64_t index) const {
    put(code, {opcode});
    append_unsigned(code, index);
  }
  void get_i32() const { indexed(op::local_get, own.i32); }
  void get_i64() const { indexed(op::local_get, own.i64); }
  void get_f64() const { indexed(op::local_get, own.f64); }
  void set_i32() const { indexed(op::local_set, own.i32); }
  void set_i64() const { indexed(op::local_set, own.i64); }
  void set_f64() const { indexed(op::local_set, own.f64); }
  std::uint32_t local(std::uint32_t by = 0) const { return in.first_local + (turn + by) % in.locals; }
  void open(unsigned opcode, std::uint32_t type) const {
    put(code, {opcode});
    append_signed(code, type);
  }
  void make() const { indexed(op::call, in.make); }
  void take() const { indexed(op::call, in.take); }
};

using Write = void (*)(const Pen&);
struct NamedSnippet {
  std::string_view name;
  Write write;
};

void on_f64(const Pen& p, std::initializer_list<unsigned> operators) {
  p.get_f64();
  p.raw(operators);
  p.set_f64();
}
void on_i64(const Pen& p, std::initializer_list<unsigned> operators) {
  p.get_i64();
  p.raw(operators);
  p.set_i64();
}
void with_i64(const Pen& p, unsigned op) {
  p.get_i64();
  p.get_i64();
  p.raw({op});
  p.set_i64();
}

// A table of targets: labels of blocks that carry nothing, going round.
void branch_table(const Pen& p) {
  p.raw({op::block, op::empty});
  p.get_i32();
  p.indexed(op::br_table, p.in.targets - 1);
  for (std::uint32_t i = 0; i < p.in.targets; ++i) append_unsigned(p.code, i * 7 % (p.in.labels + 1));
  p.raw({op::end});
}
void branch_table_with_values(const Pen& p) {
  p.open(op::block, p.in.makes);
  p.make();
  p.get_i32();
  p.indexed(op::br_table, p.in.targets - 1);
  put(p.code, Bytes(p.in.targets, 0));
  p.raw({op::end});
  p.take();
}
void carried_block(const Pen& p, unsigned opcode) {
  p.make();
  p.open(opcode, p.in.passes);
  p.raw({op::end});
  p.take();
}
void triple(const Pen& p) {
  for (int i = 0; i < 3; ++i) p.get_i32();
}

const std::vector<NamedSnippet>& snippets() {
  static const std::vector<NamedSnippet> all{
      {"nothing", [](const Pen&) {}},
      {"block", [](const Pen& p) { p.raw({op::block, op::empty, op::end}); }},
      {"blocks",
       [](const Pen& p) { p.raw({op::block, 0x40, op::block, 0x40, op::block, 0x40, op::end, op::end, op::end}); }},
      {"loop", [](const Pen& p) { p.raw({op::loop, op::empty, op::end}); }},
      {"if",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::if_, op::empty, op::end});
       }},
      {"if_else",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::if_, op::empty, op::else_, op::end});
       }},
      {"if_value",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::if_, code_i64});
         p.get_i64();
         p.raw({op::else_});
         p.indexed(op::local_get, p.local());
         p.raw({op::end});
         p.set_i64();
       }},
      {"br_if",
       [](const Pen& p) {
         p.raw({op::block, op::empty});
         p.get_i32();
         p.raw({op::br_if, 0, op::end});
       }},
      {"br_if_out",
       [](const Pen& p) {
         p.raw({op::block, op::empty});
         p.get_i32();
         p.indexed(op::br_if, p.in.labels);
         p.raw({op::end});
       }},
      {"loop_turns",
       [](const Pen& p) {
         p.raw({op::loop, op::empty});
         p.get_i32();
         p.raw({op::br_if, 0, op::end});
       }},
      {"loop_sets",
       [](const Pen& p) {
         p.raw({op::loop, op::empty});
         p.get_i64();
         p.indexed(op::local_set, p.local());
         p.get_i32();
         p.raw({op::br_if, 0, op::end});
       }},
      {"if_sets",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::if_, op::empty});
         p.get_i64();
         p.indexed(op::local_set, p.local());
         p.raw({op::end});
       }},
      {"br_table", branch_table},
      {"br_table_values", branch_table_with_values},
      {"make_take",
       [](const Pen& p) {
         p.make();
         p.take();
       }},
      {"block_values", [](const Pen& p) { carried_block(p, op::block); }},
      {"loop_values", [](const Pen& p) { carried_block(p, op::loop); }},
      {"if_values",
       [](const Pen& p) {
         p.make();
         p.get_i32();
         p.open(op::if_, p.in.passes);
         p.raw({op::else_, op::end});
         p.take();
       }},
      {"br_if_values",
       [](const Pen& p) {
         p.make();
         p.open(op::block, p.in.passes);
         p.get_i32();
         p.raw({op::br_if, 0, op::end});
         p.take();
       }},
      {"br_ifs_values",
       [](const Pen& p) {
         p.make();
         p.open(op::block, p.in.passes);
         for (int i = 0; i < 16; ++i) {
           p.get_i32();
           p.raw({op::br_if, 0});
         }
         p.raw({op::end});
         p.take();
       }},
      {"call_pass",
       [](const Pen& p) {
         p.make();
         for (int i = 0; i < 8; ++i) p.indexed(op::call, p.in.pass);
         p.take();
       }},
      {"call_indirect",
       [](const Pen& p) {
         p.make();
         p.raw({op::i32_const, 0});
         p.indexed(op::call_indirect, p.in.passes);
         p.raw({0});
         p.take();
       }},
      {"call_indirect_plain",
       [](const Pen& p) {
         p.raw({op::i32_const, 0});
         p.indexed(op::call_indirect, p.in.plain);
         p.raw({0});
       }},
      {"call_next", [](const Pen& p) { p.indexed(op::call, p.in.next); }},
      {"call_import",
       [](const Pen& p) {
         if (p.in.imports == 0) return p.indexed(op::call, p.in.next);
         p.get_i32();
         p.indexed(op::call, p.turn % p.in.imports);
       }},
      {"local_moves",
       [](const Pen& p) {
         p.indexed(op::local_get, p.local(1));
         p.indexed(op::local_set, p.local());
       }},
      {"local_reads",
       [](const Pen& p) {
         p.indexed(op::local_get, p.local());
         p.raw({op::drop});
       }},
      {"local_stores",
       [](const Pen& p) {
         p.get_i32();
         p.indexed(op::local_get, p.local());
         p.raw({op::i64_store, 0});
         append_unsigned(p.code, 8 * (p.turn % 16));
       }},
      {"loads",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::i64_load, 0});
         append_unsigned(p.code, 8 * (p.turn % 16));
         p.indexed(op::local_set, p.local());
       }},
      {"far_load",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::i64_load, 0, 0xff, 0xff, 0xff, 0xff, 0x0f});
         p.set_i64();
       }},
      {"globals",
       [](const Pen& p) {
         p.indexed(op::global_get, p.turn % p.in.globals);
         p.indexed(op::global_set, (p.turn + 1) % p.in.globals);
       }},
      {"memory_fill",
       [](const Pen& p) {
         triple(p);
         p.raw({op::prefix_fc, op::memory_fill, 0});
       }},
      {"memory_copy",
       [](const Pen& p) {
         triple(p);
         p.raw({op::prefix_fc, op::memory_copy, 0, 0});
       }},
      {"memory_grow",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::memory_grow, 0});
         p.set_i32();
       }},
      {"memory_size",
       [](const Pen& p) {
         p.raw({0x3f, 0});
         p.set_i32();
       }},
      {"table_get",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::table_get, 0, op::ref_is_null});
         p.set_i32();
       }},
      {"table_set",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::ref_null, code_funcref, op::table_set, 0});
       }},
      {"table_copy",
       [](const Pen& p) {
         triple(p);
         p.raw({op::prefix_fc, op::table_copy, 0, 0});
       }},
      {"table_grow",
       [](const Pen& p) {
         p.raw({op::ref_null, code_funcref});
         p.get_i32();
         p.raw({op::prefix_fc, op::table_grow, 0});
         p.set_i32();
       }},
      {"table_fill",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::ref_null, code_funcref});
         p.get_i32();
         p.raw({op::prefix_fc, op::table_fill, 0});
       }},
      {"table_size",
       [](const Pen& p) {
         p.raw({op::prefix_fc, 0x10, 0});
         p.set_i32();
       }},
      {"sqrt", [](const Pen& p) { on_f64(p, {op::f64_sqrt, op::f64_sqrt, op::f64_sqrt, op::f64_sqrt}); }},
      {"nearest", [](const Pen& p) { on_f64(p, {0x9e, 0x9b, 0x9c, 0x9d}); }},
      {"neg_abs", [](const Pen& p) { on_f64(p, {0x9a, 0x99, 0x9a, 0x99}); }},
      {"convert", [](const Pen& p) { on_f64(p, {op::f32_demote_f64, op::f64_promote_f32}); }},
      {"truncate", [](const Pen& p) { on_f64(p, {op::i64_trunc_f64_u, op::f64_convert_i64_u}); }},
      {"truncate_small", [](const Pen& p) { on_f64(p, {0xab, 0xb8}); }},
      {"saturate", [](const Pen& p) { on_f64(p, {op::prefix_fc, op::i64_trunc_sat_f64_u, op::f64_convert_i64_u}); }},
      {"saturate_small", [](const Pen& p) { on_f64(p, {op::prefix_fc, 3, 0xb8}); }},
      {"f64_min",
       [](const Pen& p) {
         p.get_f64();
         p.get_f64();
         p.raw({op::f64_min});
         p.set_f64();
       }},
      {"f64_add",
       [](const Pen& p) {
         p.get_f64();
         p.get_f64();
         p.raw({op::f64_add});
         p.set_f64();
       }},
      {"f64_copysign",
       [](const Pen& p) {
         p.get_f64();
         p.get_f64();
         p.raw({0xa6});
         p.set_f64();
       }},
      {"f64_compare",
       [](const Pen& p) {
         p.get_f64();
         p.get_f64();
         p.raw({0x65});
         p.set_i32();
       }},
      {"reinterpret", [](const Pen& p) { on_f64(p, {0xbd, 0xbf}); }},
      {"divide", [](const Pen& p) { with_i64(p, op::i64_div_s); }},
      {"remainder", [](const Pen& p) { on_i64(p, {op::i64_const, 63, op::i64_rem_s}); }},
      {"divide_constant", [](const Pen& p) { on_i64(p, {op::i64_const, 7, op::i64_div_s}); }},
      {"add_constant", [](const Pen& p) { on_i64(p, {op::i64_const, 3, op::i64_add, op::i64_const, 5, op::i64_add}); }},
      {"rotate", [](const Pen& p) { with_i64(p, op::i64_rotl); }},
      {"multiply", [](const Pen& p) { with_i64(p, 0x7e); }},
      {"popcnt", [](const Pen& p) { on_i64(p, {op::i64_popcnt, op::i64_popcnt}); }},
      {"clz_ctz", [](const Pen& p) { on_i64(p, {0x79, 0x7a, 0x79, 0x7a}); }},
      {"extend", [](const Pen& p) { on_i64(p, {0xc2, 0xc3, 0xc4}); }},
      {"eqz", [](const Pen& p) { on_i64(p, {op::i64_eqz, op::i64_extend_i32_u}); }},
      {"wrap", [](const Pen& p) { on_i64(p, {0xa7, 0xac}); }},
      {"shift", [](const Pen& p) { with_i64(p, 0x86); }},
      {"xor_constant", [](const Pen& p) { on_i64(p, {op::i64_const, 3, op::i64_xor, op::i64_const, 5, op::i64_xor}); }},
      {"select",
       [](const Pen& p) {
         p.get_i64();
         p.indexed(op::local_get, p.local());
         p.get_i32();
         p.raw({op::select});
         p.set_i64();
       }},
      {"break", [](const Pen& p) { p.raw({op::block, op::empty, op::br, 0, op::end}); }},
      {"unreachable_if",
       [](const Pen& p) {
         p.get_i32();
         p.raw({op::if_, op::empty, op::unreachable, op::end});
       }},
      {"dead_values",
       [](const Pen& p) {
         p.raw({op::block, op::empty, op::br, 0});
         for (int i = 0; i < 16; ++i) {
           p.open(op::block, p.in.passes);
           p.raw({op::end, op::br, 0});
         }
         p.raw({op::end});
       }},
      {"dead_calls",
       [](const Pen& p) {
         p.raw({op::block, op::empty, op::br, 0});
         for (int i = 0; i < 16; ++i) p.indexed(op::call, p.in.pass);
         p.raw({op::br, 0, op::end});
       }},
      {"dead_blocks",
       [](const Pen& p) {
         p.raw({op::block, op::empty, op::br, 0});
         for (int i = 0; i < 16; ++i) p.raw({op::block, op::empty, op::end});
         p.raw({op::end});
       }},
      {"big_constant",
       [](const Pen& p) {
         p.raw({op::i64_const});
         append_signed(p.code, std::int64_t{0x0123456789abcdef} + p.turn);
         p.set_i64();
       }},
      {"float_constant",
       [](const Pen& p) {
         p.raw({0x44, p.turn % 256, p.turn / 256 % 256, 3, 4, 5, 6, 7, 8});
         p.set_f64();
       }},
      {"drop", [](const Pen& p) { p.raw({op::i32_const, 0, op::drop}); }},
      {"nop", [](const Pen& p) { p.raw({0x01}); }},
  };
  return all;
}

}  // namespace

const std::vector<std::string_view>& snippet_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const NamedSnippet& snippet : snippets()) all.push_back(snippet.name);
    return all;
  }();
  return names;
}

void put_snippet(Bytes& code, std::uint32_t snippet, const SnippetContext& context, const OwnLocals& own,
                 std::uint32_t turn) {
  snippets()[snippet].write({.code = code, .in = context, .own = own, .turn = turn});
}

}  // namespace petri::bench
