// Machine code on disk: the second start of a large module does not compile it again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri {

// The name of a file of the cache, over all that decides about its content: the module as the engines see it, the
// settings of the compiler, and the engines.
Sha256 code_name(std::span<const std::uint8_t> metered, bool frugal);

// A folder with a file for each piece of machine code, named by code_name(). The host runs what is found, so that a
// file counts only if its first bytes are the HMAC of the rest and of its name under a key that this user alone can
// read; the key lies elsewhere, and a folder that was copied from another user or machine is full of misses. Any
// thread, and any number of processes: files are put in their place whole.
class CodeCache {
 public:
  // Smaller modules compile in milliseconds, and are not kept.
  static constexpr std::size_t kModuleBytesMin = std::size_t{64} << 10;
  static constexpr std::uint64_t kFileBytesMax = std::uint64_t{512} << 20;
  // Beyond that the cache's own files that were used longest ago are removed; others in the folder do not count.
  static constexpr std::uint64_t kFolderBytesMax = std::uint64_t{2} << 30;

  // The folder and the key are made where there are none. validation_failed, with what to do about it, when somebody
  // else owns or may write either, or may read the key; io_error when one cannot be made or opened.
  static Result<CodeCache> open(const std::string& folder);

  // The code of this name, if there is some. A file that is damaged, or was written with another key, is removed.
  std::optional<std::vector<std::uint8_t>> find(const Sha256& name) const;
  // Code that cannot be written is not kept.
  void put(const Sha256& name, std::span<const std::uint8_t> code) const;
  using Key = std::array<std::uint8_t, 32>;

 private:
  CodeCache(OwnedDescriptor folder, const Key& key) : folder_(std::move(folder)), key_(key) {}

  Sha256 seal(const Sha256& name, std::span<const std::uint8_t> code) const;
  void remove_oldest() const;

  OwnedDescriptor folder_;
  Key key_;
};

// The file with the key of this user; empty if there is no home.
std::string code_key_path();

}  // namespace petri
