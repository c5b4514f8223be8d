// The end of an AssemblyScript program: `env.abort`, with its message.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text/utf8.h"
#include "host/functions/families.h"
#include "host/wasi/memory.h"

namespace petri {
namespace {

constexpr std::size_t kTextBytesMax = 1'024;  // of the message and of the name of the file, in UTF-16
constexpr std::uint32_t kLengthBefore = 4;    // a string's length in bytes stands in front of it
constexpr char32_t kUnpaired = 0xFFFD;

// A surrogate without its other half becomes the replacement character.
std::string to_utf8(std::string_view utf16) {
  std::string text;
  const auto unit = [&](std::size_t at) {
    return static_cast<char32_t>(static_cast<std::uint8_t>(utf16[at]) |
                                 static_cast<std::uint32_t>(static_cast<std::uint8_t>(utf16[at + 1])) << 8);
  };
  for (std::size_t at = 0; at + 1 < utf16.size(); at += 2) {  // bounded: by kTextBytesMax
    const char32_t first = unit(at);
    const bool high = first >= 0xD800 && first < 0xDC00;
    const char32_t second = high && at + 3 < utf16.size() ? unit(at + 2) : 0;
    if (second >= 0xDC00 && second < 0xE000) {
      append_utf8(text, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
      at += 2;
    } else {
      append_utf8(text, first >= 0xD800 && first < 0xE000 ? kUnpaired : first);
    }
  }
  return text;
}

// The start of an AssemblyScript string; empty for null and for what is no string in the guest's memory.
std::string string_at(HostCall& call, std::uint32_t pointer) {
  if (pointer < kLengthBefore) return {};
  const auto head = call.structure<kLengthBefore>(pointer - kLengthBefore);
  if (!head) return {};
  const auto length = std::min<std::uint32_t>(load<std::uint32_t>(*head, 0), kTextBytesMax);
  const auto bytes = call.read(pointer, length);
  return bytes ? to_utf8(*bytes) : std::string();
}

// Writes the message where standard error goes. It returns: the compiler puts an `unreachable` behind each call, and a
// trap there has a backtrace through the guest's own code.
void abort_with(HostCall& call, std::uint32_t message, std::uint32_t file, std::uint32_t line, std::uint32_t column) {
  const std::string what = string_at(call, message), where = string_at(call, file);
  const std::string text = fmt::format("abort: {} in {}({}:{})", what.empty() ? "no message" : what,
                                       where.empty() ? "an unnamed file" : where, line, column);
  if (call.after() == After::stop) return;
  if (call.context.settings().on_stderr != nullptr) return call.context.write_stderr(text + "\n", call.fuel_used());
  if (call.context.may_use(Permission::log)) call.context.write_log(LogLevel::error, text, call.fuel_used());
}

}  // namespace

HostFamily abort_functions() {
  return {host_function<&abort_with>({.module = "env", .name = "abort", .fuel = 256, .charges_bytes = true})};
}

}  // namespace petri
