// The services that the processes of one sandbox, its trees and its timers work with.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "process/account/tree_account.h"
#include "process/mailbox/deterministic_queue.h"
#include "process/turns/cpu_share.h"
#include "process/turns/workers.h"

namespace petri {

// The services that the processes of one sandbox, its trees and its timers use. They outlive their users. Any thread,
// and no lock is taken to answer; what is returned by reference stays the same, so a process may keep it.
class ProcessServices {
 public:
  virtual ~ProcessServices() = default;

  // Held by tasks that are still to run on other threads: the sandbox outlives them.
  virtual std::shared_ptr<void> keep_alive() = 0;
  virtual Workers& workers() = 0;
  // The client that pays for the permits its processes hold; nullptr if it is the host.
  virtual Workers::Client* client() { return nullptr; }
  // Runs a task on a thread of the workers, once the sandbox may have one more thread. Returns a number for hurry(),
  // which runs a task that still waits at once: ends do not wait for other guests.
  virtual std::uint64_t submit(Workers::Task task) {
    workers().submit(std::move(task));
    return 0;
  }
  virtual void hurry(std::uint64_t /*number*/) {}
  virtual TreeAccount& account() = 0;
  virtual CpuShare& cpu_share() = 0;
  virtual const Clock& clock() const = 0;
  // The queue that has the one order of all messages; nullptr if processes run beside one another.
  virtual DeterministicQueue* deterministic_queue() { return nullptr; }
  // Guards the chain of who waits for whom (GuestCalls).
  virtual Mutex& waits() = 0;
};

// The services that every call uses, looked up once: a virtual call for each of them would cost more than its work.
struct KnownServices {
  explicit KnownServices(ProcessServices& services)
      : account(services.account()),
        clock(services.clock()),
        workers(services.workers()),
        client(services.client()),
        queue(services.deterministic_queue()) {}

  TreeAccount& account;
  const Clock& clock;
  Workers& workers;
  Workers::Client* const client;
  DeterministicQueue* const queue;
};

}  // namespace petri
