#include "compile_worker/compilation.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "compile_worker/jail.h"
#include "compiling/compile_protocol.h"
#include "engine/precompile.h"

namespace petri {
namespace {

bool receive(int socket, void* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = ::read(socket, static_cast<char*>(data) + done, size - done);
    if (moved > 0) done += static_cast<std::size_t>(moved);
    if (moved == 0 || (moved < 0 && errno != EINTR)) return false;
  }
  return true;
}

bool send(int socket, const void* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = ::write(socket, static_cast<const char*>(data) + done, size - done);
    if (moved > 0) done += static_cast<std::size_t>(moved);
    if (moved < 0 && errno != EINTR) return false;
  }
  return true;
}

void answer(int socket, CompileStatus status, const void* data, std::size_t size) {
  const CompileReply reply{.status = status, .bytes = size};
  if (send(socket, &reply, sizeof(reply))) send(socket, data, size);
}

void answer(int socket, std::string_view message) {
  answer(socket, CompileStatus::message, message.data(), message.size());
}

[[noreturn]] void never_end() {
  for (const std::atomic<bool> ended = false;;) ended.wait(false);
}

// From the kernel itself: a sanitizer's allocator has room of its own.
[[noreturn]] void eat_memory() {
  constexpr std::size_t kPiece = 1 << 20;
  for (;;) {
    void* const piece = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) std::abort();  // as Rust and C++ end when an allocation fails
    std::memset(piece, 'x', kPiece);
  }
}

// The engine has a handler, which leaves what is not a guest's to the default action.
[[noreturn]] void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

std::string said(std::string_view what, long result) {
  const std::string why = result < 0 ? std::strerror(errno) : "it was let";
  return std::string(what) + ": " + why;
}

// True when the fault has answered.
bool answer_fault(int socket, CompileFault fault) {
  switch (fault) {
    case CompileFault::none: return false;
    case CompileFault::never_ends: never_end();
    case CompileFault::eats_memory: eat_memory();
    case CompileFault::crashes: crash();
    case CompileFault::kills_itself: std::raise(SIGKILL); break;
    case CompileFault::opens_a_file: answer(socket, said("open", ::open("/etc/passwd", O_RDONLY))); break;
    case CompileFault::connects: answer(socket, said("socket", ::socket(AF_INET, SOCK_STREAM, 0))); break;
    case CompileFault::prints: answer(socket, said("write", ::write(STDERR_FILENO, "panicked", 8))); break;
    case CompileFault::forks: answer(socket, said("fork", ::fork())); break;
  }
  return true;
}

// A thread is started in less time than a tenth of what the compiler takes for this many bytes.
constexpr std::uint64_t kHelpedBytesMin = 4'096;

// How many there are then.
std::uint32_t start_threads(std::uint64_t module_bytes) {
  const bool helps = module_bytes >= kHelpedBytesMin && std::thread::hardware_concurrency() > 1;
  return helps && start_compile_helper(kCompileStackBytes) ? 2 : 1;
}

}  // namespace

bool compile_one(int socket) {
  CompileRequest request;
  if (!receive(socket, &request, sizeof(request))) return false;
  if (request.mark != kRequestMark) {
    answer(socket, "the request is of another version of petri");
    return true;
  }
  const std::uint32_t threads = start_threads(request.module_bytes);
  const std::uint64_t memory_bytes = address_space_bytes();
  enter_compilation_jail();
  limit_compilation(memory_bytes, request.memory_bytes_max, threads * request.processor_seconds_max);
  std::vector<std::uint8_t> module(request.module_bytes);
  if (!receive(socket, module.data(), module.size())) return false;
  if (answer_fault(socket, request.fault)) return true;
  precompile(module, request.frugal != 0, [socket](const Precompiled& made) {
    if (made.machine_code.empty()) return answer(socket, made.message);
    answer(socket, CompileStatus::machine_code, made.machine_code.data(), made.machine_code.size());
  });
  return true;
}

void warm_up() {
  // (module (memory 1) (func (export "f") (param i32) (result i32) (i32.load (local.get 0))))
  constexpr std::array<std::uint8_t, 44> kModule{0,    'a', 's', 'm', 1, 0, 0, 0,    1, 6,    1, 0x60, 1,    0x7f, 1,
                                                 0x7f, 3,   2,   1,   0, 5, 3, 1,    0, 1,    7, 5,    1,    1,    'f',
                                                 0,    0,   10,  9,   1, 7, 0, 0x20, 0, 0x28, 2, 0,    0x0b, 0};
  precompile({kModule.data(), 43}, false, [](const Precompiled&) {});
}

}  // namespace petri
