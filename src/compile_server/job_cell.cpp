#include "compile_server/job_cell.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/job_protocol.h"

namespace petri {
namespace {

constexpr int kPriority = 5;
constexpr rlim_t kDescriptorsMax = 256;
constexpr rlim_t kProcessesMax = 64;
constexpr rlim_t kStackBytes = rlim_t{64} << 20;
// Each thread of a program takes as much from its limit of memory.
constexpr rlim_t kProgramStackBytes = rlim_t{8} << 20;
// A request is never larger: its host bounds sources far below.
constexpr std::uint64_t kBodyBytesMax = std::uint64_t{1} << 30;
constexpr std::uint32_t kArgumentsMax = 10'000;

int messages = -1;

[[noreturn]] void give_up(const char* what) {
  char text[200];
  const int size = std::snprintf(text, sizeof(text), "%s: %s\n", what, std::strerror(errno));
  if (size > 0) static_cast<void>(!::write(messages, text, static_cast<std::size_t>(size)));
  ::_exit(kJobNotStarted);
}

void need(bool ok, const char* what) {
  if (!ok) give_up(what);
}

void read_all(int socket, void* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::read(socket, static_cast<char*>(data) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(kJobNotStarted);  // the host has gone
    done += static_cast<std::size_t>(got);
  }
}

// The bytes of a request. What does not fit into them ends the child.
class Body {
 public:
  Body(char* bytes, std::uint64_t size) : at_(bytes), left_(size) {}

  char* take(std::uint64_t size) {
    errno = EPROTO;
    need(size <= left_, "the request is too short");
    char* const taken = at_;
    at_ += size;
    left_ -= size;
    return taken;
  }
  char* take_text() {
    const void* const end = std::memchr(at_, 0, left_);
    errno = EPROTO;
    need(end != nullptr, "the request has a text without an end");
    return take(static_cast<std::uint64_t>(static_cast<const char*>(end) - at_) + 1);
  }
  template <typename T>
  T take_value() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }

 private:
  char* at_;
  std::uint64_t left_;
};

// The mounts of the jail stay as they are for this job alone, without the right to change them, which goes next.
void mount_work_folder(std::uint64_t bytes_max) {
  need(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "the jail's mounts cannot be made private");
  char options[64];
  std::snprintf(options, sizeof(options), "size=%llu,mode=0700", static_cast<unsigned long long>(bytes_max));
  need(::mount("tmpfs", kJailWorkFolder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0,
       "a file system for the job cannot be mounted");
  need(::chdir(kJailWorkFolder) == 0, "the job's folder cannot be entered");
}

void make_folders(const char* path) {
  char partial[4096];
  for (std::size_t index = 0; path[index] != 0 && index + 1 < sizeof(partial); ++index) {
    if (path[index] == '/' && index > 0) {
      partial[index] = 0;
      need(::mkdir(partial, 0700) == 0 || errno == EEXIST, "a folder for sources cannot be made");
    }
    partial[index] = path[index];
  }
}

void write_source(const char* path, const char* bytes, std::uint64_t size) {
  make_folders(path);
  const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
  need(file >= 0, "a source cannot be written");
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t written = ::write(file, bytes + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    need(written > 0, "a source cannot be written");
    done += static_cast<std::uint64_t>(written);
  }
  ::close(file);
}

void write_sources(Body& body, std::uint32_t count) {
  need(::mkdir(kJobSourceFolder, 0700) == 0 && ::mkdir(kJobOutputFolder, 0700) == 0,
       "the job's folders cannot be made");
  need(::chdir(kJobSourceFolder) == 0, "the job's folder cannot be entered");
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto header = body.take_value<JobFileHeader>();
    char path[4096];
    errno = ENAMETOOLONG;
    need(header.path_bytes < sizeof(path), "a source cannot be written");
    std::memcpy(path, body.take(header.path_bytes), header.path_bytes);
    path[header.path_bytes] = 0;
    write_source(path, body.take(header.bytes), header.bytes);
  }
}

void send_output_folder(int socket) {
  int folder = ::open("../out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  need(folder >= 0, "the folder of results cannot be opened");
  char byte = kJobStarted;
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &folder, sizeof(int));
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) != 1) ::_exit(kJobNotStarted);
}

