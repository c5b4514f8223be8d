#include "engine/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/files/file.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "engine/engine_tables.h"
#include "engine/sha256.h"

namespace petri {
namespace {

constexpr std::string_view kMark = "petri machine code 1\n";
constexpr std::size_t kSealBytes = 32;
constexpr std::size_t kPathShownBytesMax = 400;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr mode_t kOthersAny = S_IRWXG | S_IRWXO;

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unexpected<Error> refuse(ErrorCode code, const std::string& path, std::string_view why) {
  return fail(
      Error{.code = code, .message = fmt::format("{}: {}", escape_text(path, kPathShownBytesMax), why), .details = {}}
          .with("component", "machine code cache")
          .with("path", path));
}

std::unexpected<Error> refuse_errno(const std::string& path, std::string_view what) {
  return refuse(ErrorCode::io_error, path, fmt::format("{} ({})", what, errno_text(errno)));
}

// A folder of this user, into which nobody else can put a file.
Result<OwnedDescriptor> open_own_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return refuse_errno(path, "the folder cannot be made");
  OwnedDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!folder || ::fstat(folder.get(), &status) != 0) return refuse_errno(path, "the folder cannot be opened");
  if (status.st_uid != ::geteuid()) {
    return refuse(ErrorCode::validation_failed, path,
                  "the folder belongs to another user, who could put machine code into it; name one of your own");
  }
  if ((status.st_mode & kOthersWrite) != 0) {
    return refuse(ErrorCode::validation_failed, path,
                  "others may write this folder and could put machine code into it; chmod go-w it, or name another");
  }
  return folder;
}

bool read_all(int descriptor, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

constexpr std::string_view kNewName = ".petri-new";

std::string new_name() {
  static std::atomic<unsigned> number = 0;
  return fmt::format(".{}.{}{}", ::getpid(), ++number, kNewName);
}

// Puts the pieces into a new file of this name, which appears whole. `replaces` false: a file that is there stays.
bool put_file(int folder, const std::string& name, std::initializer_list<std::string_view> pieces, bool replaces) {
  const std::string beside = new_name();
  const OwnedDescriptor file(
      ::openat(folder, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!file) return false;
  bool put = std::ranges::all_of(pieces, [&](std::string_view piece) { return write_all(file.get(), piece); });
  if (put && replaces) put = ::renameat(folder, beside.c_str(), folder, name.c_str()) == 0;
  if (put && !replaces) put = ::linkat(folder, beside.c_str(), folder, name.c_str(), 0) == 0 || errno == EEXIST;
  ::unlinkat(folder, beside.c_str(), 0);  // it is gone where it was renamed
  return put;
}

// The same time for every difference.
bool is_equal(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<std::uint8_t>(a[i] ^ b[i]);
  return difference == 0;
}

struct KeptFile {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
};

// True if the file is one of the cache's, also one that a killed process did not finish: the folder may be one in which
// others keep what they need.
bool is_ours(std::string_view name) {
  return Sha256::from_hex(name).has_value() || (name.starts_with('.') && name.ends_with(kNewName));
}

std::vector<KeptFile> files_in(int folder) {
  std::vector<KeptFile> files;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, decltype([](DIR* open) { ::closedir(open); })> reading(::fdopendir(copy));
  if (reading == nullptr) return files;
  while (const dirent* entry = ::readdir(reading.get())) {
    if (!is_ours(entry->d_name)) continue;
    struct stat status{};
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({entry->d_name, static_cast<std::uint64_t>(status.st_size), status.st_mtim});
  }
  return files;
}

// The key is made with the first file; two processes that make it at once both use the one that was first.
Result<CodeCache::Key> read_cache_key(const std::string& path) {
  if (path.empty()) {
    return fail(ErrorCode::validation_failed,
                "machine code is kept only with a key of this user, and there is no home for it; set HOME");
  }
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  PETRI_TRY(const OwnedDescriptor folder, open_own_folder(file.parent_path().string()));
  const auto open_key = [&] {
    return OwnedDescriptor(::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  };
  OwnedDescriptor descriptor = open_key();
  CodeCache::Key key{};
  if (!descriptor && errno == ENOENT) {
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
      return refuse_errno(path, "there is no randomness for the key");
    if (!put_file(folder.get(), name, {as_text(key)}, false)) return refuse_errno(path, "the key cannot be written");
    descriptor = open_key();
  }
  struct stat status{};
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0) return refuse_errno(path, "the key cannot be opened");
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & kOthersAny) != 0) {
    return refuse(ErrorCode::validation_failed, path,
                  "the key of the machine code is not this user's alone; remove it, and a new one is made");
  }
  if (status.st_size != static_cast<off_t>(key.size()) || !read_all(descriptor.get(), key)) {
    return refuse(ErrorCode::validation_failed, path,
                  "the key of the machine code is damaged; remove it, and a new one is made");
  }
  return key;
}

}  // namespace

