#include "compiling/worker_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace petri {
namespace {

std::string folder_of_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

bool is_program(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> worker_places(std::string_view option, std::string_view variable, std::string_view folder) {
  if (!option.empty()) return {std::string(option)};
  if (!variable.empty()) return {std::string(variable)};
  return {fmt::format("{}/{}", folder, kWorkerName), fmt::format("{}/../bin/{}", folder, kWorkerName),
          fmt::format("{}/../libexec/petri/{}", folder, kWorkerName)};
}

Result<std::string> find_worker(std::string_view option) {
  const char* const variable = std::getenv(kWorkerVariable);
  const auto places = worker_places(option, variable == nullptr ? "" : variable, folder_of_program());
  const auto found = std::ranges::find_if(places, is_program);
  if (found != places.end()) return *found;
  Error error{.code = ErrorCode::not_found,
              .message = fmt::format("the compile worker is not an executable file at {}; install {} beside the "
                                     "program, or name it with {} or MachineCodeOptions::worker",
                                     fmt::join(places, ", "), kWorkerName, kWorkerVariable),
              .details = {}};
  return fail(std::move(error).with("component", "compile_worker"));
}

}  // namespace petri
