// Fixture for the tests of state: a guest's memory with a table in it, and random schemas and documents.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "state/state_number.h"
#include "state/state_table.h"
#include "state/state_type.h"

namespace petri {

inline std::shared_ptr<const StateSchema> schema_of(std::vector<StateField> fields) {
  return std::make_shared<const StateSchema>(StateSchema::create(std::move(fields)).value());
}

// A memory whose table stands at kTable and whose names stand behind it; fields are put where the test says.
class TableMemory {
 public:
  static constexpr std::uint32_t kTable = 1'024;
  static constexpr std::uint32_t kNames = 40'000;
  static constexpr std::uint32_t kBytes = 65'536;

  struct Row {
    std::string name;
    std::uint32_t type;
    std::uint32_t address;
    std::uint32_t count = 1;
    std::uint32_t stride = 4;
  };

  explicit TableMemory(const std::vector<Row>& rows) : bytes_(kBytes) {
    put_header({.count = static_cast<std::uint32_t>(rows.size())});
    std::uint32_t name = kNames;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      const auto name_bytes = static_cast<std::uint32_t>(row.name.size());
      std::memcpy(&bytes_[name], row.name.data(), name_bytes);
      put_entry(i, {name, name_bytes, row.type, row.address, row.count, row.stride});
      name += name_bytes;
    }
  }

  struct Header {
    std::uint32_t magic = kStateTableMagic;
    std::uint32_t version = kStateTableVersion;
    std::uint32_t count = 0;
    std::uint32_t entry_bytes = kStateEntryBytes;
  };
  void put_header(Header header) { put(kTable, header); }
  void put_entry(std::uint32_t number, std::array<std::uint32_t, 6> words) {
    put(kTable + kStateHeaderBytes + number * kStateEntryBytes, words);
  }
  template <typename T>
  void put(std::uint32_t address, T value) {
    std::memcpy(&bytes_[address], &value, sizeof value);
  }
  template <typename T>
  T at(std::uint32_t address) const {
    T value;
    std::memcpy(&value, &bytes_[address], sizeof value);
    return value;
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

inline std::uint32_t code_of(StateType type) { return rule_of(type).code; }

// Random schemas and documents, the same for the same seed.
class StateMaker {
 public:
  explicit StateMaker(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool likely(unsigned percent) { return below(100) < percent; }

  StateType type() { return all_state_types()[below(all_state_types().size())]; }
  StateField field(std::string name) {
    const StateType chosen = type();
    const std::uint64_t room = is_block(chosen) ? 12 : likely(50) ? 1 : 5;
    return {.name = std::move(name), .type = chosen, .count = static_cast<std::uint32_t>(1 + below(room))};
  }
  std::vector<StateField> fields() {
    std::vector<StateField> made;
    for (std::uint64_t i = below(7); i > 0; --i) made.push_back(field(fmt::format("field_{}", i)));
    return made;
  }

  // Every bit pattern may come, small integers often: those are the ones that fit other types.
  StateDocument document(const std::shared_ptr<const StateSchema>& schema) {
    std::vector<std::uint8_t> bytes(schema->bytes());
    for (std::size_t i = 0; i < schema->fields().size(); ++i)
      fill(schema->fields()[i], std::span(bytes).subspan(schema->offset(i), bytes_of(schema->fields()[i])));
    return StateDocument::from_bytes(schema, std::move(bytes)).value();
  }

 private:
  void fill(const StateField& field, std::span<std::uint8_t> block) {
    if (field.type == StateType::text) {
      const std::uint64_t length = below(block.size() + 1);
      for (std::uint8_t& byte : block.first(length)) byte = static_cast<std::uint8_t>('a' + below(26));
      return;
    }
    if (field.type == StateType::bytes) return noise(block);
    const std::size_t size = rule_of(field.type).bytes;
    for (std::size_t i = 0; i < field.count; ++i) fill_number(field.type, block.subspan(i * size, size));
  }
  void fill_number(StateType type, std::span<std::uint8_t> element) {
    if (likely(70) || type == StateType::boolean) {
      (void)store_number(type, std::uint64_t{below(2)}, element.data());
    } else {
      noise(element);
    }
  }
  void noise(std::span<std::uint8_t> block) {
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random_());
  }

  std::mt19937_64 random_;
};

}  // namespace petri
