#include "sandbox/snapshots/sealed_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/json/bounded_json.h"
#include "base/text/escape.h"
#include "engine/sha256.h"

namespace petri {
namespace {

constexpr int kFormat = 2;  // 1 had no modules that are linked with one another
constexpr std::size_t kFormatBytesMax = 20;
constexpr std::size_t kChecksumBytes = 32;
// A value takes 80 bytes once it is read, however few it has in the file.
constexpr JsonBounds kBodyBounds{.bytes_max = kSealedBytesMax, .depth_max = 16, .values_max = std::size_t{4} << 20};

// How many bytes the first line has.
Result<std::size_t> check_first_line(std::string_view kind, std::string_view bytes) {
  const std::string magic = fmt::format("petri.{} ", kind);
  if (!bytes.starts_with(magic)) return not_whole(kind, "it does not begin as one");
  const std::size_t end = bytes.substr(0, magic.size() + kFormatBytesMax).find('\n');
  if (end == std::string_view::npos) return not_whole(kind, "its first line does not end");
  const std::string_view format = bytes.substr(magic.size(), end - magic.size());
  if (format == std::to_string(kFormat)) return end + 1;
  return fail(ErrorCode::rejected, fmt::format("the {} has the format {}, and this petri reads {}", kind,
                                               escape_text(format, kFormatBytesMax), kFormat));
}

}  // namespace

std::unexpected<Error> not_whole(std::string_view kind, std::string_view why) {
  return fail(ErrorCode::parse_failed, fmt::format("this is not a whole {} of petri's: {}", kind, why));
}

std::string seal(std::string_view kind, const nlohmann::json& body) {
  std::string bytes = fmt::format("petri.{} {}\n", kind, kFormat);
  append_cbor(bytes, body);
  const auto checksum = sha256(as_bytes(bytes));
  bytes.append(checksum.bytes.begin(), checksum.bytes.end());
  return bytes;
}

Result<nlohmann::json> unseal(std::string_view kind, std::string_view bytes) {
  PETRI_TRY(const std::size_t begin, check_first_line(kind, bytes));
  if (bytes.size() < begin + kChecksumBytes) return not_whole(kind, "it is cut short");
  const std::string_view checked = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (!std::ranges::equal(sha256(as_bytes(checked)).bytes, as_bytes(bytes.substr(checked.size())))) {
    return not_whole(kind, "its checksum does not fit, so it was cut short or changed");
  }
  auto body = parse_cbor(as_bytes(checked.substr(begin)), kBodyBounds);
  if (body) return *std::move(body);
  if (body.error().code() == ErrorCode::too_large) return fail(body.error().error(fmt::format("the {}", kind)));
  return not_whole(kind, fmt::format("its body {}", body.error().why));
}

}  // namespace petri
