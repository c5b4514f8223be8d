// For tests: guests whose state is described by globals or by a table, and places where a guest waits.
#pragma once

#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "state/state_table.h"
#include "state/state_type.h"
#include "versions_fixture.h"

namespace petri {

inline constexpr std::string_view kInput = R"((import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32))))";
inline constexpr std::string_view kOutput =
    R"((import "petri" "output_write" (func $write (param i32 i32) (result i32))))";

// A field in a global: field("count", "i32", "7").
inline std::string field(std::string_view name, std::string_view type, std::string_view value = "0") {
  return fmt::format("(global ${0} (export \"state.{0}\") (mut {1}) ({1}.const {2}))\n", name, type, value);
}

// A guest with the text of a test, and a function that answers which version it is.
inline Source guest(int version, std::string_view text) {
  return Source::wat(fmt::format("(module {} (func (export \"version\") (result i32) (i32.const {})))", text, version));
}

// A row of the table at `petri_state`, as the guest writes it there.
struct TableRow {
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t address = 0;
  std::uint32_t count = 1;
  std::uint32_t stride = 4;
};
inline std::uint32_t code_of_type(StateType type) { return rule_of(type).code; }
inline TableRow row(std::string name, StateType type, std::uint32_t address, std::uint32_t count = 1) {
  return {std::move(name), code_of_type(type), address, count, static_cast<std::uint32_t>(rule_of(type).bytes)};
}

inline std::string data_at(std::uint32_t address, std::string_view bytes) {
  std::string text = fmt::format("(data (i32.const {}) \"", address);
  for (const char byte : bytes) text += fmt::format("\\{:02x}", static_cast<unsigned char>(byte));
  return text + "\")\n";
}

struct TableHeader {
  std::uint32_t magic = kStateTableMagic;
  std::uint32_t version = kStateTableVersion;
  std::optional<std::uint32_t> count;  // nullopt: as many as there are
  std::uint32_t entry_bytes = kStateEntryBytes;
};

// One page of memory, the table at 1,024 and its names from 40,000 on.
inline std::string state_table(const std::vector<TableRow>& rows, const TableHeader& header = {},
                               std::uint32_t at = 1'024) {
  std::string bytes;
  const auto put = [&bytes](std::uint32_t word) {
    std::array<char, sizeof word> raw{};
    std::memcpy(raw.data(), &word, sizeof word);
    bytes.append(raw.data(), raw.size());
  };
  for (const std::uint32_t word :
       {header.magic, header.version, header.count.value_or(rows.size()), header.entry_bytes}) {
    put(word);
  }
  std::string names;
  for (const TableRow& entry : rows) {
    const auto name = static_cast<std::uint32_t>(40'000 + names.size());
    for (const std::uint32_t word :
         {name, static_cast<std::uint32_t>(entry.name.size()), entry.type, entry.address, entry.count, entry.stride}) {
      put(word);
    }
    names += entry.name;
  }
  return fmt::format("(memory (export \"memory\") 1) (global (export \"petri_state\") i32 (i32.const {})) {} {}", at,
                     data_at(1'024, bytes), data_at(40'000, names));
}

// Where guests wait until a test lets them continue.
class Crossing {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void wait_for(int arrivals) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= arrivals; });
  }
  int arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

}  // namespace petri
