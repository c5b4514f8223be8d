#include "hostile/numbered_module.h"

#include <initializer_list>

namespace petri {
namespace {

class Writer {
 public:
  Writer(std::size_t chosen, Spelling spelling) : chosen_(chosen), spelling_(spelling) {}

  void bytes(std::initializer_list<std::uint8_t> all) { module_.bytes.insert(module_.bytes.end(), all); }
  void plain(std::uint64_t value) { number(value, 32, false); }
  void length(std::uint64_t value) { number(value, 32, true); }
  void wide(std::uint64_t value, unsigned bits) { number(value, bits, false); }
  void name(std::string_view text) {
    length(text.size());
    module_.bytes.insert(module_.bytes.end(), text.begin(), text.end());
  }
  void operators(std::initializer_list<std::uint8_t> code, std::initializer_list<std::uint64_t> numbers) {
    bytes(code);
    for (const std::uint64_t number : numbers) plain(number);
  }
  // Writes the content with its size before it. The size has its turn before the numbers inside.
  template <typename Content>
  void sized(const Content& content) {
    Writer inner(chosen_, spelling_);
    inner.module_.numbers = module_.numbers + 1;
    content(inner);
    length(inner.module_.bytes.size());
    module_.bytes.insert(module_.bytes.end(), inner.module_.bytes.begin(), inner.module_.bytes.end());
    module_.numbers = inner.module_.numbers;
    module_.is_length = module_.is_length || inner.module_.is_length;
  }
  template <typename Content>
  void section(std::uint8_t id, const Content& content) {
    bytes({id});
    sized(content);
  }
  NumberedModule take() { return std::move(module_); }

 private:
  void number(std::uint64_t value, unsigned bits, bool is_length) {
    const bool chosen = module_.numbers++ == chosen_;
    if (chosen) module_.is_length = is_length;
    if (!chosen || spelling_ == Spelling::shortest) return spell(value, 1);
    if (spelling_ == Spelling::enormous) return spell(UINT32_MAX, 1);
    const unsigned most = (bits + 6) / 7;
    spell(value, spelling_ == Spelling::too_long ? most + 1 : most);
    if (spelling_ == Spelling::too_large) module_.bytes.back() |= 0x40;
  }
  // In at least this many bytes.
  void spell(std::uint64_t value, unsigned count) {
    for (; count > 1 || value >= 0x80; value >>= 7) {
      module_.bytes.push_back(static_cast<std::uint8_t>(value & 0x7f) | 0x80);
      if (count > 1) --count;
    }
    module_.bytes.push_back(static_cast<std::uint8_t>(value));
  }

  std::size_t chosen_;
  Spelling spelling_;
  NumberedModule module_;
};

// Writes the body of a function from i32 to i32.
void write_body(Writer& w) {
  w.length(1);
  w.plain(2);
  w.bytes({0x7e});
  w.operators({0x20}, {0});     // local.get
  w.operators({0x21}, {0});     // local.set
  w.operators({0x41}, {9});     // i32.const
  w.operators({0x22}, {0});     // local.tee
  w.operators({0x28}, {2, 5});  // i32.load align offset
  w.operators({0x24}, {0});     // global.set
  w.operators({0x23}, {0});     // global.get
  w.bytes({0x02});              // block of type 1
  w.wide(1, 33);
  w.operators({0x41}, {1});
  w.operators({0x0d}, {0});  // br_if
  w.bytes({0x0b, 0x1a});
  w.operators({0x02, 0x40, 0x41}, {0});  // block: br_table
  w.bytes({0x0e});
  w.length(1);
  w.plain(0);
  w.plain(0);
  w.bytes({0x0b});
  w.operators({0x10}, {0});  // call
  w.operators({0x41}, {3});
  w.operators({0x41}, {0});
  w.operators({0x11}, {1, 0});  // call_indirect
  w.bytes({0x1a});
  const std::initializer_list<std::initializer_list<std::uint64_t>> bulk{
      {8, 1, 0}, {10, 0, 0}, {11, 0}, {12, 1, 0}, {14, 0, 0}};
  for (const auto& numbers : bulk) {
    for (int i = 0; i < 3; ++i) w.operators({0x41}, {0});
    w.operators({0xfc}, numbers);
  }
  w.operators({0xd2}, {1});  // ref.func
  w.operators({0x1a, 0x20}, {0});
  w.bytes({0x0b});
}

void write_types_and_imports(Writer& writer) {
  writer.section(1, [](Writer& w) {
    w.length(2);
    w.bytes({0x60});
    w.length(0);
    w.length(0);
    w.bytes({0x60});
    w.length(1);
    w.bytes({0x7f});
    w.length(1);
    w.bytes({0x7f});
  });
  writer.section(2, [](Writer& w) {
    w.length(1);
    w.name("h");
    w.name("f");
    w.bytes({0});
    w.plain(0);
  });
  writer.section(3, [](Writer& w) {
    w.length(2);
    w.plain(1);
    w.plain(0);
  });
}

void write_tables_and_globals(Writer& writer) {
  writer.section(4, [](Writer& w) {
    w.length(1);
    w.operators({0x70, 1}, {4, 9});
  });
  writer.section(5, [](Writer& w) {
    w.length(1);
    w.operators({1}, {1, 2});
  });
  writer.section(6, [](Writer& w) {
    w.length(2);
    w.operators({0x7f, 1, 0x41}, {5});
    w.bytes({0x0b, 0x7e, 1, 0x42});
    w.wide(5, 64);
    w.bytes({0x0b});
  });
  writer.section(7, [](Writer& w) {
    w.length(1);
    w.name("f");
    w.operators({0}, {1});
  });
  writer.section(8, [](Writer& w) { w.plain(2); });
}

void write_elements(Writer& writer) {
  writer.section(9, [](Writer& w) {
    w.length(2);
    w.plain(0);
    w.operators({0x41}, {1});
    w.bytes({0x0b});
    w.length(2);
    w.plain(1);
    w.plain(2);
    w.plain(1);
    w.bytes({0});
    w.length(1);
    w.plain(1);
  });
  writer.section(12, [](Writer& w) { w.plain(2); });
}

void write_code_and_data(Writer& writer) {
  writer.section(10, [](Writer& w) {
    w.length(2);
    w.sized(write_body);
    w.sized([](Writer& inner) {
      inner.length(0);
      inner.bytes({0x0b});
    });
  });
  writer.section(11, [](Writer& w) {
    w.length(2);
    w.plain(0);
    w.operators({0x41}, {3});
    w.bytes({0x0b});
    w.name("xyz");
    w.plain(1);
    w.name("x");
  });
}

}  // namespace

NumberedModule numbered_module(std::size_t chosen, Spelling spelling) {
  Writer writer(chosen, spelling);
  writer.bytes({0, 'a', 's', 'm', 1, 0, 0, 0});
  write_types_and_imports(writer);
  write_tables_and_globals(writer);
  write_elements(writer);
  write_code_and_data(writer);
  return writer.take();
}

}  // namespace petri
