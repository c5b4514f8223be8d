#include "compiler/cache/compile_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files/file.h"
#include "base/text/byte_text.h"
#include "compiler/toolbox.h"
#include "engine/sha256.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "petri compile cache 1\n";
constexpr std::size_t kSumBytes = 32;
constexpr std::uint64_t kRecordBytesMax = std::uint64_t{256} << 20;
constexpr std::uint64_t kPutsBetweenLooks = 64;

std::string sum_of(std::string_view bytes) {
  const auto sum = sha256(as_bytes(bytes));
  return {sum.bytes.begin(), sum.bytes.end()};
}

void append_size(std::string& bytes, std::uint64_t size) {
  bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
}

std::optional<std::uint64_t> take_size(std::string_view& bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes.remove_prefix(sizeof(size));
  return size;
}

std::optional<CacheRecord> decode(std::string_view bytes) {
  if (!bytes.starts_with(kMark) || bytes.size() < kMark.size() + kSumBytes) return std::nullopt;
  const std::string_view sum = bytes.substr(kMark.size(), kSumBytes);
  bytes.remove_prefix(kMark.size() + kSumBytes);
  if (sum != sum_of(bytes)) return std::nullopt;
  CacheRecord record;
  while (!bytes.empty()) {
    const auto size = take_size(bytes);
    if (!size || *size > bytes.size()) return std::nullopt;
    record.emplace_back(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
  }
  return record;
}

std::string encode(const CacheRecord& record) {
  std::string body;
  for (const std::string& text : record) {
    append_size(body, text.size());
    body += text;
  }
  return std::string(kMark) + sum_of(body) + body;
}

struct CacheFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

std::vector<CacheFile> files_in(const std::string& folder) {
  std::vector<CacheFile> files;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    CacheFile file{.path = entry->path(), .bytes = entry->file_size(gone), .used = entry->last_write_time(gone)};
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

CacheKey& CacheKey::add(std::string_view text) {
  append_size(bytes_, text.size());
  bytes_ += text;
  return *this;
}

std::string CacheKey::hex() const { return sha256(as_bytes(bytes_)).hex(); }

std::string CacheFolder::path_of(const std::string& key) const {
  return folder_ + "/records/" + key.substr(0, 2) + "/" + key.substr(2);
}

std::optional<CacheRecord> CacheFolder::find(const std::string& key, bool& damaged) const {
  const std::string path = path_of(key);
  const auto bytes = read_file(path, kRecordBytesMax);
  if (!bytes) return std::nullopt;
  auto record = decode(*bytes);
  if (record) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used now
  } else {
    damaged = true;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  return record;
}

void CacheFolder::put(const std::string& key, const CacheRecord& record) const {
  const std::string path = path_of(key);
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (!failed) replace_file(path, encode(record), S_IRUSR | S_IWUSR);
}

std::string CacheFolder::headers() const {
  std::error_code failed;
  fs::create_directories(folder_ + "/headers", failed);
  const fs::path real = failed ? fs::path() : fs::canonical(folder_ + "/headers", failed);
  return failed ? std::string() : real.string();
}

void CacheFolder::remove_oldest() const {
  std::vector<CacheFile> files = files_in(folder_);
  std::uint64_t bytes = 0;
  for (const CacheFile& file : files) bytes += file.bytes;
  if (bytes <= bytes_max_) return;
  std::ranges::sort(files, {}, &CacheFile::used);
  // Some more than is needed, so that the next record does not start this again.
  const std::uint64_t wanted = bytes_max_ - bytes_max_ / 10;
  for (const CacheFile& file : files) {
    if (bytes <= wanted) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    bytes -= file.bytes;
  }
}

void CacheFolder::clear() const {
  std::error_code ignored;
  for (const char* const part : {"/records", "/headers"}) {
    for (const CacheFile& file : files_in(folder_ + part)) fs::remove(file.path, ignored);
  }
}

CompileCacheInfo CacheFolder::info() const {
  CompileCacheInfo info{.folder = folder_, .bytes_max = bytes_max_};
  for (const CacheFile& file : files_in(folder_)) {
    ++info.entries;
    info.bytes += file.bytes;
  }
  return info;
}

std::string cache_folder_of(const CompileOptions& options) {
  if (!options.cache_folder.empty()) return options.cache_folder;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/petri/compile";
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? std::string() : std::string(home) + "/.cache/petri/compile";
}

void CacheUse::count_hit() {
  const MutexLock lock(mutex_);
  ++hits_;
}
void CacheUse::count_miss() {
  const MutexLock lock(mutex_);
  ++misses_;
}
void CacheUse::count_damaged() {
  const MutexLock lock(mutex_);
  ++damaged_;
}
void CacheUse::reset() {
  const MutexLock lock(mutex_);
  hits_ = misses_ = damaged_ = 0;
}
void CacheUse::add_to(CompileCacheInfo& info) const {
  const MutexLock lock(mutex_);
  info.hits = hits_;
  info.misses = misses_;
  info.damaged = damaged_;
}
bool CacheUse::is_due() {
  const MutexLock lock(mutex_);
  return puts_++ % kPutsBetweenLooks == 0;
}

CacheUse::Claim::Claim(CacheUse& use, std::string key, std::chrono::steady_clock::time_point deadline)
    : use_(use), key_(std::move(key)) {
  const MutexLock lock(use_.mutex_);
  while (use_.claimed_.contains(key_)) {
    if (!use_.changed_.wait_until(use_.mutex_, deadline)) return;
  }
  held_ = use_.claimed_.insert(key_).second;
}

CacheUse::Claim::~Claim() {
  if (!held_) return;
  {
    const MutexLock lock(use_.mutex_);
    use_.claimed_.erase(key_);
  }
  use_.changed_.notify_all();
}

Result<CompileCacheInfo> compile_cache_info(const CompileOptions& options) {
  const std::string folder = cache_folder_of(options);
  if (folder.empty()) return fail(ErrorCode::not_found, "there is no cache: neither HOME nor XDG_CACHE_HOME is set");
  CompileCacheInfo info = CacheFolder(folder, options.cache_bytes_max).info();
  shared_toolbox().cache_use().add_to(info);
  return info;
}

Result<CompileCacheInfo> clear_compile_cache(const CompileOptions& options) {
  const std::string folder = cache_folder_of(options);
  if (folder.empty()) return fail(ErrorCode::not_found, "there is no cache: neither HOME nor XDG_CACHE_HOME is set");
  CacheFolder(folder, options.cache_bytes_max).clear();
  shared_toolbox().cache_use().reset();
  return compile_cache_info(options);
}

}  // namespace petri
