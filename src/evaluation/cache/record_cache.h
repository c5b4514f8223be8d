// Results of earlier evaluations, by candidate and spec.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "petri/evaluate.h"

namespace petri {

// Holds results as pack_result() gives them. Read and written for every candidate, so it is made to be cheap: a key has
// eight places at most, side by side, and when they are full the first one not asked for lately is used again, with its
// memory. Any thread; parts of it have locks of their own, so that workers seldom meet.
class RecordCache {
 public:
  static constexpr std::uint64_t kBytesMax = 256ULL << 20;

  // A result that would make it hold more than `bytes_max` is not kept; what it would have replaced goes all the same.
  explicit RecordCache(std::size_t records_max, std::uint64_t bytes_max = kBytesMax);

  struct Key {
    Sha256 candidate;
    Sha256 spec;
    bool operator==(const Key&) const = default;
  };

  // Says that the key will be asked for soon, so that what it takes is at hand then.
  void expect(const Key& key) const;
  // The result, which then counts as asked for lately; counted as a hit or a miss.
  std::optional<std::string> find(const Key& key);
  // Copies the result. Replaces that of an equal key; drops others without a trace where there is no room.
  void insert(const Key& key, std::string_view result);

  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t records = 0;  // held now
  };
  Counts counts() const;

 private:
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kLocks = 16;

  struct Place {
    std::unique_ptr<char[]> bytes;  // the key, then the result
    std::uint32_t capacity = 0;
    std::uint32_t size = 0;  // of the result
    bool asked_for = false;  // since the hand passed
  };
  struct alignas(64) Set {
    std::array<std::uint64_t, kPlaces> tags{};  // a part of the key, for all places on one cache line
    std::array<Place, kPlaces> places;
    std::uint32_t hand = 0;
  };
  struct alignas(64) Lock {
    Mutex mutex;
    std::uint64_t hits GUARDED_BY(mutex) = 0;
    std::uint64_t misses GUARDED_BY(mutex) = 0;
    std::uint64_t records GUARDED_BY(mutex) = 0;
    std::uint64_t bytes GUARDED_BY(mutex) = 0;
  };

  // The upper half of the tag, as a share of all sets.
  std::size_t set_of(std::uint64_t tag) const { return (tag >> 32) * sets_ >> 32; }
  void expect_insert(std::uint64_t tag) const;
  Place* find_place(Set& set, std::uint64_t tag, const Key& key) const;
  std::size_t place_to_use(Set& set) const;
  static void make_room(Lock& lock, Place& place, std::size_t bytes) REQUIRES(lock.mutex);
  static void clear(Lock& lock, Place& place) REQUIRES(lock.mutex);

  std::size_t sets_ = 0;
  std::size_t places_ = 0;         // of each set
  const std::uint64_t bytes_max_;  // of the sets of one lock
  std::unique_ptr<Set[]> all_;
  mutable std::array<Lock, kLocks> locks_;  // each for the sets of one remainder
};

}  // namespace petri
