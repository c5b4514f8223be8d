// One guest that passes calls on to host functions, and the model that says what each of them may answer.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/assert.h"
#include "base/text/utf8.h"
#include "fuzz/target.h"
#include "host/files/folder.h"
#include "host/files/temporary_folder.h"
#include "host/guest/guest.h"
#include "host/link.h"
#include "host/process_port.h"
#include "host/wasi/errno.h"
#include "petri/wasm_builder/wasm_builder.h"

namespace petri::fuzz {

inline constexpr std::uint32_t kMemory = 65'536;
inline constexpr std::uint64_t kFuel = 100'000'000'000;
inline constexpr std::size_t kRandomCalls = 200;
inline constexpr std::string_view kInput = "the input of the guest, thirty-nine bytes";
inline constexpr std::string_view kName = "process", kSender = "sender of the message";
inline constexpr std::uint64_t kOutputBytesMax = 5'000;

// ---- what a call states ------------------------------------------------------------------------------------------

struct Range {
  enum class Kind { in, out, in_list, out_list };  // a list of buffers holds pointers and lengths
  Kind kind = Kind::in;
  std::size_t pointer = 0;  // which parameter
  int length = -1;          // which parameter; none: one piece
  std::uint32_t piece = 1;  // bytes
};
using enum Range::Kind;

struct Statement {
  std::string_view name;
  std::vector<Range> ranges;
};

inline const std::vector<Statement>& statements() {
  static const std::vector<Statement> all{
      {"input_read", {{out, 0, 2}}},
      {"output_write", {{in, 0, 1}}},
      {"log", {{in, 1, 2}}},
      {"sender", {{out, 0, 1}}},
      {"self", {{out, 0, 1}}},
      {"send", {{in, 0, 1}, {in, 2, 3}}},
      {"call", {{in, 0, 1}, {in, 2, 3}}},
      {"reply_read", {{out, 0, 2}}},
      {"spawn", {{in, 0, 1}}},
      {"stop", {{in, 0, 1}}},
      {"args_sizes_get", {{out, 0, -1, 4}, {out, 1, -1, 4}}},
      {"args_get", {{out, 0, -1, 8}, {out, 1, -1, 15}}},
      {"environ_sizes_get", {{out, 0, -1, 4}, {out, 1, -1, 4}}},
      {"environ_get", {{out, 0, -1, 4}, {out, 1, -1, 11}}},
      {"clock_res_get", {{out, 1, -1, 8}}},
      {"clock_time_get", {{out, 2, -1, 8}}},
      {"poll_oneoff", {{in, 0, 2, 48}, {out, 1, 2, 32}, {out, 3, -1, 4}}},
      {"random_get", {{out, 0, 1}}},
      {"fd_read", {{out_list, 1, 2, 8}, {out, 3, -1, 4}}},
      {"fd_pread", {{out_list, 1, 2, 8}, {out, 4, -1, 4}}},
      {"fd_write", {{in_list, 1, 2, 8}, {out, 3, -1, 4}}},
      {"fd_pwrite", {{in_list, 1, 2, 8}, {out, 4, -1, 4}}},
      {"fd_seek", {{out, 3, -1, 8}}},
      {"fd_tell", {{out, 1, -1, 8}}},
      {"fd_fdstat_get", {{out, 1, -1, 24}}},
      {"fd_filestat_get", {{out, 1, -1, 64}}},
      {"fd_prestat_get", {{out, 1, -1, 8}}},
      {"fd_prestat_dir_name", {{out, 1, -1, 1}}},
      {"path_open", {{in, 2, 3}, {out, 8, -1, 4}}},
      {"path_filestat_get", {{in, 2, 3}, {out, 4, -1, 64}}},
      {"path_create_directory", {{in, 1, 2}}},
      {"path_remove_directory", {{in, 1, 2}}},
      {"path_unlink_file", {{in, 1, 2}}},
      {"path_rename", {{in, 1, 2}, {in, 4, 5}}},
      {"fd_readdir", {{out, 1, 2}, {out, 4, -1, 4}}},
      {"path_filestat_set_times", {{in, 2, 3}}},
      {"path_link", {{in, 2, 3}, {in, 5, 6}}},
      {"path_readlink", {{in, 1, 2}, {out, 3, 4}, {out, 5, -1, 4}}},
      {"path_symlink", {{in, 0, 1}, {in, 3, 4}}},
  };
  return all;
}

inline const std::vector<Range>& ranges_of(const HostFunction& function) {
  static const std::vector<Range> none;
  const auto found = std::ranges::find(statements(), function.name, &Statement::name);
  return function.module == "math" || found == statements().end() ? none : found->ranges;
}

struct Piece {
  std::uint64_t begin = 0, size = 0;
  bool inside() const { return begin + size <= kMemory; }
};

// The ranges that a call says it reads and writes, with its memory as it was before.
struct Stated {
  std::vector<Piece> read, written;
  bool inside = true;

