// Finds what compiles C and C++ on this machine, and tries out under which name its C library links.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "compiler/clang/jailed_clang.h"
#include "petri/compile.h"

namespace petri {

struct ReadyClang {
  std::shared_ptr<ClangRunner> runner;
  ClangToolchain toolchain;
  WasiPlatform platform;
  bool jailed = true;
};

// Any thread.
class ClangFinder {
 public:
  explicit ClangFinder(ServerPool& servers) : servers_(servers) {}

  // compilation_failed names packages that are missing, permission_denied says that there is no jail. `headers`: the
  // folder of precompiled headers; empty: none.
  Result<ReadyClang> find(const CompileOptions& options, const std::string& headers);

 private:
  Result<WasiPlatform> platform_that_links(const ClangToolchain& toolchain, const ClangPlace& place) EXCLUDES(mutex_);

  ServerPool& servers_;
  Mutex mutex_;
  std::map<std::string, WasiPlatform> tried_ GUARDED_BY(mutex_);  // by the toolchain's identity
};

}  // namespace petri
