// The compile servers of this process, by the command that starts them: started at first use, replaced when they die.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "compiler/jail/compile_server.h"

namespace petri {

// Any thread.
class ServerPool {
 public:
  struct Server {
    std::shared_ptr<CompileServer> server;
    bool is_new = false;  // it was started by this call
  };
  // The server of this command, started if there is none that lives.
  Result<Server> server_of(const ServerCommand& command) EXCLUDES(mutex_);
  // Kills a server that does not answer; the next job starts another.
  void give_up(const std::shared_ptr<CompileServer>& server) EXCLUDES(mutex_);
  // Runs a job on the server of this command, and once more on a new one if that died before the job's end.
  struct Outcome {
    ServerJobResult result;
    bool is_new = false;
  };
  Result<Outcome> run(const ServerCommand& command, const ServerJob& job);

 private:
  // Beyond, the one that was used longest ago is ended: a toolchain or a cache folder was changed.
  static constexpr std::size_t kServersMax = 8;

  struct Entry {
    std::string key;
    std::shared_ptr<CompileServer> server;
  };
  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // used last comes first
};

}  // namespace petri
