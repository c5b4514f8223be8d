#include "compiler/jail/server_job.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/files/file.h"
#include "base/files/owned_descriptor.h"
#include "host/files/beneath.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// A server kills a job at once; one that does not say so within this time is given up.
constexpr milliseconds kKillMax{200};

// Processor time beyond the time that is left, so that the clock on the wall is met first.
constexpr std::uint32_t kProcessorSecondsMore = 2;

template <typename T>
void append_value(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string body_of(const ServerJob& job) {
  std::string body;
  for (const std::string& argument : job.arguments) body.append(argument.c_str(), argument.size() + 1);
  for (const JobFile& file : job.files) {
    append_value(
        body, JobFileHeader{.path_bytes = static_cast<std::uint32_t>(file.path.size()), .bytes = file.bytes->size()});
    body.append(file.path).append(*file.bytes);
  }
  return body;
}

std::string request_of(const ServerJob& job) {
  const std::string body = body_of(job);
  const auto left = std::chrono::ceil<std::chrono::seconds>(job.limits.deadline - Steady::now());
  const auto seconds = static_cast<std::uint32_t>(std::clamp<std::int64_t>(left.count(), 1, 86'400));
  JobHeader header{.mark = kJobMark,
                   .arguments = static_cast<std::uint32_t>(job.arguments.size()),
                   .files = static_cast<std::uint32_t>(job.files.size()),
                   .processor_seconds_max = seconds + kProcessorSecondsMore,
                   .memory_bytes_max = job.limits.memory_bytes_max,
                   .file_bytes_max = job.limits.artifact_bytes_max,
                   .folder_bytes_max = body.size() + 2 * job.limits.artifact_bytes_max + (std::uint64_t{4} << 20),
                   .body_bytes = body.size()};
  std::string request;
  append_value(request, header);
  return request + body;
}

struct Pair {
  OwnedDescriptor ours;
  OwnedDescriptor theirs;
};

Pair socket_pair() {
  std::array<int, 2> ends{-1, -1};
  static_cast<void>(!::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()));
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

Pair message_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

bool send_descriptors(int control, int socket, int messages, int folder) {
  const std::array<int, kJobDescriptors> numbers{socket, messages, folder};
  const std::size_t count = folder < 0 ? 2 : 3;
  char byte = 'j';
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kJobDescriptors)> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  std::memcpy(CMSG_DATA(header), numbers.data(), sizeof(int) * count);
  return ::sendmsg(control, &message, MSG_NOSIGNAL) == 1;
}

// A job that was sent, until its report is there or will never be.
class Watch {
 public:
  Watch(int socket, int messages, const ServerJob& job)
      : socket_(socket), messages_(messages), job_(job), request_(request_of(job)) {}

  ServerJobResult run() {
    const std::stop_callback on_stop(job_.limits.stop, [this] { ::shutdown(socket_, SHUT_WR); });
    while (!reported_ && !gone_) step();
    read_messages();  // what was written last
    result_.end = end();
    if (output_) read_results();
    return std::move(result_);
  }

 private:
  ServerJobEnd end() const {
    if (!reported_) return started_ || killed_at_ ? ServerJobEnd::lost : ServerJobEnd::not_started;
    if (job_.limits.stop.stop_requested()) return ServerJobEnd::stopped;
    return killed_at_ ? ServerJobEnd::deadline : ServerJobEnd::ended;
  }

  void step() {
    const bool sending = sent_ < request_.size();
    std::array<pollfd, 2> waits{
        pollfd{.fd = socket_, .events = static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), .revents = 0},
        pollfd{.fd = messages_open_ ? messages_ : -1, .events = POLLIN, .revents = 0}};
    const Steady::time_point until = killed_at_ ? *killed_at_ + kKillMax : job_.limits.deadline;
    const auto left = std::chrono::ceil<milliseconds>(until - Steady::now()).count();
    ::poll(waits.data(), waits.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
    if (waits[1].revents != 0) read_messages();
    if ((waits[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive();
    if (sending && (waits[0].revents & POLLOUT) != 0) send();
    if (Steady::now() >= until) pass();
  }

  // The deadline has passed, or the time in which a killed job is reported.
  void pass() {
    if (killed_at_) {
      gone_ = true;
    } else if (!reported_) {
      killed_at_ = Steady::now();
      ::shutdown(socket_, SHUT_WR);
    }
  }

  void send() {
    const ssize_t sent = ::send(socket_, request_.data() + sent_, request_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      sent_ += static_cast<std::size_t>(sent);
    } else if (errno != EAGAIN && errno != EINTR) {
      sent_ = request_.size();  // nobody reads it any more; a report or an end follows
    }
  }

  void receive() {
    if (!started_) {
      receive_start();
    } else {
      receive_report();
    }
  }

  // The job has started, or its report comes right away because it could not.
  void receive_start() {
    char byte = 0;
    iovec part{.iov_base = &byte, .iov_len = 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    if (::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1 && byte != kJobStarted) {
      started_ = true;
      return receive_report();
    }
    const ssize_t got = ::recvmsg(socket_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got == 1) {
      started_ = true;
      const cmsghdr* const header = CMSG_FIRSTHDR(&message);
      int folder = -1;
      if (header != nullptr && header->cmsg_type == SCM_RIGHTS) std::memcpy(&folder, CMSG_DATA(header), sizeof(int));
      output_ = OwnedDescriptor(folder);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      gone_ = true;
    }
  }

  void receive_report() {
    auto* const bytes = reinterpret_cast<char*>(&result_.report);
    const ssize_t got = ::recv(socket_, bytes + report_bytes_, sizeof(JobReport) - report_bytes_, MSG_DONTWAIT);
    if (got > 0) report_bytes_ += static_cast<std::size_t>(got);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
    reported_ = report_bytes_ == sizeof(JobReport) && result_.report.mark == kJobMark;
  }

  void read_messages() {
    std::array<char, 16'384> piece;
    for (;;) {
      const ssize_t got = ::read(messages_, piece.data(), piece.size());
      if (got == 0) messages_open_ = false;
      if (got <= 0) return;
      const std::size_t room = job_.limits.output_bytes_max - result_.messages.size();
      const std::size_t kept = std::min(room, static_cast<std::size_t>(got));
      result_.messages.append(piece.data(), kept);
      result_.messages_cut += static_cast<std::size_t>(got) - kept;
    }
  }

  void read_results() {
    for (const std::string& name : job_.results) {
      auto file = open_beneath(output_.get(), name, O_RDONLY);
      if (!file) continue;
      auto bytes = read_file("/proc/self/fd/" + std::to_string(file->get()), job_.limits.artifact_bytes_max);
      if (bytes) result_.files[name] = std::move(*bytes);
      if (!bytes && bytes.error().code == ErrorCode::too_large) result_.file_too_large = true;
    }
  }

  const int socket_;
  const int messages_;
  const ServerJob& job_;
  const std::string request_;
  std::size_t sent_ = 0;
  std::size_t report_bytes_ = 0;
  bool started_ = false;
  bool reported_ = false;
  bool gone_ = false;
  bool messages_open_ = true;
  std::optional<Steady::time_point> killed_at_;
  OwnedDescriptor output_;
  ServerJobResult result_;
};

}  // namespace

ServerJobResult run_on_server(int control, const ServerJob& job, int folder) {
  Pair socket = socket_pair();
  Pair messages = message_pipe();
  if (!socket.ours || !messages.ours ||
      !send_descriptors(control, socket.theirs.get(), messages.theirs.get(), folder)) {
    return {.end = ServerJobEnd::not_started, .report = {}};
  }
  socket.theirs = OwnedDescriptor();
  messages.theirs = OwnedDescriptor();
  return Watch(socket.ours.get(), messages.ours.get(), job).run();
}

}  // namespace petri
