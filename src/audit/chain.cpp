#include "audit/chain.h"

#include <algorithm>
#include <span>

#include "base/text/byte_text.h"
#include "engine/sha256.h"

namespace petri {
namespace {

constexpr std::string_view kSealKey = R"(,"hash":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kHexDigits = 2 * sizeof(Sha256);

Sha256 hash_of(std::string_view bytes) { return sha256(as_bytes(bytes)); }

std::string_view bytes_of(const Sha256& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string& ChainLine::begin(const Sha256& before) {
  buffer_.assign(bytes_of(before));
  return buffer_;
}

Sha256 ChainLine::seal() {
  const Sha256 hash = hash_of(buffer_);
  buffer_.append(kSealKey).append(hash.hex()).append(kSealEnd) += '\n';
  return hash;
}

std::string_view ChainLine::text() const {
  return std::string_view(buffer_).substr(std::min(sizeof(Sha256), buffer_.size()));
}

std::optional<SealedText> split_seal(std::string_view line) {
  constexpr std::size_t kSealBytes = kSealKey.size() + kHexDigits + kSealEnd.size();
  if (line.size() < kSealBytes || !line.ends_with(kSealEnd)) return std::nullopt;
  const std::string_view seal = line.substr(line.size() - kSealBytes);
  const std::string_view digits = seal.substr(kSealKey.size(), kHexDigits);
  if (!seal.starts_with(kSealKey) || !std::ranges::all_of(digits, is_lower_hex)) return std::nullopt;
  SealedText sealed{.body = line.substr(0, line.size() - kSealBytes)};
  std::ranges::copy(*from_hex(digits), sealed.hash.bytes.begin());
  return sealed;
}

bool follows(const SealedText& sealed, const Sha256& before) {
  return hash_of(std::string(bytes_of(before)).append(sealed.body)) == sealed.hash;
}

}  // namespace petri
