// One piece of work for clang or lld, and who does it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "petri/compile.h"
#include "petri/result.h"

namespace petri {

enum class ClangLanguage : std::uint8_t { c, cpp };

// object: source to an object file. link: objects to a module. precompiled_header: a header to what
// `ClangJob::precompiled_header` takes.
enum class ClangOutput : std::uint8_t { object, link, precompiled_header };

// A file as the compiler sees it. The path is relative to the source folder inside the jail, and so is each name in
// diagnostics and dependency lists; it has no `..`, no leading slash and no byte below 0x20.
struct JobFile {
  std::string path;
  std::shared_ptr<const std::string> bytes;
};

// Bounds of one job. Beyond one of them it is ended, with everything that it started.
struct JobLimits {
  std::chrono::steady_clock::time_point deadline;
  std::uint64_t memory_bytes_max = 0;    // of each process: RLIMIT_AS beyond what a warm server has already
  std::uint64_t artifact_bytes_max = 0;  // bytes that come back, and of any file that is written meanwhile
  std::size_t output_bytes_max = 0;      // of messages; the rest is counted
  std::stop_token stop;
};

// Everything that decides about the result is in here, but for the toolchain itself. Source goes over as bytes and is
// never on a command line.
struct ClangJob {
  ClangLanguage language = ClangLanguage::c;
  ClangOutput output = ClangOutput::object;
  JobFile source;              // the translation unit; none for `link`
  std::vector<JobFile> files;  // others of the folder that it may include; for `link` the objects, in order
  // Include folders, relative to the source folder; it is one itself, and so is the folder of the source.
  std::vector<std::string> include_folders;
  // Flags of the compiler itself, from the closed list (clang_flags.h), checked by whoever made the job. What is the
  // same for all jobs (target, no exceptions, reactor, line tables) the runner adds: clang_arguments.h.
  std::vector<std::string> flags;
  // For `link`: functions and data to export if they are defined, whatever their visibility.
  std::vector<std::string> exports;
  bool dependencies = true;  // of an object: the list is wanted
  bool command = false;      // it has a main(): `_start` in place of `_initialize`
  bool has_cpp = false;      // for `link`: an object is C++
  // The precompiled header to start from, as the name of a file in the folder that jails see as kHeaderFolder; empty:
  // none.
  std::string precompiled_header;
  JobLimits limits;
};

enum class JobEnd : std::uint8_t {
  done,       // the artifact is there
  failed,     // the compiler found errors: they are in `output`
  deadline,   // time_max
  memory,     // memory_bytes_max
  size,       // artifact_bytes_max
  processor,  // the limit on processor time
  crashed,    // the compiler died of a signal; `detail` says which
  stopped,    // by the stop token
};

struct JobResult {
  JobEnd end = JobEnd::failed;
  std::string artifact;        // bytes of the module, the object or the header
  std::string output;          // the compiler's messages, as text, at most output_bytes_max
  std::size_t output_cut = 0;  // bytes beyond
  // Files of the source folder that the compiler read, as it lists them itself.
  std::vector<std::string> dependencies;
  bool has_dependencies = false;  // there is a list
  std::string detail;
  CompileStrategy strategy = CompileStrategy::jail;
  std::chrono::nanoseconds processor_time{};
  std::uint64_t memory_bytes_peak = 0;
};

// Any thread, many jobs at a time.
class ClangRunner {
 public:
  virtual ~ClangRunner() = default;
  // An Error says that the job was never started: the toolchain, the jail or the server is not there. When this
  // returns, nothing that it started for the job is alive.
  virtual Result<JobResult> run(const ClangJob& job) = 0;
};

}  // namespace petri