// Standard input is empty, both outputs are the job's messages, and nothing else is open: neither the job's socket,
// where a report could be forged, nor the server's.
void keep_messages_only() {
  int ends[2];
  need(::pipe(ends) == 0, "the job's descriptors cannot be set up");
  need(::dup2(ends[0], STDIN_FILENO) >= 0, "the job's descriptors cannot be set up");
  need(::dup2(messages, STDOUT_FILENO) >= 0 && ::dup2(messages, STDERR_FILENO) >= 0,
       "the job's descriptors cannot be set up");
  messages = STDERR_FILENO;
  if (::syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {
    for (int descriptor = 3; descriptor < 1024; ++descriptor) ::close(descriptor);
  }
}

void set_limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  const auto kind = static_cast<__rlimit_resource_t>(resource);
  if (::getrlimit(kind, &limit) != 0) return;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  limit.rlim_max = hard < limit.rlim_max ? hard : limit.rlim_max;
  need(::setrlimit(kind, &limit) == 0, "a limit cannot be set");
}

void set_limits(const JobHeader& header, std::uint64_t server_bytes, bool any_program) {
  ::setpriority(PRIO_PROCESS, 0, kPriority);
  set_limit(RLIMIT_CORE, 0, 0);
  const rlim_t stack_bytes = any_program ? kProgramStackBytes : kStackBytes;
  set_limit(RLIMIT_STACK, stack_bytes, stack_bytes);
  set_limit(RLIMIT_NOFILE, kDescriptorsMax, kDescriptorsMax);
  set_limit(RLIMIT_FSIZE, header.file_bytes_max, header.file_bytes_max);
  set_limit(RLIMIT_CPU, header.processor_seconds_max, rlim_t{header.processor_seconds_max} + 1);
  const rlim_t bytes = server_bytes + header.memory_bytes_max;
  set_limit(any_program ? RLIMIT_DATA : RLIMIT_AS, bytes, bytes);
  if (any_program) set_limit(RLIMIT_NPROC, kProcessesMax, kProcessesMax);
}

void drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  need(::syscall(SYS_capset, &header, data) == 0, "the job's rights cannot be given up");
}

// Files below the jail, memory, threads of its own, and its end. No process, no socket, no mount, no tracing.
constexpr int kAllowed[] = {SYS_read,
                            SYS_write,
                            SYS_pread64,
                            SYS_pwrite64,
                            SYS_readv,
                            SYS_writev,
                            SYS_open,
                            SYS_openat,
                            SYS_close,
                            SYS_stat,
                            SYS_fstat,
                            SYS_lstat,
                            SYS_newfstatat,
                            SYS_statx,
                            SYS_access,
                            SYS_faccessat,
                            SYS_faccessat2,
                            SYS_lseek,
                            SYS_mmap,
                            SYS_munmap,
                            SYS_mremap,
                            SYS_mprotect,
                            SYS_madvise,
                            SYS_brk,
                            SYS_futex,
                            SYS_exit,
                            SYS_exit_group,
                            SYS_getpid,
                            SYS_gettid,
                            SYS_getuid,
                            SYS_geteuid,
                            SYS_getgid,
                            SYS_getegid,
                            SYS_rt_sigaction,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigreturn,
                            SYS_sigaltstack,
                            SYS_clock_gettime,
                            SYS_clock_getres,
                            SYS_gettimeofday,
                            SYS_getrandom,
                            SYS_sched_yield,
                            SYS_sched_getaffinity,
                            SYS_restart_syscall,
                            SYS_getcwd,
                            SYS_unlink,
                            SYS_unlinkat,
                            SYS_rename,
                            SYS_renameat,
                            SYS_renameat2,
                            SYS_mkdir,
                            SYS_mkdirat,
                            SYS_ftruncate,
                            SYS_fallocate,
                            SYS_fcntl,
                            SYS_dup,
                            SYS_dup2,
                            SYS_readlink,
                            SYS_readlinkat,
                            SYS_umask,
                            SYS_chmod,
                            SYS_fchmod,
                            SYS_uname,
                            SYS_sysinfo,
                            SYS_getrusage,
                            SYS_times,
                            SYS_getrlimit,
                            SYS_prlimit64,
                            SYS_statfs,
                            SYS_fstatfs,
                            SYS_poll,
                            SYS_set_robust_list,
                            SYS_rseq,
                            SYS_getdents64,
                            SYS_prctl,
                            SYS_set_tid_address,
                            SYS_membarrier,
                            SYS_fadvise64};

