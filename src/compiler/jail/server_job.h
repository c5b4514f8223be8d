// One job on a compile server: sent over, watched, and its results read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/clang_job.h"
#include "compiler/job_protocol.h"
#include "petri/result.h"

namespace petri {

struct ServerJob {
  std::vector<std::string> arguments;  // the program's, its own name first
  std::vector<JobFile> files;          // below the folder that it starts in
  std::vector<std::string> results;    // names in ../out
  JobLimits limits;
};

enum class ServerJobEnd : std::uint8_t {
  ended,        // by itself: `report` says how
  deadline,     // killed
  stopped,      // killed
  not_started,  // the server was dead already, or took no more jobs: the job may be sent to another one
  lost,         // the server died of it or with it, or did not answer any more
};

struct ServerJobResult {
  ServerJobEnd end = ServerJobEnd::lost;
  JobReport report;
  std::map<std::string, std::string> files;  // of `results`, those that are there
  bool file_too_large = false;               // one of them is above artifact_bytes_max
  std::string messages;
  std::size_t messages_cut = 0;
};

// `folder`: where the job works, without a jail; else -1. Blocks until the job is dead, or the server is `lost`.
ServerJobResult run_on_server(int control, const ServerJob& job, int folder);

}  // namespace petri
