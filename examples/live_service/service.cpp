#include "live_service/service.h"

#include <fmt/format.h>

#include <algorithm>

namespace live_service {
namespace {

bool has(const Version& version, std::string_view name) {
  return std::ranges::find(version.fields, name, &Field::name) != version.fields.end();
}

std::string global(const Field& field) {
  return fmt::format("  (global ${0} (export \"state.{0}\") (mut {1}) ({1}.const 0))\n", field.name, field.type);
}

// The code by which a message changes a field.
std::string update(const Version& version, const Field& field) {
  if (field.name == "total") {
    return fmt::format("    (global.set $total ({0}.add (global.get $total) ({0}.const 1)))\n", field.type);
  }
  if (field.name == "checksum")
    return "    (global.set $checksum (i64.add (global.get $checksum) (local.get $number)))\n";
  if (field.name == "largest") {
    return "    (if (i64.gt_s (local.get $number) (global.get $largest))\n"
           "      (then (global.set $largest (local.get $number))))\n";
  }
  if (field.name == "average" && has(version, "checksum")) {
    return "    (global.set $average (f64.div (f64.convert_i64_s (global.get $checksum))"
           " (f64.convert_i64_s (global.get $total))))\n";
  }
  return "";
}

// The number must be the one after the last; what is not is counted, under whatever name this version has for it.
std::string check(const Version& version, std::size_t sender) {
  const std::string wrong = has(version, "wrong") ? "wrong" : "out_of_order";
  return fmt::format(R"(    (if (i64.eq (local.get $sender) (i64.const {0}))
      (then
        (if (i64.ne (local.get $number) (i64.add (global.get $last_{0}) (i64.const 1)))
          (then (global.set ${1} (i32.add (global.get ${1}) (i32.const 1)))))
        (global.set $last_{0} (local.get $number))))
)",
                     sender, wrong);
}

}  // namespace

std::string last_of(std::size_t sender) { return fmt::format("last_{}", sender); }

std::string to_wat(const Version& version) {
  std::string globals, body = version.crashes ? "    unreachable\n" : "";
  for (std::size_t sender = 0; sender < kSenders; ++sender) {
    globals += global({last_of(sender), "i64"});
    body += check(version, sender);
  }
  for (const Field& field : version.fields) {
    globals += global(field);
    body += update(version, field);
  }
  return fmt::format(R"((module
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (memory 1)
{}  (func (export "patch") (result i32) (i32.const {}))
  (func (export "petri_handle") (result i32) (local $sender i64) (local $number i64)
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 16)))
    (local.set $sender (i64.load (i32.const 0)))
    (local.set $number (i64.load (i32.const 8)))
{}    (i32.const 0)))
)",
                     globals, version.patch, body);
}

std::string message(std::uint64_t sender, std::uint64_t number) {
  std::string bytes(16, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(sender >> (8 * i));
    bytes[8 + i] = static_cast<char>(number >> (8 * i));
  }
  return bytes;
}

}  // namespace live_service
