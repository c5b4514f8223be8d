// The compile workers of this process, as the kernel knows them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace petri {

struct WorkerIds {
  pid_t process = 0;
  int socket = -1;
  int process_descriptor = -1;
};

// Registers a worker for as long as it lives. A child that this process forks closes the sockets of all that are
// registered, so that a worker ends with the process that started it. Any thread.
class LiveWorker {
 public:
  explicit LiveWorker(const WorkerIds& ids);
  ~LiveWorker();
  LiveWorker(const LiveWorker&) = delete;
  LiveWorker& operator=(const LiveWorker&) = delete;

 private:
  std::size_t slot_;
};

// The workers that live now: children and descriptors that belong to petri and not to anybody's guest.
std::vector<WorkerIds> live_workers();

}  // namespace petri
