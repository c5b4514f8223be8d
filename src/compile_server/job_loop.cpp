#include "compile_server/job_loop.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "compile_server/job_cell.h"
#include "compiler/job_protocol.h"

namespace petri {
namespace {

// The host keeps to fewer.
constexpr int kJobsMax = 64;

struct RunningJob {
  pid_t process = 0;
  int process_descriptor = -1;
  int socket = -1;
  bool hung_up = false;
};

// Plain arrays: this runs inside another program's process, whose allocator is none of its business.
RunningJob jobs[kJobsMax];
int job_count = 0;

void close_all(const JobDescriptors& descriptors) {
  for (const int descriptor : {descriptors.socket, descriptors.messages, descriptors.folder}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

// False once the host has hung up.
bool receive_job(int control, JobDescriptors& job) {
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kJobDescriptors)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  const ssize_t got = ::recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return got < 0 && (errno == EINTR || errno == EAGAIN);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return true;
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  int numbers[kJobDescriptors] = {-1, -1, -1};
  std::memcpy(numbers, CMSG_DATA(header), sizeof(int) * std::min<std::size_t>(count, kJobDescriptors));
  job = {.socket = numbers[kJobSocket], .messages = numbers[kJobMessages], .folder = numbers[kJobFolder]};
  return true;
}

// A mount namespace of its own in a jail: what a job mounts no other job sees. clone() and not unshare(), so that the
// server keeps its own.
pid_t fork_job(bool jailed, Programs programs, int& process_descriptor) {
  const unsigned long flags = CLONE_PIDFD | SIGCHLD | (jailed ? CLONE_NEWNS | CLONE_NEWIPC : 0UL) |
                              (jailed && programs == Programs::any ? CLONE_NEWPID : 0UL);
  return static_cast<pid_t>(::syscall(SYS_clone, flags, nullptr, &process_descriptor, nullptr, 0UL));
}

void report_end(RunningJob& job) {
  int status = 0;
  rusage used{};
  while (::wait4(job.process, &status, 0, &used) < 0 && errno == EINTR) continue;
  const auto microseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
  };
  const JobReport report{.mark = kJobMark,
                         .wait_status = status,
                         .processor_us = microseconds(used.ru_utime) + microseconds(used.ru_stime),
                         .memory_bytes_peak = static_cast<std::uint64_t>(used.ru_maxrss) * 1024};
  ::send(job.socket, &report, sizeof(report), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(job.socket);
  ::close(job.process_descriptor);
  job = jobs[--job_count];
}

void kill_all() {
  while (job_count > 0) {
    ::kill(jobs[job_count - 1].process, SIGKILL);
    report_end(jobs[job_count - 1]);
  }
}

// True in the child, which has the arguments of its job then.
bool start_job(const JobDescriptors& descriptors, bool jailed, Programs programs, std::uint64_t bytes,
               JobArguments& arguments) {
  RunningJob job{.socket = descriptors.socket};
  if (job_count < kJobsMax) job.process = fork_job(jailed, programs, job.process_descriptor);
  if (job_count < kJobsMax && job.process == 0) {
    arguments = enter_cell(descriptors, bytes, programs == Programs::any);
    return true;
  }
  if (job_count == kJobsMax || job.process < 0) {
    close_all(descriptors);  // the host sees that nothing was started
    return false;
  }
  ::close(descriptors.messages);
  if (descriptors.folder >= 0) ::close(descriptors.folder);
  jobs[job_count++] = job;
  return false;
}

// Waits until a job is there, or one has ended or is to be ended. True if the control socket has something to say.
bool wait_for_news(int control) {
  pollfd waits[1 + 2 * kJobsMax];
  waits[0] = {.fd = control, .events = POLLIN, .revents = 0};
  const int watched = job_count;
  for (int index = 0; index < watched; ++index) {
    waits[1 + 2 * index] = {.fd = jobs[index].process_descriptor, .events = POLLIN, .revents = 0};
    waits[2 + 2 * index] = {.fd = jobs[index].hung_up ? -1 : jobs[index].socket, .events = POLLRDHUP, .revents = 0};
  }
  if (::poll(waits, static_cast<nfds_t>(1 + 2 * watched), -1) < 0) return false;
  // From the last to the first, because an end moves the last job to its place.
  for (int index = watched - 1; index >= 0; --index) {
    if (waits[2 + 2 * index].revents != 0) {
      jobs[index].hung_up = true;
      ::kill(jobs[index].process, SIGKILL);
    }
    if (waits[1 + 2 * index].revents != 0) report_end(jobs[index]);
  }
  return waits[0].revents != 0;
}

}  // namespace

int serve_jobs(Main program, char** environment, Programs programs) {
  const bool jailed = std::getenv(kJailedVariable) != nullptr;
  ::unsetenv(kJailedVariable);
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("LD_BIND_NOW");
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const int control = ::fcntl(kControlDescriptor, F_DUPFD_CLOEXEC, 3);
  if (control < 0) return 1;
  const std::uint64_t bytes = address_space_bytes();
  for (;;) {
    JobDescriptors descriptors;
    JobArguments arguments;
    if (!wait_for_news(control)) continue;
    if (!receive_job(control, descriptors)) break;
    if (descriptors.socket < 0 || descriptors.messages < 0) {
      close_all(descriptors);
    } else if (start_job(descriptors, jailed, programs, bytes, arguments)) {
      return program(arguments.count, arguments.texts, environment);
    }
  }
  kill_all();
  return 0;
}

}  // namespace petri
