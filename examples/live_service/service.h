// The service as a guest: what it knows, and its code in WebAssembly text. All versions are written by one function, so
// that one sees how little a version is: a list of fields, and what is done with each message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace live_service {

constexpr std::size_t kSenders = 4;

struct Field {
  std::string name;
  std::string type;  // i32, i64 or f64
  bool operator==(const Field&) const = default;
};

struct Version {
  std::vector<Field> fields;  // beside the last number of each sender, which every version knows
  int patch = 0;              // makes other code of the same fields
  bool crashes = false;       // at the first message
};

// The global of a sender's last number: "last_0".
std::string last_of(std::size_t sender);

// A module whose state is described by globals called "state.": petri_handle takes messages of 16 bytes, the sender and
// the number, and expects each sender's numbers in order without a gap.
std::string to_wat(const Version& version);

// A message as petri_handle reads it.
std::string message(std::uint64_t sender, std::uint64_t number);

}  // namespace live_service
