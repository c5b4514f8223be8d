#include "compiler/jail/find_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace petri {
namespace {

bool is_program(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const char* variable, const std::string& name) {
  if (const char* const named = std::getenv(variable); named != nullptr && *named != 0) {
    return is_program(named) ? named : "";
  }
  const char* const folders = std::getenv("PATH");
  std::string_view left = folders == nullptr ? "/usr/bin:/bin" : folders;
  while (!left.empty()) {
    const std::size_t colon = left.find(':');
    const std::string path = std::string(left.substr(0, colon)) + "/" + name;
    if (path.starts_with('/') && is_program(path)) return path;
    left = colon == std::string_view::npos ? std::string_view() : left.substr(colon + 1);
  }
  return {};
}

}  // namespace petri
