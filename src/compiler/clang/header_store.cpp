#include "compiler/clang/header_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "base/text/byte_text.h"
#include "compiler/includes.h"
#include "engine/sha256.h"

namespace petri {
namespace {

constexpr std::uint64_t kHeaderBytesMax = std::uint64_t{128} << 20;

// Headers that candidates use; each takes its share of every compile that starts from them.
constexpr std::array<std::string_view, 27> kHeaders{
    "algorithm",        "array",    "bit",     "cctype",  "cmath",       "cstddef",
    "cstdint",          "cstdio",   "cstdlib", "cstring", "deque",       "functional",
    "initializer_list", "iterator", "limits",  "map",     "memory",      "numeric",
    "optional",         "queue",    "set",     "string",  "string_view", "tuple",
    "unordered_map",    "utility",  "vector"};

std::string header_text() {
  std::string text;
  for (const std::string_view header : kHeaders) text += fmt::format("#include <{}>\n", header);
  return text;
}

std::string identity_of_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string sum_key(const std::string& name) { return CacheKey().add("header").add(name).hex(); }

}  // namespace

JobFile standard_headers() {
  static const auto kText = std::make_shared<const std::string>(header_text());
  return {"__petri/standard_headers.h", kText};
}

bool includes_standard_library(std::string_view source) {
  return std::ranges::any_of(angled_includes(source), [](const std::string& name) {
    return std::ranges::find(kHeaders, name) != kHeaders.end();
  });
}

std::string HeaderStore::header_for(const ClangJob& job, ClangRunner& runner, const CacheFolder& cache,
                                    const std::string& identity) {
  CacheKey key;
  key.add("header").add(identity).add(header_text());
  for (const std::string& flag : job.flags) key.add(flag);
  const std::string name = key.hex() + ".pch";
  const CacheUse::Claim claim(use_, name, job.limits.deadline);
  return is_good(cache, name) || make(job, runner, cache, name) ? name : std::string();
}

bool HeaderStore::is_good(const CacheFolder& cache, const std::string& name) {
  const std::string path = cache.headers() + "/" + name;
  const std::string identity = identity_of_file(path);
  if (identity.empty()) return false;
  {
    const MutexLock lock(mutex_);
    if (checked_.contains(identity)) return true;
  }
  bool damaged = false;
  const auto record = cache.find(sum_key(name), damaged);
  const auto bytes = read_file(path, kHeaderBytesMax);
  if (!record || record->size() != 1 || !bytes || record->front() != sha256(as_bytes(*bytes)).hex()) {
    use_.count_damaged();
    return false;
  }
  const MutexLock lock(mutex_);
  checked_.insert(identity);
  return true;
}

bool HeaderStore::make(const ClangJob& job, ClangRunner& runner, const CacheFolder& cache, const std::string& name) {
  ClangJob header{.language = ClangLanguage::cpp,
                  .output = ClangOutput::precompiled_header,
                  .source = standard_headers(),
                  .flags = job.flags,
                  .limits = job.limits};
  header.limits.artifact_bytes_max = kHeaderBytesMax;
  const auto made = runner.run(header);
  if (!made || made->end != JobEnd::done) return false;
  const std::string path = cache.headers() + "/" + name;
  cache.put(sum_key(name), {sha256(as_bytes(made->artifact)).hex()});
  if (replace_file(path, made->artifact, S_IRUSR | S_IWUSR) != 0) return false;
  const MutexLock lock(mutex_);
  checked_.insert(identity_of_file(path));
  return true;
}

}  // namespace petri
