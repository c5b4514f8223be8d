#include "compiler/jail/server_pool.h"

#include <algorithm>

namespace petri {
namespace {

std::string key_of(const ServerCommand& command) {
  std::string key;
  for (const std::string& word : command.words) key.append(word).push_back('\0');
  for (const std::string& variable : command.environment) key.append(variable).push_back('\0');
  return key;
}

}  // namespace

Result<ServerPool::Server> ServerPool::server_of(const ServerCommand& command) {
  const std::string key = key_of(command);
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end() && found->server->is_there()) {
    entries_.splice(entries_.begin(), entries_, found);
    return Server{.server = entries_.front().server};
  }
  if (found != entries_.end()) entries_.erase(found);
  PETRI_TRY(std::shared_ptr<CompileServer> server, CompileServer::start(command));
  entries_.push_front({.key = key, .server = server});
  if (entries_.size() > kServersMax) entries_.pop_back();
  return Server{.server = std::move(server), .is_new = true};
}

void ServerPool::give_up(const std::shared_ptr<CompileServer>& server) {
  server->kill();
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.server == server; });
}

// A job cannot end its server, so one that was lost with it, before its deadline, may be run again.
Result<ServerPool::Outcome> ServerPool::run(const ServerCommand& command, const ServerJob& job) {
  for (bool again = false;; again = true) {
    PETRI_TRY(const Server server, server_of(command));
    PETRI_TRY(ServerJobResult result, server.server->run(job));
    const bool lost = result.end == ServerJobEnd::lost;
    if (result.end != ServerJobEnd::not_started && !lost) {
      return Outcome{.result = std::move(result), .is_new = server.is_new || again};
    }
    give_up(server.server);
    const bool in_time = std::chrono::steady_clock::now() < job.limits.deadline && !job.limits.stop.stop_requested();
    if (again || !in_time) return Outcome{.result = std::move(result), .is_new = true};
  }
}

}  // namespace petri