std::string code_key_path() {
  constexpr std::string_view kName = "petri/machine-code.key";
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fmt::format("{}/{}", state, kName);
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? std::string() : fmt::format("{}/.local/state/{}", home, kName);
}

Sha256 code_name(std::span<const std::uint8_t> metered, bool frugal) {
  Sha256Hasher hasher;
  hasher.add(kMark);
  hasher.add(fmt::format("{}\n{}\n{}\n", engine_versions(), frugal ? "frugal" : "usual", metered.size()));
  hasher.add(as_text(metered));
  return hasher.digest();
}

Result<CodeCache> CodeCache::open(const std::string& folder) {
  PETRI_TRY(OwnedDescriptor opened, open_own_folder(folder));
  PETRI_TRY(const Key key, read_cache_key(code_key_path()));
  return CodeCache(std::move(opened), key);
}

// HMAC-SHA256.
Sha256 CodeCache::seal(const Sha256& name, std::span<const std::uint8_t> code) const {
  const auto padded = [this](std::uint8_t pad) {
    std::string block(64, static_cast<char>(pad));
    for (std::size_t i = 0; i < key_.size(); ++i) block[i] = static_cast<char>(key_[i] ^ pad);
    return block;
  };
  Sha256Hasher inner;
  inner.add(padded(0x36));
  inner.add(as_text(name.bytes));
  inner.add(as_text(code));
  const Sha256 inside = inner.digest();
  Sha256Hasher outer;
  outer.add(padded(0x5c));
  outer.add(as_text(inside.bytes));
  return outer.digest();
}

// All of it is read before any of it is believed.
std::optional<std::vector<std::uint8_t>> CodeCache::find(const Sha256& name) const {
  const std::string file_name = name.hex();
  const OwnedDescriptor file(
      ::openat(folder_.get(), file_name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::size_t kHeadBytes = kMark.size() + kSealBytes;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::array<std::uint8_t, kHeadBytes> head{};
  std::vector<std::uint8_t> code;
  const bool fits = size > kHeadBytes && size <= kFileBytesMax && read_all(file.get(), head);
  if (fits) code.resize(size - kHeadBytes);
  const std::span<const std::uint8_t> seal_read = std::span(head).subspan(kMark.size());
  if (!fits || as_text(head).substr(0, kMark.size()) != kMark || !read_all(file.get(), code) ||
      !is_equal(seal(name, code).bytes, seal_read)) {
    ::unlinkat(folder_.get(), file_name.c_str(), 0);
    return std::nullopt;
  }
  ::futimens(file.get(), nullptr);  // it was used now
  return code;
}

void CodeCache::put(const Sha256& name, std::span<const std::uint8_t> code) const {
  if (code.size() > kFileBytesMax - kMark.size() - kSealBytes) return;
  const Sha256 sealed = seal(name, code);
  if (put_file(folder_.get(), name.hex(), {kMark, as_text(sealed.bytes), as_text(code)}, true)) remove_oldest();
}

void CodeCache::remove_oldest() const {
  std::vector<KeptFile> files = files_in(folder_.get());
  std::uint64_t bytes = 0;
  for (const KeptFile& file : files) bytes += file.bytes;
  if (bytes <= kFolderBytesMax) return;
  std::ranges::sort(files, [](const KeptFile& a, const KeptFile& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const KeptFile& file : files) {
    if (bytes <= kFolderBytesMax) return;
    if (::unlinkat(folder_.get(), file.name.c_str(), 0) == 0) bytes -= file.bytes;
  }
}

}  // namespace petri
