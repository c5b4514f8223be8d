// A bounded map that drops the entry that was used least recently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "petri/value.h"

namespace petri {

// Digests are as good as random: any part of one is a hash.
inline std::size_t hash_of(const Sha256& digest) {
  std::size_t hash;
  std::memcpy(&hash, digest.bytes.data(), sizeof(hash));
  return hash;
}

// Not for several threads at once. Hash takes a Key and gives a size_t.
template <typename Key, typename Value, typename Hash>
class LruMap {
 public:
  explicit LruMap(std::size_t size_max) : size_max_(size_max) {}
  LruMap(const LruMap&) = delete;
  LruMap& operator=(const LruMap&) = delete;

  std::size_t size() const { return entries_.size(); }

  // nullptr when the key is not there; an entry that is found becomes the newest. Valid until the next insert() or
  // erase().
  Value* find(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    unlink(found->second);
    link_newest(found->second);
    return &found->second.value;
  }

  // Adds or replaces, and drops the oldest when that is one too many. With size_max 0 nothing is kept.
  void insert(const Key& key, Value value) {
    if (size_max_ == 0) return;
    if (Value* known = find(key)) {
      *known = std::move(value);
      return;
    }
    if (entries_.size() == size_max_) forget_oldest();
    const auto added = entries_.try_emplace(key).first;
    added->second.key = &added->first;
    added->second.value = std::move(value);
    link_newest(added->second);
  }

  void erase(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    unlink(found->second);
    entries_.erase(found);
  }

 private:
  struct Entry {
    const Key* key = nullptr;
    Value value{};
    Entry* older = nullptr;
    Entry* newer = nullptr;
  };

  void unlink(Entry& entry) {
    (entry.newer != nullptr ? entry.newer->older : newest_) = entry.older;
    (entry.older != nullptr ? entry.older->newer : oldest_) = entry.newer;
  }
  void link_newest(Entry& entry) {
    entry.older = newest_;
    entry.newer = nullptr;
    (newest_ != nullptr ? newest_->newer : oldest_) = &entry;
    newest_ = &entry;
  }
  void forget_oldest() {
    Entry& entry = *oldest_;
    unlink(entry);
    entries_.erase(Key(*entry.key));
  }

  std::size_t size_max_;
  std::unordered_map<Key, Entry, Hash> entries_;
  Entry* newest_ = nullptr;
  Entry* oldest_ = nullptr;
};

}  // namespace petri
