#include "evaluation/cache/record_cache.h"

#include <algorithm>
#include <cstring>

#include "tiering/lru_map.h"

namespace petri {
namespace {

// Digests are as good as random, so any part of them is a hash.
std::uint64_t tag_of(const RecordCache::Key& key) { return hash_of(key.candidate) ^ hash_of(key.spec); }

constexpr std::size_t kCacheLineBytes = 64;
constexpr std::uint32_t kFetchBytesMax = 1'024;

// Asks for memory that is going to be written, without waiting for it.
void fetch(const void* memory, std::size_t bytes) {
  const char* const start = static_cast<const char*>(memory);
  for (std::size_t offset = 0; offset < bytes; offset += kCacheLineBytes) __builtin_prefetch(start + offset, 1);
}

}  // namespace

RecordCache::RecordCache(std::size_t records_max, std::uint64_t bytes_max) : bytes_max_(bytes_max / kLocks) {
  if (records_max == 0) return;
  places_ = std::min(records_max, kPlaces);
  sets_ = records_max / places_;
  all_ = std::make_unique<Set[]>(sets_);
}

RecordCache::Place* RecordCache::find_place(Set& set, std::uint64_t tag, const Key& key) const {
  for (std::size_t index = 0; index < places_; ++index) {
    if (set.tags[index] != tag || set.places[index].bytes == nullptr) continue;
    if (std::memcmp(set.places[index].bytes.get(), &key, sizeof(key)) == 0) return &set.places[index];
  }
  return nullptr;
}

void RecordCache::expect(const Key& key) const {
  if (sets_ != 0) fetch(&all_[set_of(tag_of(key))], sizeof(Set));
}

std::optional<std::string> RecordCache::find(const Key& key) {
  const std::uint64_t tag = tag_of(key);
  Lock& lock = locks_[sets_ == 0 ? 0 : set_of(tag) % kLocks];
  const MutexLock held(lock.mutex);
  Place* const place = sets_ == 0 ? nullptr : find_place(all_[set_of(tag)], tag, key);
  ++(place != nullptr ? lock.hits : lock.misses);
  if (place == nullptr) {
    expect_insert(tag);
    return std::nullopt;
  }
  place->asked_for = true;
  return std::string(place->bytes.get() + sizeof(Key), place->size);
}

// A key that was not found is likely to be inserted soon, where the hand stands.
void RecordCache::expect_insert(std::uint64_t tag) const {
  if (sets_ == 0) return;
  const Set& set = all_[set_of(tag)];
  const Place& place = set.places[set.hand];
  fetch(place.bytes.get(), std::min(place.capacity, kFetchBytesMax));
}

// The hand goes round, and passes once what was asked for since it came by last.
std::size_t RecordCache::place_to_use(Set& set) const {
  for (;;) {
    const std::size_t index = set.hand;
    set.hand = static_cast<std::uint32_t>((set.hand + 1) % places_);
    if (!std::exchange(set.places[index].asked_for, false)) return index;
  }
}

void RecordCache::clear(Lock& lock, Place& place) {
  if (place.bytes == nullptr) return;
  lock.bytes -= place.capacity;
  --lock.records;
  place = {};
}

void RecordCache::make_room(Lock& lock, Place& place, std::size_t bytes) {
  place.bytes = std::make_unique_for_overwrite<char[]>(bytes);
  place.capacity = static_cast<std::uint32_t>(bytes);
  lock.bytes += bytes;
  ++lock.records;
}

void RecordCache::insert(const Key& key, std::string_view result) {
  if (sets_ == 0) return;
  const std::uint64_t tag = tag_of(key);
  Set& set = all_[set_of(tag)];
  Lock& lock = locks_[set_of(tag) % kLocks];
  const MutexLock held(lock.mutex);
  if (find_place(set, tag, key) != nullptr) return;  // the same key has the same result
  const std::size_t index = place_to_use(set);
  Place& place = set.places[index];
  const std::size_t bytes = sizeof(Key) + result.size();
  if (place.capacity < bytes || place.capacity > 4 * bytes) {
    clear(lock, place);
    if (bytes > bytes_max_ || lock.bytes > bytes_max_ - bytes) return;
    make_room(lock, place, bytes);
  }
  std::memcpy(place.bytes.get(), &key, sizeof(key));
  std::memcpy(place.bytes.get() + sizeof(key), result.data(), result.size());
  place.size = static_cast<std::uint32_t>(result.size());
  set.tags[index] = tag;
}

RecordCache::Counts RecordCache::counts() const {
  Counts counts;
  for (Lock& lock : locks_) {
    const MutexLock held(lock.mutex);
    counts.hits += lock.hits;
    counts.misses += lock.misses;
    counts.records += lock.records;
  }
  return counts;
}

}  // namespace petri
