#include "compile_worker/jail.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace petri {
namespace {

// As nice(1) counts: guests that run come first, but who waits for code among many of them is not starved.
constexpr int kPriority = 5;
constexpr std::uint64_t kWarmUpBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kAddressSpaceGuess = std::uint64_t{256} << 20;

// Never above what the process was allowed before.
void set_limit(int resource, rlim_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max = std::min(value, limit.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

// Memory, the socket, its own end, and what the languages' runtimes ask of the kernel on the way.
constexpr std::array kAllowed{
    SYS_read,        SYS_write,         SYS_recvfrom,     SYS_sendto,         SYS_mmap,
    SYS_munmap,      SYS_mremap,        SYS_mprotect,     SYS_madvise,        SYS_brk,
    SYS_futex,       SYS_exit,          SYS_exit_group,   SYS_getpid,         SYS_gettid,
    SYS_tgkill,      SYS_prlimit64,     SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_sigaltstack, SYS_clock_gettime, SYS_getrandom,    SYS_sched_yield,    SYS_restart_syscall};

std::vector<sock_filter> system_call_filter() {
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  const auto answer = [](std::uint32_t action) { return sock_filter BPF_STMT(BPF_RET | BPF_K, action); };
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)),
                                  sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
                                  answer(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const long call : kAllowed) {
    filter.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(answer(SECCOMP_RET_ALLOW));
  }
  filter.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  return filter;
}

// The resource limits hold by themselves; the filter is a second wall, where the kernel has one. A thread that does not
// get it, whose number is the answer, would be a way around.
void filter_system_calls() {
  if constexpr (kMachine == 0) return;
  static std::vector<sock_filter> filter = system_call_filter();
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) > 0) std::_Exit(1);
}

// Output that a language's runtime writes to stdout or stderr goes nowhere, and no descriptor of ours gets their
// numbers.
void close_output() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) std::_Exit(1);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    if (output != ends[1]) ::dup2(ends[1], output);
  }
  for (const int end : ends) {
    if (end > STDERR_FILENO) ::close(end);
  }
}

}  // namespace

void enter_fork_server_jail() {
  if (::chdir("/") != 0) std::_Exit(1);
  close_output();
  ::umask(0777);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0) {
    stack.rlim_cur = std::min(rlim_t{kCompileStackBytes}, stack.rlim_max);
    ::setrlimit(RLIMIT_STACK, &stack);
  }
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  std::signal(SIGPIPE, SIG_IGN);
}

// The kernel keeps a priority for each thread, which those that it starts inherit.
void lower_priority() { ::setpriority(PRIO_PROCESS, 0, std::max(kPriority, ::getpriority(PRIO_PROCESS, 0))); }

void enter_compilation_jail() {
  set_limit(RLIMIT_NOFILE, 0);
  set_limit(RLIMIT_NPROC, 0);
  filter_system_calls();
}

void limit_compilation(std::uint64_t memory_bytes_at_start, std::uint64_t memory_bytes_max,
                       std::uint32_t processor_seconds_max) {
  set_limit(RLIMIT_AS, memory_bytes_at_start + memory_bytes_max);
  rlimit seconds{.rlim_cur = processor_seconds_max, .rlim_max = rlim_t{processor_seconds_max} + 1};
  ::setrlimit(RLIMIT_CPU, &seconds);
}

SmallAddressSpace::SmallAddressSpace() {
  ::getrlimit(RLIMIT_AS, &before_);
  rlimit small = before_;
  small.rlim_cur = std::min<rlim_t>(before_.rlim_max, address_space_bytes() + kWarmUpBytes);
  ::setrlimit(RLIMIT_AS, &small);
}

SmallAddressSpace::~SmallAddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }

std::uint64_t address_space_bytes() {
  std::array<char, 64> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : ::read(file, text.data(), text.size() - 1);
  if (file >= 0) ::close(file);
  const std::uint64_t pages = size <= 0 ? 0 : std::strtoull(text.data(), nullptr, 10);
  return pages == 0 ? kAddressSpaceGuess : pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace petri
