// Runs clang and lld on warm servers in a jail.
#pragma once

#include <optional>
#include <string>

#include "base/mutex.h"
#include "compiler/clang/toolchain.h"
#include "compiler/clang_job.h"
#include "compiler/jail/server_pool.h"

namespace petri {

// Where the compilers of one compile run.
struct ClangPlace {
  std::string bubblewrap;  // empty: without a jail
  std::string server;      // petri-compile-server
  std::string headers;     // the folder of precompiled headers on this machine; empty: there are none
};

// Any thread. Borrows the pool.
class JailedClang final : public ClangRunner {
 public:
  JailedClang(ServerPool& servers, ClangToolchain toolchain, WasiPlatform platform, ClangPlace place)
      : servers_(servers), toolchain_(std::move(toolchain)), platform_(std::move(platform)), place_(std::move(place)) {}

  Result<JobResult> run(const ClangJob& job) override;
  // Starts both servers, so that the linker gets ready while clang compiles.
  Result<void> warm_up();

 private:
  Result<JobResult> run_once(const ClangJob& job);
  ServerCommand command_of(const std::string& program) const;

  ServerPool& servers_;
  const ClangToolchain toolchain_;
  const WasiPlatform platform_;
  const ClangPlace place_;
};

// The error of a job whose jail could not be set up.
std::optional<Error> why_not_started(const ServerJobResult& result);

// How a job ended whose result is called "artifact", by what the server reported and the compiler wrote.
JobResult job_result(ServerJobResult result);

}  // namespace petri