sock_filter load(std::size_t offset) {
  return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer(std::uint32_t action) { return sock_filter BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter skip_unless(std::uint32_t value, std::uint8_t over) {
  return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, over);
}

void filter_system_calls() {
#if defined(__x86_64__)
  constexpr std::size_t kRules = sizeof(kAllowed) / sizeof(kAllowed[0]);
  sock_filter filter[2 * kRules + 20];
  unsigned short size = 0;
  const auto add = [&](const sock_filter& rule) { filter[size++] = rule; };
  add(load(offsetof(seccomp_data, arch)));
  add(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  add(answer(SECCOMP_RET_KILL_PROCESS));
  add(load(offsetof(seccomp_data, nr)));
  for (const int call : kAllowed) {
    add(skip_unless(static_cast<std::uint32_t>(call), 1));
    add(answer(SECCOMP_RET_ALLOW));
  }
  // A signal only to itself, which is how abort() ends.
  add(skip_unless(SYS_tgkill, 4));
  add(load(offsetof(seccomp_data, args[0])));
  add(skip_unless(static_cast<std::uint32_t>(::getpid()), 1));
  add(answer(SECCOMP_RET_ALLOW));
  add(answer(SECCOMP_RET_ERRNO | EPERM));
  // clone() only for threads; clone3() hides its flags, and libraries do without it.
  add(skip_unless(SYS_clone, 4));
  add(load(offsetof(seccomp_data, args[0])));
  add(sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  add(answer(SECCOMP_RET_ALLOW));
  add(answer(SECCOMP_RET_ERRNO | EPERM));
  add(skip_unless(SYS_ioctl, 1));
  add(answer(SECCOMP_RET_ERRNO | ENOTTY));
  add(answer(SECCOMP_RET_ERRNO | ENOSYS));
  const sock_fprog program{.len = size, .filter = filter};
  need(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, "the filter of system calls cannot be set");
#endif
}

}  // namespace

JobArguments enter_cell(const JobDescriptors& descriptors, std::uint64_t server_bytes, bool any_program) {
  messages = descriptors.messages;
  JobHeader header;
  read_all(descriptors.socket, &header, sizeof(header));
  errno = EPROTO;
  need(header.mark == kJobMark && header.body_bytes <= kBodyBytesMax && header.arguments <= kArgumentsMax,
       "the request is not of this version");
  void* const bytes =
      ::mmap(nullptr, header.body_bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  need(bytes != MAP_FAILED, "there is no memory for the request");
  read_all(descriptors.socket, bytes, header.body_bytes);

  Body body(static_cast<char*>(bytes), header.body_bytes);
  auto** const texts = static_cast<char**>(std::calloc(header.arguments + 1, sizeof(char*)));
  need(texts != nullptr, "there is no memory for the request");
  for (std::uint32_t index = 0; index < header.arguments; ++index) texts[index] = body.take_text();

  if (descriptors.folder < 0) {
    mount_work_folder(header.folder_bytes_max);
  } else {
    need(::fchdir(descriptors.folder) == 0, "the job's folder cannot be entered");
  }
  write_sources(body, header.files);
  send_output_folder(descriptors.socket);
  keep_messages_only();
  set_limits(header, server_bytes + header.body_bytes, any_program);
  drop_capabilities();
  if (!any_program) filter_system_calls();
  return {.count = static_cast<int>(header.arguments), .texts = texts};
}

std::uint64_t address_space_bytes() {
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << 40;
  while (high - low > (std::uint64_t{1} << 16)) {
    const std::uint64_t middle = low + (high - low) / 2;
    const rlimit tried{.rlim_cur = middle, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_AS, &tried);
    void* const page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      low = middle;
    } else {
      ::munmap(page, 4096);
      high = middle;
    }
  }
  ::setrlimit(RLIMIT_AS, &before);
  return high;
}

}  // namespace petri