  void add(Range::Kind kind, Piece piece) {
    inside = inside && piece.inside();
    (kind == out || kind == out_list ? written : read).push_back(piece);
  }
};

inline Stated stated_by(const HostFunction& function, std::span<const std::uint64_t> arguments,
                        std::span<const std::uint8_t> memory) {
  Stated stated;
  for (const Range& range : ranges_of(function)) {
    const auto pointer = static_cast<std::uint32_t>(arguments[range.pointer]);
    const std::uint64_t count =
        range.length < 0 ? 1 : static_cast<std::uint32_t>(arguments[static_cast<std::size_t>(range.length)]);
    const Piece whole{pointer, count * range.piece};
    const bool list = range.kind == in_list || range.kind == out_list;
    stated.add(list ? in : range.kind, whole);
    if (!list || !whole.inside()) continue;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::array<std::uint32_t, 2> buffer{};
      std::memcpy(buffer.data(), memory.data() + pointer + i * 8, 8);
      stated.add(range.kind, {buffer[0], buffer[1]});
    }
  }
  return stated;
}

// ---- the world around the guest ----------------------------------------------------------------------------------

// Answers that follow from the question alone, so that the model knows them.
inline std::int32_t answer_to(std::string_view text) {
  return text.size() % 3 == 0 ? static_cast<std::int32_t>(GuestError::not_found) : 0;
}
// No process has so long a name, and nobody is asked for it.
inline std::int32_t answer_to_name(std::string_view name) {
  return name.size() > 1'024 ? static_cast<std::int32_t>(GuestError::not_found) : answer_to(name);
}
inline std::string reply_to(std::string_view bytes) { return std::string(bytes.substr(0, 1'000)) + "!"; }

class ModelPort : public ProcessPort {
 public:
  std::string_view name() const override { return kName; }
  MessageHead message() const override { return {.kind = MessageKind::send, .sender = kSender, .tag = 77}; }
  std::int32_t send(HostCall&, std::string_view to, std::string_view) override { return answer_to(to); }
  std::int32_t call(HostCall&, std::string_view to, std::string_view bytes, std::uint32_t,
                    std::string& reply) override {
    if (answer_to(to) < 0) return answer_to(to);
    reply = reply_to(bytes);
    return static_cast<std::int32_t>(reply.size());
  }
  std::int32_t spawn(HostCall&, std::string_view spec) override { return answer_to(spec); }
  std::int32_t stop(std::string_view name) override { return answer_to(name); }
  std::int32_t timer(HostCall&, std::uint32_t milliseconds, std::int64_t) override {
    return milliseconds % 2 == 0 ? 0 : static_cast<std::int32_t>(GuestError::limit_exceeded);
  }
  std::uint64_t next_turn(HostContext&, std::uint64_t) override { return Budget::kNever; }
  void wait_until(std::uint64_t, const std::atomic<std::uint32_t>*) override {}
};

// Files that cost no disk, where there is such a place.
inline void prefer_memory_files() {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
}

inline HostSettings settings_of(const TemporaryFolder& folder) {
  HostSettings settings;
  for (const Permission permission : all_permissions()) settings.permissions = settings.permissions.with(permission);
  settings.deterministic = true;  // a wait that is asked for takes no time
  settings.limits.output_bytes_max = kOutputBytesMax;
  settings.limits.file_bytes_max = 20'000;
  settings.limits.files_max = 8;
  settings.limits.disk_bytes_max = 50'000;
  static const std::vector<std::string> arguments{"argument"};  // after "guest"
  static const std::map<std::string, std::string> environment{{"NAME", "value"}};
  settings.program_arguments = &arguments;
  settings.environment = &environment;
  settings.folder = *Folder::open(folder.path().string(), settings.limits);
  return settings;
}

// A guest that passes calls on to each function there is; export i is function i.
inline ArtifactPtr forwarding_guest() {
  WasmBuilder module;
  std::vector<WasmFunction> imports;
  const auto signature_of = [](const HostFunction& function) {
    return WasmSignature{.params = std::span<const ValueType>(function.signature.params),
                         .results = std::span<const ValueType>(function.signature.results)};
  };
  for (const HostFunction& function : builtin_functions())
    imports.push_back(module.import_function(function.module, function.name, signature_of(function)));
  module.memory({.pages_min = 1, .pages_max = 1});
  for (std::size_t i = 0; i < imports.size(); ++i) {
    const HostFunction& function = builtin_functions()[i];
    WasmBody body = module.function(std::to_string(i), signature_of(function));
    for (std::uint32_t parameter = 0; parameter < function.signature.params.size(); ++parameter)
      body.local_get(parameter);
    body.call(imports[i]).end();
  }
  const auto bytes = module.build();
  FUZZ_REQUIRE(bytes.has_value());
  return *Artifact::from_wasm(*bytes, 1 << 20);
}

// ---- one guest and its model ---------------------------------------------------------------------------------------

class Session {
 public:
  Session(const ArtifactPtr& artifact, const CodePtr& code, const TemporaryFolder& folder)
      : code_(code), context_(settings_of(folder), 7), guest_(loadable(*artifact), context_) {
    context_.set_port(&port_);
    guest_.begin({.fuel = kFuel}, kInput);
    start();
  }

  void call(std::uint32_t number, std::vector<std::uint64_t>& slots) {
    const HostFunction& function = builtin_functions()[number];
    const std::vector<std::uint64_t> arguments = slots;
    const Stated stated = stated_by(function, arguments, before_);
    const std::string output(context_.output.text());
    const std::string reply = context_.reply;
    slots.resize(std::max(slots.size(), function.signature.results.size()));
    const auto end = guest_.call(number, slots);
    FUZZ_REQUIRE(end.has_value());
    if (function.name.ends_with("exit")) return require_exit(*end, arguments[0]);
    FUZZ_REQUIRE(end->kind == EndKind::returned);
    require_result(function, slots.empty() ? 0 : slots[0], arguments, stated, reply);
    require_output(function, output, slots.empty() ? 0 : slots[0], stated);
    require_memory(function, refused(function, slots), stated);
  }
  // Something to point at.
  void put(std::uint32_t address, std::uint64_t value) {
    if (address > kMemory - 8) return;
    std::memcpy(before_.data() + address, &value, 8);
    std::memcpy(guest_.instance()->memory().data() + address, &value, 8);
  }

 private:
  void start() {
    const auto end = guest_.instantiate(*code_, Initialize::no);
    FUZZ_REQUIRE(end && end->kind == EndKind::returned);
    before_.assign(kMemory, 0);
    constexpr std::string_view kPaths[] = {"file", "../out", "folder", "/etc/passwd", "file/x", "."};
    std::uint32_t at = 64;
    for (const std::string_view path : kPaths) {
      std::memcpy(before_.data() + at, path.data(), path.size());
      at += 64;
    }
    const std::uint32_t buffers[] = {2'000, 100, 3'000, 0, kMemory - 4, 4, kMemory - 4, 5, 4'000, 50'000};
    std::memcpy(before_.data() + 1'000, buffers, sizeof(buffers));
    std::ranges::copy(before_, guest_.instance()->memory().begin());
  }
  void require_exit(const End& end, std::uint64_t code) {
    FUZZ_REQUIRE(end.kind == EndKind::exited && end.code == static_cast<std::int32_t>(code));
    start();
  }

  static bool refused(const HostFunction& function, const std::vector<std::uint64_t>& slots) {
    if (function.module == "math" || slots.empty() || function.signature.results != std::vector{ValueType::i32})
      return false;
    const auto result = static_cast<std::int32_t>(slots[0]);
    return function.module == "petri" ? result < 0 : result != 0;
  }

  void require_result(const HostFunction& function, std::uint64_t raw, const std::vector<std::uint64_t>& arguments,
                      const Stated& stated, const std::string& reply) {
    const auto result = static_cast<std::int32_t>(raw);
    if (function.signature.results.empty()) return;  // env.abort returns, and the guest's next operator traps
    if (function.module == "math") return require_canonical(raw);
    if (function.module != "petri") return require_errno(result, stated);
    const auto bad = static_cast<std::int32_t>(GuestError::out_of_bounds);
    if (!stated.inside) return FUZZ_REQUIRE(result == bad);
    const auto expected = expected_of(function, arguments, reply);
    if (expected) return FUZZ_REQUIRE(result == *expected);
    if (function.name == "log") return require_log(result, arguments);
  }
  static void require_canonical(std::uint64_t raw) {
    const bool nan = (raw & 0x7fff'ffff'ffff'ffff) > 0x7ff0'0000'0000'0000;
    FUZZ_REQUIRE(!nan || raw == 0x7ff8'0000'0000'0000);
  }
  static void require_errno(std::int32_t result, const Stated& stated) {
    using enum WasiErrno;
    static const std::set<WasiErrno> known{
        success,     acces, badf,  busy,   exist,    fault,   fbig,   ilseq,    inval, io,    isdir,      loop, mfile,
        nametoolong, noent, nospc, notdir, notempty, notsock, notsup, overflow, perm,  spipe, notcapable, xdev};
    FUZZ_REQUIRE(known.contains(static_cast<WasiErrno>(result)));
    FUZZ_REQUIRE(stated.inside || result != 0);
  }
  // Whole characters are kept.
  void require_log(std::int32_t result, const std::vector<std::uint64_t>& arguments) const {
    if (static_cast<std::uint32_t>(arguments[0]) > 4)
      return FUZZ_REQUIRE(result == static_cast<std::int32_t>(GuestError::invalid));
    const std::string_view kept = utf8_prefix(text(arguments[1], arguments[2]), HostContext::kLogLineBytesMax);
    FUZZ_REQUIRE(result == static_cast<std::int32_t>(GuestError::limit_exceeded) ||
                 result == static_cast<std::int32_t>(kept.size()));
  }

  std::string_view text(std::uint64_t pointer, std::uint64_t length) const {
    return {reinterpret_cast<const char*>(before_.data()) + static_cast<std::uint32_t>(pointer),
            static_cast<std::uint32_t>(length)};
  }
  static std::int32_t left_of(std::size_t size, std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t from = static_cast<std::uint32_t>(offset);
    return static_cast<std::int32_t>(
        from >= size ? 0 : std::min<std::uint64_t>(size - from, static_cast<std::uint32_t>(length)));
  }
  // The answer when all ranges lie inside, where it can be known.
  std::optional<std::int32_t> expected_of(const HostFunction& function, const std::vector<std::uint64_t>& arguments,
                                          const std::string& reply) const {
    const std::string_view name = function.name;
    if (name == "input_size") return static_cast<std::int32_t>(kInput.size());
    if (name == "input_read") return left_of(kInput.size(), arguments[1], arguments[2]);
    if (name == "reply_read") return left_of(reply.size(), arguments[1], arguments[2]);
    if (name == "message_kind") return static_cast<std::int32_t>(MessageKind::send);
    if (name == "message_tag") return 77;
    if (name == "self") return static_cast<std::int32_t>(kName.size());
    if (name == "sender") return static_cast<std::int32_t>(kSender.size());
    if (name == "spawn") return answer_to(text(arguments[0], arguments[1]));
    if (name == "send" || name == "stop") return answer_to_name(text(arguments[0], arguments[1]));
    if (name == "timer") {
      const bool refused = static_cast<std::uint32_t>(arguments[0]) % 2 != 0;
      return refused ? static_cast<std::int32_t>(GuestError::limit_exceeded) : 0;
    }
    if (name != "call") return std::nullopt;
    const std::int32_t answer = answer_to_name(text(arguments[0], arguments[1]));
    return answer < 0 ? answer : static_cast<std::int32_t>(reply_to(text(arguments[2], arguments[3])).size());
  }

  // The answer only ever grows, within its limit, and by what was written.
  void require_output(const HostFunction& function, const std::string& old, std::uint64_t result,
                      const Stated& stated) {
    const std::string_view now = context_.output.text();
    FUZZ_REQUIRE(now.starts_with(old) && now.size() <= kOutputBytesMax);
    if (function.name == "fd_write" || function.name == "fd_pwrite") return;
    if (function.name != "output_write" || !stated.inside) return FUZZ_REQUIRE(now.size() == old.size());
    const std::uint64_t kept = std::min(stated.read[0].size, kOutputBytesMax - old.size());
    FUZZ_REQUIRE(result == kept && now.substr(old.size()) == text(stated.read[0].begin, kept));
  }

  void require_memory(const HostFunction& function, bool was_refused, const Stated& stated) {
    const std::span<const std::uint8_t> now = guest_.instance()->memory();
    FUZZ_REQUIRE(now.size() == kMemory);
    if (std::memcmp(now.data(), before_.data(), kMemory) == 0) return;
    FUZZ_REQUIRE(!was_refused);
    for (const Piece& piece : stated.written)
      std::memcpy(before_.data() + piece.begin, now.data() + piece.begin, piece.size);
    FUZZ_REQUIRE(std::memcmp(now.data(), before_.data(), kMemory) == 0);
    FUZZ_REQUIRE(!function.name.starts_with("fd_write") || !stated.written.empty());
  }

  ModelPort port_;
  CodePtr code_;
  HostContext context_;
  Guest guest_;
  std::vector<std::uint8_t> before_;
};

}  // namespace petri::fuzz
