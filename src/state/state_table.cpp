#include "state/state_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text/units.h"
#include "state/state_type.h"

namespace petri {
namespace {

bool is_inside(std::span<const std::uint8_t> memory, std::uint64_t address, std::uint64_t bytes) {
  return address <= memory.size() && bytes <= memory.size() - address;
}

// The number at an address that is_inside().
std::uint32_t u32_at(std::span<const std::uint8_t> memory, std::uint64_t address) {
  std::uint32_t value = 0;
  std::memcpy(&value, &memory[address], sizeof value);
  return value;
}

struct Header {
  std::uint32_t magic, version, count, entry_bytes;
};

std::optional<Header> read_header(std::span<const std::uint8_t> memory, std::uint64_t address) {
  if (!is_inside(memory, address, kStateHeaderBytes)) return std::nullopt;
  return Header{u32_at(memory, address), u32_at(memory, address + 4), u32_at(memory, address + 8),
                u32_at(memory, address + 12)};
}

// The problem that keeps the entries from being looked at; empty if there is none.
std::string header_problem(std::span<const std::uint8_t> memory, std::uint64_t address, std::optional<Header> header) {
  if (!header) return fmt::format("the table at {} lies outside memory", address);
  if (header->magic != kStateTableMagic) return fmt::format("there is no state table at {}", address);
  if (header->version != kStateTableVersion)
    return fmt::format("the table has version {} and this petri reads version {}", header->version, kStateTableVersion);
  if (header->entry_bytes < kStateEntryBytes || header->entry_bytes > kStateEntryBytesMax) {
    return fmt::format("the table's entries have {} bytes and can have {} to {}", header->entry_bytes, kStateEntryBytes,
                       kStateEntryBytesMax);
  }
  if (header->count > kStateFieldsMax)
    return fmt::format("the table has {} fields and {} are allowed", header->count, kStateFieldsMax);
  const std::uint64_t bytes = kStateHeaderBytes + std::uint64_t{header->count} * header->entry_bytes;
  if (!is_inside(memory, address, bytes)) return fmt::format("the table at {} reaches outside memory", address);
  return {};
}

struct Entry {
  std::uint32_t name, name_bytes, type, address, count, stride;
};

Entry read_entry(std::span<const std::uint8_t> memory, std::uint64_t at) {
  return {u32_at(memory, at),      u32_at(memory, at + 4),  u32_at(memory, at + 8),
          u32_at(memory, at + 12), u32_at(memory, at + 16), u32_at(memory, at + 20)};
}

// A stretch of memory somebody has laid claim to.
struct Claim {
  MemoryPieces pieces;
  const StateField* field;  // nullptr: the table itself and its names
};

class TableReader {
 public:
  TableReader(std::span<const std::uint8_t> memory, Complaints& complaints)
      : memory_(memory), complaints_(complaints) {}

  std::vector<DescribedField> read(std::uint32_t address) {
    const auto header = read_header(memory_, address);
    if (std::string problem = header_problem(memory_, address, header); !problem.empty()) {
      complain(complaints_, {}, std::move(problem));
      return {};
    }
    reserve(address, kStateHeaderBytes + std::uint64_t{header->count} * header->entry_bytes);
    for (std::uint32_t i = 0; i < header->count; ++i) {
      const std::uint64_t at = address + kStateHeaderBytes + std::uint64_t{i} * header->entry_bytes;
      read_field(i, read_entry(memory_, at));
    }
    check_claims();
    return std::move(fields_);
  }

 private:
  void reserve(std::uint64_t address, std::uint64_t bytes) {
    if (bytes > 0)
      claims_.push_back({.pieces = {.address = address, .size = bytes, .stride = bytes}, .field = nullptr});
  }

  void read_field(std::uint32_t number, const Entry& entry) {
    const auto name = name_of_field(number, entry);
    if (!name) return;
    const auto type = state_type_of_code(entry.type);
    if (!type) {
      complain(complaints_, *name, fmt::format("{} has the unknown type {}", shown_name(*name), entry.type));
      return;
    }
    check_field(
        {.field = {.name = *name, .type = *type, .count = entry.count},
         .pieces = {
             .address = entry.address, .size = rule_of(*type).bytes, .stride = entry.stride, .count = entry.count}});
  }

  std::optional<std::string> name_of_field(std::uint32_t number, const Entry& entry) {
    if (entry.name_bytes > kStateNameBytesMax) {
      complain(complaints_, {},
               fmt::format("the name of entry {} has {} bytes and {} are allowed", number,
                           format_count(entry.name_bytes), kStateNameBytesMax));
      return std::nullopt;
    }
    if (!is_inside(memory_, entry.name, entry.name_bytes)) {
      complain(complaints_, {}, fmt::format("the name of entry {} lies outside memory", number));
      return std::nullopt;
    }
    reserve(entry.name, entry.name_bytes);
    const auto bytes = memory_.subspan(entry.name, entry.name_bytes);
    return std::string(bytes.begin(), bytes.end());
  }

  // A field of no elements is complained about with all the other fields.
  void check_field(DescribedField described) {
    const std::string shown = shown_name(described.field.name);
    const MemoryPieces& pieces = described.pieces;
    const std::size_t before = complaints_.count();
    if (pieces.stride < pieces.size) {
      complain(complaints_, described.field.name,
               fmt::format("{} has stride {} and elements of {} bytes", shown, pieces.stride, pieces.size));
    } else if (is_block(described.field.type) && pieces.stride != 1) {
      complain(complaints_, described.field.name,
               fmt::format("{} is {} and has stride {} where it must be 1", shown, name_of(described.field.type),
                           pieces.stride));
    }
    if (pieces.count > 0 && !is_inside(memory_, pieces.address, pieces.end() - pieces.address)) {
      complain(complaints_, described.field.name,
               fmt::format("{} ({} at {}) reaches outside memory", shown, type_text(described.field), pieces.address));
    }
    if (complaints_.count() == before) fields_.push_back(std::move(described));
  }

  void check_claims() {
    for (const DescribedField& described : fields_) {
      if (described.pieces.count > 0) claims_.push_back({.pieces = described.pieces, .field = &described.field});
    }
    std::ranges::sort(claims_, {}, [](const Claim& claim) { return claim.pieces.address; });
    for (std::size_t i = 0; i < claims_.size(); ++i) check_claim(i);
  }

  // Reports the first overlap of each; names may share bytes with one another.
  void check_claim(std::size_t index) {
    const Claim& claim = claims_[index];
    for (std::size_t i = index + 1; i < claims_.size() && claims_[i].pieces.address < claim.pieces.end(); ++i) {
      const Claim& other = claims_[i];
      const bool both_reserved = claim.field == nullptr && other.field == nullptr;
      if (!both_reserved && touch(claim.pieces, other.pieces)) return tell_overlap(claim, other);
    }
  }

  void tell_overlap(const Claim& a, const Claim& b) {
    const StateField& field = a.field != nullptr ? *a.field : *b.field;
    if (a.field == nullptr || b.field == nullptr) {
      complain(complaints_, field.name, fmt::format("{} lies over the state table itself", shown_name(field.name)));
    } else {
      complain(complaints_, b.field->name,
               fmt::format("{} overlaps {}", shown_name(b.field->name), shown_name(a.field->name)));
    }
  }

  std::span<const std::uint8_t> memory_;
  Complaints& complaints_;
  std::vector<DescribedField> fields_;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<DescribedField> read_state_table(std::span<const std::uint8_t> memory, std::uint32_t address,
                                             Complaints& complaints) {
  return TableReader(memory, complaints).read(address);
}

}  // namespace petri
