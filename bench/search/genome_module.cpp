// Genome::module: the numbers of a genome as a module.
#include <algorithm>
#include <cmath>
#include <string>

#include "bench/search/genome.h"
#include "bench/search/snippets.h"
#include "bench/shapes/opcodes.h"

namespace petri::bench {
namespace {

constexpr std::size_t kDigits = 6;  // that tell 4,096 types apart
constexpr std::size_t kBodyBytesMin = 4;
constexpr unsigned kCustomSection = 0;

class Author {
 public:
  Author(const Genome& genome, const Recipe& recipe, Fault fault)
      : genome_(genome), recipe_(recipe), fault_(fault), hostile_(hostile_bytes(recipe)) {}

  Bytes write() {
    const std::size_t share = hostile_ / (1 + lists());
    write_types(share);
    write_imports(share);
    write_helpers();
    write_globals(share);
    write_data(share);
    write_elements(share);
    write_functions(hostile_ > module_.size() ? hostile_ - module_.size() : 0);
    write_places();
    write_exports(share);
    if (number(Dimension::filler) == 0) add_filler(module_, recipe_, module_.size());
    write_fault();
    Bytes bytes = module_.finish();
    write_custom_sections(bytes, share);
    return bytes;
  }

 private:
  enum Type : std::uint8_t { plain, makes, takes, passes, imported, own };
  enum Helper : std::uint8_t { make, take, pass, idle, helpers };

  std::uint32_t number(Dimension dimension) const { return genome_.at(dimension); }

  // How many lists of things share the bytes with the functions.
  std::size_t lists() const {
    std::size_t count = 0;
    for (const auto dimension : {Dimension::types, Dimension::imports, Dimension::globals, Dimension::data_segments,
                                 Dimension::element_segments, Dimension::exports, Dimension::custom_sections}) {
      count += number(dimension) > dimensions()[static_cast<std::size_t>(dimension)].least ? 1 : 0;
    }
    return count;
  }
  // Adds as many as the dimension says, as long as they take no more than their share.
  template <typename Add>
  std::uint32_t add_list(Dimension dimension, std::size_t share, const Add& add) {
    const std::size_t before = module_.size();
    std::uint32_t i = 0;
    for (; i < number(dimension) && (i == 0 || module_.size() < before + share); ++i) add(i);
    return i;
  }

  // A constant expression as long as the genome says, of this type.
  Bytes constant(bool wide) const {
    const unsigned constant_op = wide ? op::i64_const : op::i32_const, add = wide ? op::i64_add : 0x6a;
    Bytes expression;
    put(expression, {constant_op, 0});
    for (std::uint32_t i = 1; i + 2 <= number(Dimension::constant_operators); i += 2)
      put(expression, {constant_op, 1, add});
    put(expression, {op::end});
    return expression;
  }

  void write_types(std::size_t share) {
    const Bytes values(number(Dimension::values), code_i64);
    module_.add_type({}, {});
    module_.add_type({}, values);
    module_.add_type(values, {});
    module_.add_type(values, values);
    module_.add_type({code_i32}, {});
    const Bytes params(number(Dimension::params), code_i64);
    types_ = add_list(Dimension::types, share, [&](std::uint32_t i) {
      Bytes results(number(Dimension::results), code_i64);
      if (i > 0) results.resize(std::max(results.size(), kDigits), code_i64);
      for (std::size_t digit = 0, rest = i; rest > 0; ++digit, rest /= 4)
        results[digit] = static_cast<std::uint8_t>(code_f64 + rest % 4);
      module_.add_type(params, results);
    });
  }

  void write_imports(std::size_t share) {
    Bytes import;
    append_text(import, "petri");
    append_text(import, "exit");
    put(import, {0, imported});
    context_.imports =
        add_list(Dimension::imports, share, [&](std::uint32_t) { module_.add(ModuleWriter::imports, import); });
  }

  void write_helpers() {
    const std::uint32_t values = number(Dimension::values);
    Bytes passing;
    for (std::uint32_t i = 0; i < values; ++i) {
      put(passing, {op::local_get});
      append_unsigned(passing, i);
    }
    module_.add_memory(1);
    module_.add_function(makes, {}, loads(values));
    module_.add_function(takes, {}, {});
    module_.add_function(passes, {}, passing);
    module_.add_function(plain, {}, {});
    context_.make = index_of(make);
    context_.take = index_of(take);
    context_.pass = index_of(pass);
    context_.plain = plain;
    context_.makes = makes;
    context_.takes = takes;
    context_.passes = passes;
  }

  std::uint32_t index_of(std::uint32_t function) const { return context_.imports + function; }

  void write_globals(std::size_t share) {
    Bytes global{code_i64, 1};
    put(global, constant(true));
    context_.globals =
        add_list(Dimension::globals, share, [&](std::uint32_t) { module_.add(ModuleWriter::globals, global); });
  }

