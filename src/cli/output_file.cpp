#include "cli/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "cli/input_file.h"

namespace petri::cli {
namespace {

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::filesystem::path normal(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).lexically_normal();
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  const auto a_status = status_of(a);
  const auto b_status = status_of(b);
  if (!a_status || !b_status) return !a_status && !b_status && normal(a) == normal(b);
  return S_ISREG(a_status->st_mode) && is_same(*a_status, *b_status);
}

Result<void> check_output(const std::string& output, std::span<const std::string> inputs) {
  const auto status = status_of(output);
  if (output.empty() || !status || !S_ISREG(status->st_mode)) return {};
  for (const std::string& input : inputs) {
    const auto other = status_of(input);
    if (!other || !is_same(*status, *other)) continue;
    return fail(Error{.code = ErrorCode::validation_failed,
                      .message = fmt::format("{}: this file is read, and writing to it would destroy it; name another",
                                             file_title(output)),
                      .details = {}}
                    .with("path", output));
  }
  return {};
}

}  // namespace petri::cli
