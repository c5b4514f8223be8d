#include "compiler/clang/clang_finder.h"

#include "compiler/jail/jail.h"

namespace petri {
namespace {

constexpr std::chrono::seconds kTryMax{20};
constexpr std::uint64_t kTryBytesMax = std::uint64_t{512} << 20;

// Needs headers and libraries of every kind.
constexpr const char* kTried =
    "#include <math.h>\n#include <string.h>\ndouble petri_try(const char* text) { return sin((double)strlen(text)); "
    "}\n";

JobLimits try_limits() {
  return {.deadline = std::chrono::steady_clock::now() + kTryMax,
          .memory_bytes_max = kTryBytesMax,
          .artifact_bytes_max = std::uint64_t{16} << 20,
          .output_bytes_max = 4'096,
          .stop = {}};
}

// True if a small source compiles and links under this name. An Error says that nothing could be tried.
Result<bool> links(ClangRunner& runner) {
  ClangJob compile{.language = ClangLanguage::c,
                   .source = {.path = "try.c", .bytes = std::make_shared<const std::string>(kTried)},
                   .flags = {"-O1"},
                   .limits = try_limits()};
  PETRI_TRY(const JobResult object, runner.run(compile));
  if (object.end != JobEnd::done) return false;
  ClangJob link{.output = ClangOutput::link,
                .files = {{.path = "try.c.o", .bytes = std::make_shared<const std::string>(object.artifact)}},
                .exports = {"petri_try"},
                .limits = try_limits()};
  PETRI_TRY(const JobResult module, runner.run(link));
  return module.end == JobEnd::done;
}

}  // namespace

Result<ReadyClang> ClangFinder::find(const CompileOptions& options, const std::string& headers) {
  PETRI_TRY(ClangToolchain toolchain, find_clang_toolchain());
  ClangPlace place{.headers = headers};
  PETRI_TRY(place.bubblewrap, find_jail(options));
  PETRI_TRY(place.server, find_compile_server());
  PETRI_TRY(WasiPlatform platform, platform_that_links(toolchain, place));
  const bool jailed = !place.bubblewrap.empty();
  auto runner = std::make_shared<JailedClang>(servers_, toolchain, platform, std::move(place));
  PETRI_TRY(runner->warm_up());
  return ReadyClang{.runner = std::move(runner),
                    .toolchain = std::move(toolchain),
                    .platform = std::move(platform),
                    .jailed = jailed};
}

Result<WasiPlatform> ClangFinder::platform_that_links(const ClangToolchain& toolchain, const ClangPlace& place) {
  const MutexLock lock(mutex_);
  const auto known = tried_.find(toolchain.identity);
  if (known != tried_.end()) return known->second;
  for (const WasiPlatform& platform : toolchain.platforms) {
    JailedClang runner(servers_, toolchain, platform, place);
    PETRI_TRY(runner.warm_up());
    PETRI_TRY(const bool good, links(runner));
    if (good) return tried_[toolchain.identity] = platform;
  }
  return fail(ErrorCode::compilation_failed,
              "the clang that is there cannot link a small program for WASI; install wasi-libc, and lld and "
              "libclang-rt of the same version as clang");
}

}  // namespace petri
