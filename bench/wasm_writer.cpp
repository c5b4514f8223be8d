#include "bench/wasm_writer.h"

namespace petri::bench {
namespace {

// The order of sections in a module; the count of data segments stands before the code.
constexpr std::array<std::uint8_t, 12> kOrder{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11};

constexpr unsigned kFunctionType = 0x60;
constexpr unsigned kEnd = 0x0b;

}  // namespace

void put(Bytes& out, std::initializer_list<unsigned> bytes) {
  for (unsigned byte : bytes) out.push_back(static_cast<std::uint8_t>(byte));
}

void put(Bytes& out, const Bytes& bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

Bytes repeated(std::size_t times, const Bytes& bytes) {
  Bytes out;
  out.reserve(times * bytes.size());
  for (std::size_t i = 0; i < times; ++i) put(out, bytes);
  return out;
}

void ModuleWriter::add(Section section, const Bytes& item) {
  ++sections_[section].count;
  put(sections_[section].bytes, item);
}

std::uint32_t ModuleWriter::add_type(const Bytes& params, const Bytes& results) {
  Bytes item;
  put(item, {kFunctionType});
  append_unsigned(item, params.size());
  put(item, params);
  append_unsigned(item, results.size());
  put(item, results);
  add(types, item);
  return sections_[types].count - 1;
}

std::uint32_t ModuleWriter::add_function(std::uint32_t type, const std::vector<LocalGroup>& locals, const Bytes& body) {
  Bytes content;
  append_unsigned(content, locals.size());
  for (const LocalGroup& group : locals) {
    append_unsigned(content, group.count);
    content.push_back(group.type);
  }
  put(content, body);
  put(content, {kEnd});
  Bytes declaration, item;
  append_unsigned(declaration, type);
  append_unsigned(item, content.size());
  put(item, content);
  add(functions, declaration);
  add(code, item);
  return sections_[functions].count - 1;
}

void ModuleWriter::add_memory(std::uint32_t pages) {
  Bytes item{0};
  append_unsigned(item, pages);
  add(memories, item);
}

void ModuleWriter::add_export(std::string_view name, std::uint32_t function) {
  Bytes item;
  append_text(item, name);
  item.push_back(0);
  append_unsigned(item, function);
  add(exports, item);
}

std::size_t ModuleWriter::size() const {
  std::size_t size = 8;
  for (const Items& items : sections_) size += items.bytes.size();
  return size;
}

Bytes ModuleWriter::finish() const {
  Bytes module{0, 'a', 's', 'm', 1, 0, 0, 0};
  for (std::uint8_t section : kOrder) {
    const Items& items = sections_[section];
    if (items.count == 0) continue;
    Bytes content;
    // The start section and the count of data segments have one number and no count.
    if (section != start && section != data_count) append_unsigned(content, items.count);
    put(content, items.bytes);
    module.push_back(section);
    append_unsigned(module, content.size());
    put(module, content);
  }
  return module;
}

}  // namespace petri::bench
