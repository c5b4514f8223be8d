// petri_cpp.h: petri.h for C++17 and later, with texts of the standard library.
//
//   clang++ --target=wasm32-wasi -mexec-model=reactor -fno-exceptions -O2 -I guest/c guest.cpp -o guest.wasm
//
// `petri compile guest.cpp` finds both headers by itself. State is described as in C, by PETRI_STATE. A function that
// needs a permission names it in brackets; without it the guest is not linked. Numbers below zero are those of
// petri_error.
#ifndef PETRI_CPP_H
#define PETRI_CPP_H

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "petri.h"

namespace petri {

// ---- the bytes of this call

inline std::string input() {
  std::string bytes(static_cast<std::size_t>(petri_input_size()), '\0');
  petri_input_read(bytes.data(), 0, bytes.size());
  return bytes;
}

// False once the answer is full: then only a part of the bytes was kept, or none.
inline bool output(std::string_view bytes) {
  return petri_output_write(bytes.data(), bytes.size()) == static_cast<petri_i32>(bytes.size());
}

// ---- the world

// A line of the log [log]; false if it was dropped.
inline bool log(enum petri_log_level level, std::string_view text) {
  return petri_log(level, text.data(), text.size()) >= 0;
}
inline bool log_info(std::string_view text) { return log(PETRI_LOG_INFO, text); }
inline bool log_warning(std::string_view text) { return log(PETRI_LOG_WARNING, text); }
inline bool log_error(std::string_view text) { return log(PETRI_LOG_ERROR, text); }

// [clock]
inline std::int64_t clock_ms() { return petri_clock_ms(); }

// 64 random bits that depend on the seed alone [random].
inline std::uint64_t random() { return static_cast<std::uint64_t>(petri_random()); }
// From 0 to end - 1, each as probable as the others; 0 if there is none [random].
inline std::uint64_t random_below(std::uint64_t end) {
  if (end == 0) return 0;
  const std::uint64_t uneven = (0 - end) % end;  // as many numbers would be drawn once more than the others
  for (;;) {
    if (const std::uint64_t drawn = random(); drawn >= uneven) return drawn % end;
  }
}
// From 0 up to, and without, 1 [random].
inline double random_fraction() { return static_cast<double>(random() >> 11) * 0x1p-53; }

// ---- live processes: messages, children, timers

// A message that petri_handle got.
struct Message {
  enum petri_message_kind kind = PETRI_MESSAGE_NONE;
  std::int64_t tag = 0;  // of a timer, or how a child ended
  std::string sender;    // empty: it comes from outside
  std::string bytes;
};

namespace detail {
// A name that a function copies where all of it fits, and whose length it answers.
inline std::string name_by(petri_i32 (*copy)(char*, petri_size)) {
  std::string name(64, '\0');
  const auto length = static_cast<std::size_t>(copy(name.data(), name.size()));
  const bool fits = length <= name.size();
  name.resize(length);
  if (!fits) copy(name.data(), name.size());
  return name;
}
}  // namespace detail

inline Message message() {
  return {static_cast<enum petri_message_kind>(petri_message_kind()), petri_message_tag(),
          detail::name_by(petri_sender), input()};
}

// The name of this process.
inline std::string self() { return detail::name_by(petri_self); }

// Puts a message into the mailbox of a process of the same sandbox; 0 or an error [messages].
inline petri_i32 send(std::string_view to, std::string_view bytes) {
  return petri_send(to.data(), to.size(), bytes.data(), bytes.size());
}

// The answer of another process, or why there is none.
struct Reply {
  petri_i32 error = 0;
  std::string bytes;
  explicit operator bool() const { return error == 0; }
};

// Calls a process of the same sandbox and waits; 0 ms: no time-out of its own [messages].
inline Reply call(std::string_view to, std::string_view bytes, std::uint32_t timeout_ms = 0) {
  const petri_i32 length = petri_call(to.data(), to.size(), bytes.data(), bytes.size(), timeout_ms);
  if (length < 0) return {length, {}};
  Reply reply{0, std::string(static_cast<std::size_t>(length), '\0')};
  petri_reply_read(reply.bytes.data(), 0, reply.bytes.size());
  return reply;
}

// Starts a child from a JSON text, as petri_spawn; 0 or an error [spawn].
inline petri_i32 spawn(std::string_view spec) { return petri_spawn(spec.data(), spec.size()); }
// Stops a child; 0 or an error [spawn].
inline petri_i32 stop(std::string_view name) { return petri_stop(name.data(), name.size()); }

// A message to oneself with this tag, not before so many milliseconds; 0 or an error [timers].
inline petri_i32 timer(std::uint32_t milliseconds, std::int64_t tag) { return petri_timer(milliseconds, tag); }

// ---- files of the folder that the host grants, by WASI's C library

// All bytes of a file, or nullopt if it cannot be read [file_read].
inline std::optional<std::string> read_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string bytes;
  char piece[4096];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof(piece), file)) > 0;) bytes.append(piece, got);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  if (!good) return std::nullopt;
  return bytes;
}

namespace detail {
inline bool put_bytes(const std::string& path, std::string_view bytes, const char* mode) {
  std::FILE* const file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return (std::fclose(file) == 0) && written;
}
}  // namespace detail

// Makes or replaces a file; false if not all of it could be written [file_write].
inline bool write_file(const std::string& path, std::string_view bytes) { return detail::put_bytes(path, bytes, "wb"); }
// [file_write]
inline bool append_file(const std::string& path, std::string_view bytes) {
  return detail::put_bytes(path, bytes, "ab");
}

}  // namespace petri

#endif