  void write_data(std::size_t share) {
    Bytes segment{0};
    put(segment, constant(false));
    put(segment, {0});
    add_list(Dimension::data_segments, share, [&](std::uint32_t) { module_.add(ModuleWriter::data, segment); });
  }

  void write_elements(std::size_t share) {
    const std::uint32_t segments = number(Dimension::element_segments);
    if (segments == 0) return;
    const bool expressions = number(Dimension::element_kind) == 1;
    const std::size_t entry_bytes = expressions ? 3 : 1;
    const std::size_t entries = std::min<std::size_t>(number(Dimension::elements) / segments, share / entry_bytes);
    Bytes segment = expressions ? Bytes{5, code_funcref} : Bytes{1, 0};
    append_unsigned(segment, entries);
    for (std::size_t i = 0; i < entries; ++i) {
      if (expressions) put(segment, {op::ref_func});
      append_unsigned(segment, index_of(idle));
      if (expressions) put(segment, {op::end});
    }
    add_list(Dimension::element_segments, share, [&](std::uint32_t) { module_.add(ModuleWriter::elements, segment); });
  }

  void write_functions(std::size_t bytes) {
    const std::size_t before = module_.size();
    const bool callable = number(Dimension::params) == 0 && number(Dimension::results) == 0 && types_ == 1;
    std::size_t made = 0;
    do {
      const std::uint32_t self = helpers + count_;
      const bool last = made + recipe_.body_bytes / 2 >= bytes;
      context_.next = index_of(callable && !last ? self + 1 : static_cast<std::uint32_t>(idle));
      const std::size_t room = std::min({std::size_t{number(Dimension::body_bytes)}, recipe_.body_bytes,
                                         bytes > made ? bytes - made : kBodyBytesMin});
      module_.add_function(own + count_ % types_, locals(), body(room));
      ++count_;
      made = module_.size() - before;
    } while (made + kBodyBytesMin < bytes && count_ + 64 < bound("functions"));
    // The last function may have been asked to call one that is not there.
    module_.add_function(callable ? static_cast<std::uint32_t>(plain) : static_cast<std::uint32_t>(own), {},
                         {op::unreachable});
    ++count_;
  }

  std::vector<LocalGroup> locals() const {
    std::vector<LocalGroup> groups{{1, code_i32}, {1, code_i64}, {1, code_f64}};
    const std::uint32_t more = number(Dimension::locals);
    if (number(Dimension::local_groups) == 0 && more > 0) groups.push_back({more, code_i64});
    for (std::uint32_t i = 0; number(Dimension::local_groups) == 1 && i < more; ++i) groups.push_back({1, code_i64});
    return groups;
  }

  OwnLocals own_locals() const {
    const std::uint32_t params = number(Dimension::params);
    return {.i32 = params, .i64 = params + 1, .f64 = params + 2};
  }

  Bytes body(std::size_t bytes) {
    const std::uint32_t more = number(Dimension::locals);
    context_.first_local = more > 0 ? number(Dimension::params) + kOwnLocals : own_locals().i64;
    context_.locals = std::max(1U, more);
    context_.targets = number(Dimension::targets);
    const std::uint32_t nesting = nesting_depth(bytes);
    context_.labels = nesting;
    const std::uint32_t operands =
        static_cast<std::uint32_t>(std::min<std::size_t>(number(Dimension::operands), bytes / 12));
    Bytes code, after;
    set_locals(code, bytes);
    pile(code, operands);
    for (std::uint32_t i = 0; i < nesting; ++i) open_nesting(code);
    close_nesting(after, nesting);
    unpile(after, operands);
    use_locals(after, bytes);
    end_with_results(after);
    repeat_units(code, bytes > after.size() ? bytes - after.size() : 0);
    put(code, after);
    return code;
  }

