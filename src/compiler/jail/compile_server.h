// A warm compiler: one process in a jail that forks a child for each job.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "base/mutex.h"
#include "compiler/jail/server_job.h"
#include "compiling/live_workers.h"
#include "petri/result.h"

namespace petri {

// The command that starts a server, and whether it stands in a jail.
struct ServerCommand {
  std::vector<std::string> words;
  std::vector<std::string> environment;
  bool jailed = true;
};

// Any thread, several jobs at a time. A thread of its own waits for the end of the process: the kernel kills a jail
// with the thread that started it.
class CompileServer {
 public:
  // host_fault if it cannot be started. What the server itself finds missing shows with its first job.
  static Result<std::unique_ptr<CompileServer>> start(const ServerCommand& command);
  // Kills the server with all its jobs.
  ~CompileServer();
  CompileServer(const CompileServer&) = delete;
  CompileServer& operator=(const CompileServer&) = delete;

  bool is_there() const EXCLUDES(mutex_);
  // io_error: without a jail the job has a folder of its own in the folder for temporary files, which cannot be made.
  Result<ServerJobResult> run(const ServerJob& job);
  void kill() EXCLUDES(mutex_);
  pid_t process() const { return process_; }
  bool is_jailed() const { return jailed_; }

 private:
  CompileServer(OwnedDescriptor control, bool jailed) : control_(std::move(control)), jailed_(jailed) {}
  int spawn(const ServerCommand& command, int socket);

  const OwnedDescriptor control_;
  const bool jailed_;
  pid_t process_ = 0;
  mutable Mutex mutex_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::optional<LiveWorker> live_;
  std::thread keeper_;
};

// The executable petri-compile-server: named by PETRI_COMPILE_SERVER, or beside the program. not_found says so.
Result<std::string> find_compile_server();

}  // namespace petri
