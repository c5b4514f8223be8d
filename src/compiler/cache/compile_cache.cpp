#include "compiler/cache/compile_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "base/files/file.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "compiler/toolbox.h"
#include "engine/sha256.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "petri compile cache 2\n";
constexpr std::size_t kSumBytes = 32;
constexpr std::uint64_t kRecordBytesMax = std::uint64_t{256} << 20;
constexpr std::uint64_t kPutsBetweenLooks = 64;

// The sum covers the key, so that a record under another key's name is a miss.
std::string sum_of(const std::string& key, std::string_view body) {
  const auto sum = sha256(as_bytes(key + std::string(body)));
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

std::optional<CacheRecord> decode(const std::string& key, std::string_view bytes) {
  if (!bytes.starts_with(kMark) || bytes.size() < kMark.size() + kSumBytes) return std::nullopt;
  const std::string_view sum = bytes.substr(kMark.size(), kSumBytes);
  bytes.remove_prefix(kMark.size() + kSumBytes);
  if (sum != sum_of(key, bytes)) return std::nullopt;
  CacheRecord record;
  while (!bytes.empty()) {
    const auto size = take_size(bytes);
    if (!size || *size > bytes.size()) return std::nullopt;
    record.emplace_back(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
  }
  return record;
}

std::string encode(const std::string& key, const CacheRecord& record) {
  std::string body;
  for (const std::string& text : record) {
    append_size(body, text.size());
    body += text;
  }
  return std::string(kMark) + sum_of(key, body) + body;
}

struct CacheFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// True if the file is a record or a precompiled header: the folder may be one in which others keep what they need.
bool is_ours(const fs::path& path) {
  constexpr std::size_t kNameBytesMin = 62;  // a hash, whose first two digits may be a folder
  const std::string name = path.stem().string();
  const bool known = path.extension().empty() || path.extension() == ".pch";
  return known && name.size() >= kNameBytesMin && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::vector<CacheFile> files_in(const std::string& folder) {
  std::vector<CacheFile> files;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone) || !is_ours(entry->path())) continue;
    CacheFile file{.path = entry->path(), .bytes = entry->file_size(gone), .used = entry->last_write_time(gone)};
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

std::vector<CacheFile> all_files_of(const std::string& cache) {
  std::vector<CacheFile> files = files_in(cache + "/records");
  std::ranges::move(files_in(cache + "/headers"), std::back_inserter(files));
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
  auto record = decode(key, *bytes);
  if (record) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used now
  } else {
    damaged = true;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  return record;
}

// For this user alone, whatever the mask of the process is.
void CacheFolder::make() const {
  if (::mkdir(folder_.c_str(), S_IRWXU) == 0 || errno != ENOENT) return;
  std::error_code ignored;
  fs::create_directories(fs::path(folder_).parent_path(), ignored);
  ::mkdir(folder_.c_str(), S_IRWXU);
}

void CacheFolder::put(const std::string& key, const CacheRecord& record) const {
  const std::string path = path_of(key);
  make();
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (!failed) replace_file(path, encode(key, record), S_IRUSR | S_IWUSR);
}

std::string CacheFolder::headers() const {
  make();
  std::error_code failed;
  fs::create_directories(folder_ + "/headers", failed);
  const fs::path real = failed ? fs::path() : fs::canonical(folder_ + "/headers", failed);
  return failed ? std::string() : real.string();
}

void CacheFolder::remove_oldest() const {
  std::vector<CacheFile> files = all_files_of(folder_);
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
  for (const CacheFile& file : all_files_of(folder_)) fs::remove(file.path, ignored);
}

CompileCacheInfo CacheFolder::info() const {
  CompileCacheInfo info{.folder = folder_, .bytes_max = bytes_max_};
  for (const CacheFile& file : all_files_of(folder_)) {
    ++info.entries;
    info.bytes += file.bytes;
  }
  return info;
}

namespace {

// Records are trusted as far as the folder is: whoever can write there can forge both code and checksum.
bool is_safe(const std::string& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return true;  // it will be made
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string named_folder(const CompileOptions& options) {
  if (!options.cache_folder.empty()) return options.cache_folder;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/petri/compile";
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? std::string() : std::string(home) + "/.cache/petri/compile";
}

Result<std::string> folder_to_show(const CompileOptions& options) {
  std::string folder = named_folder(options);
  if (folder.empty()) return fail(ErrorCode::not_found, "there is no cache: neither HOME nor XDG_CACHE_HOME is set");
  if (is_safe(folder)) return folder;
  const std::string shown = escape_text(folder, kPathShownBytesMax);
  return fail(
      Error{.code = ErrorCode::permission_denied,
            .message = fmt::format("{}: others can write to this folder, so nothing is kept there or taken from "
                                   "it; make it yours alone with chmod 700, or name another in XDG_CACHE_HOME",
                                   shown),
            .details = {{"path", folder}}});
}

}  // namespace

std::string cache_folder_of(const CompileOptions& options) {
  std::string folder = named_folder(options);
  return is_safe(folder) ? folder : std::string();
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
  PETRI_TRY(const std::string folder, folder_to_show(options));
  CompileCacheInfo info = CacheFolder(folder, options.cache_bytes_max).info();
  shared_toolbox().cache_use().add_to(info);
  return info;
}

Result<CompileCacheInfo> clear_compile_cache(const CompileOptions& options) {
  PETRI_TRY(const std::string folder, folder_to_show(options));
  CacheFolder(folder, options.cache_bytes_max).clear();
  shared_toolbox().cache_use().reset();
  return compile_cache_info(options);
}

}  // namespace petri