  std::uint32_t nesting_depth(std::size_t bytes) const {
    const bool loops = number(Dimension::nesting_kind) == 1;
    const auto room = static_cast<std::uint32_t>(bytes / 10);
    return std::min(room, number(Dimension::nesting) / (loops ? static_cast<std::uint32_t>(kLoopLevels) : 1U));
  }
  void get_i32(Bytes& code) const {
    put(code, {op::local_get});
    append_unsigned(code, own_locals().i32);
  }
  void open_nesting(Bytes& code) const {
    const std::uint32_t kind = number(Dimension::nesting_kind);
    if (kind == 2) get_i32(code);
    put(code, {kind == 0 ? op::block : kind == 1 ? op::loop : op::if_, op::empty});
  }
  void close_nesting(Bytes& code, std::uint32_t nesting) const {
    for (std::uint32_t i = 0; i < nesting; ++i) {
      if (number(Dimension::nesting_kind) == 1) {
        get_i32(code);
        put(code, {op::br_if, 0});
      }
      put(code, {op::end});
    }
  }
  void pile(Bytes& code, std::uint32_t operands) const {
    for (std::uint32_t i = 0; i < operands; ++i) {
      get_i32(code);
      put(code, {op::i64_load, 0});
      append_unsigned(code, 8 * i);
    }
  }
  void unpile(Bytes& code, std::uint32_t operands) const {
    if (operands == 0) return;
    put(code, Bytes(operands - 1, op::i64_xor));
    put(code, {op::local_set});
    append_unsigned(code, own_locals().i64);
  }
  std::uint32_t locals_used(std::size_t bytes) const {
    if (number(Dimension::uses_locals) == 0) return 0;
    return static_cast<std::uint32_t>(std::min<std::size_t>(number(Dimension::locals), bytes / 20));
  }
  void set_locals(Bytes& code, std::size_t bytes) const {
    for (std::uint32_t i = 0; i < locals_used(bytes); ++i) {
      get_i32(code);
      put(code, {op::i64_load, 0});
      append_unsigned(code, 8 * i);
      put(code, {op::local_set});
      append_unsigned(code, context_.first_local + i);
    }
  }
  void use_locals(Bytes& code, std::size_t bytes) const {
    for (std::uint32_t i = 0; i < locals_used(bytes); ++i) {
      get_i32(code);
      put(code, {op::local_get});
      append_unsigned(code, context_.first_local + i);
      put(code, {op::i64_store, 0});
      append_unsigned(code, 8 * i);
    }
  }
  void end_with_results(Bytes& code) const {
    if (number(Dimension::results) == 0 && types_ == 1) return;
    if (number(Dimension::results) != number(Dimension::values) || types_ > 1) return put(code, {op::unreachable});
    put(code, {op::call});
    append_unsigned(code, context_.make);
  }
  // The snippets one after another, until the body is this long.
  void repeat_units(Bytes& code, std::size_t bytes) const {
    const std::array<std::uint32_t, 3> snippets{number(Dimension::first), number(Dimension::second),
                                                number(Dimension::third)};
    for (std::uint32_t turn = 0; code.size() < bytes; ++turn) {
      const std::size_t before = code.size();
      for (const std::uint32_t snippet : snippets) put_snippet(code, snippet, context_, own_locals(), turn);
      if (code.size() == before) put(code, {0x01});
      if (2 * code.size() > bytes + before) break;  // no room for another
    }
  }

  void write_places() {
    const std::uint32_t place = number(Dimension::place);
    const bool in_table = place >= 2;
    const std::uint32_t slots = std::max(4U, in_table ? count_ : 0U);
    Bytes table{code_funcref, 0};
    append_unsigned(table, std::min<std::uint64_t>(slots, bound("table_minimum")));
    module_.add(ModuleWriter::tables, table);
    if (in_table) {
      Bytes segment{0, op::i32_const, 0, op::end};
      append_unsigned(segment, count_);
      for (std::uint32_t i = 0; i < count_; ++i) append_unsigned(segment, index_of(helpers + i));
      module_.add(ModuleWriter::elements, segment);
    }
    for (std::uint32_t i = 0; place % 2 == 1 && i < count_ && i + 16 < bound("exports"); ++i) {
      module_.add_export("f" + std::to_string(i), index_of(helpers + i));
      ++exports_;
    }
  }

  void write_exports(std::size_t share) {
    add_list(Dimension::exports, share, [&](std::uint32_t i) {
      if (exports_++ + 8 >= bound("exports")) return;
      std::string name = std::to_string(i);
      name.resize(number(Dimension::name_bytes), '~');
      std::reverse(name.begin(), name.end());
      module_.add_export(name, index_of(idle));
    });
  }

  void write_fault() {
    const Bytes vector{0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, op::drop};
    if (fault_ == Fault::last_body) module_.add_function(makes, {}, {});
    if (fault_ == Fault::vector_last) module_.add_function(plain, {}, vector);
    if (fault_ == Fault::unknown_function) module_.add_export("unknown", 0x7fffffff);
  }

  void write_custom_sections(Bytes& bytes, std::size_t share) const {
    for (std::uint32_t i = 0; i < number(Dimension::custom_sections) && 3 * i < share; ++i)
      put(bytes, {kCustomSection, 1, 0});
    const auto filler = static_cast<std::size_t>(std::ceil(recipe_.dilution * static_cast<double>(bytes.size())));
    if (number(Dimension::filler) == 0 || filler == 0) return;
    put(bytes, {kCustomSection});
    append_unsigned(bytes, filler + 1);
    bytes.resize(bytes.size() + filler + 1);
  }

  const Genome& genome_;
  const Recipe& recipe_;
  const Fault fault_;
  const std::size_t hostile_;
  ModuleWriter module_;
  SnippetContext context_;
  std::uint32_t types_ = 1;
  std::uint32_t count_ = 0;  // of the functions besides the helpers
  std::uint32_t exports_ = 0;
};

}  // namespace

Bytes Genome::module(const Recipe& recipe, Fault fault) const { return Author(*this, recipe, fault).write(); }

}  // namespace petri::bench
