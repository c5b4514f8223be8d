// Modules the gate has refused, by what they are made of: the same bytes get the same answer, without looking again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "petri/artifact.h"
#include "petri/outcome.h"
#include "petri/result.h"

namespace petri {

// Keeps the newest. One thread at a time.
class Refusals {
 public:
  static constexpr std::size_t kRefusalsMax = 1'024;

  // The same bytes may be refused as a module and accepted as its text.
  enum class Form : std::uint8_t { wasm, wat };
  struct Key {
    Form form = Form::wasm;
    ArtifactId id;
    ModuleBounds bounds = ModuleBounds::candidate;
    bool operator<(const Key& other) const {
      return std::tie(form, bounds, id) < std::tie(other.form, other.bounds, other.id);
    }
  };

  // The answer that these bytes got before; nullptr if they are new, or were refused too long ago. Valid until add().
  const Error* find(const Key& key) const {
    const auto found = errors_.find(key);
    return found == errors_.end() ? nullptr : &found->second;
  }
  // Only what does not depend on limits, which may be others the next time.
  static bool is_worth_keeping(const Error& error) {
    return error.code == ErrorCode::rejected || error.code == ErrorCode::parse_failed;
  }
  // Forgets the oldest when there are kRefusalsMax. An answer that is here already stays where it is.
  void add(const Key& key, const Error& error) {
    if (!errors_.emplace(key, error).second) return;
    order_.push_back(key);
    if (order_.size() <= kRefusalsMax) return;
    errors_.erase(order_.front());
    order_.pop_front();
  }
  std::size_t size() const { return errors_.size(); }

 private:
  std::map<Key, Error> errors_;
  std::deque<Key> order_;
};

}  // namespace petri
