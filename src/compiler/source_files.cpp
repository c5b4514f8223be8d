#include "compiler/source_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <set>

#include "base/files/file.h"
#include "base/files/owned_descriptor.h"
#include "base/text/escape.h"
#include "compiler/includes.h"
#include "compiler/language.h"
#include "host/files/beneath.h"

namespace petri {
namespace {

// Endings of files that sources include, of no language of their own.
constexpr std::array<std::string_view, 8> kIncludedEndings{".h",   ".hh",  ".hpp", ".hxx",
                                                           ".inc", ".inl", ".def", ".json"};

bool is_wanted(std::string_view path) {
  if (language_of_file(path) != nullptr) return true;
  for (const std::string_view ending : kIncludedEndings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Error folder_error(ErrorCode code, const std::string& folder, const std::string& path, std::string_view why) {
  const std::string name = path.empty() ? folder : folder + "/" + path;
  return Error{.code = code,
               .message = fmt::format("{}: {}", escape_text(name, kPathShownBytesMax), why),
               .details = {{"path", name}}};
}

// Reads a folder and those in it. Names are resolved beneath the folder that was opened, so that nothing that is moved
// or linked meanwhile leads out of it.
class FolderReader {
 public:
  FolderReader(std::string folder, const ReadBounds& bounds) : folder_(std::move(folder)), bounds_(bounds) {}

  Result<SourceFiles> read() {
    root_ = OwnedDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
    if (!root_) return fail(folder_error(ErrorCode::io_error, folder_, "", why_not_opened(errno)));
    std::deque<std::string> waiting{""};
    while (!waiting.empty()) {
      PETRI_TRY(read_one(waiting.front(), waiting));
      waiting.pop_front();
    }
    return std::move(files_);
  }

 private:
  static std::string why_not_opened(int number) {
    if (number == ENOENT) return "there is no such folder";
    if (number == ENOTDIR) return "this is no folder";
    if (number == EACCES) return "you may not read this folder";
    return fmt::format("the folder cannot be read ({})", errno_text(number));
  }

  Result<void> read_one(const std::string& path, std::deque<std::string>& waiting) {
    auto opened = open_beneath(root_.get(), path.empty() ? "." : path, O_RDONLY | O_DIRECTORY);
    if (!opened) return {};  // it was removed or replaced meanwhile, or may not be read
    DIR* const stream = ::fdopendir(opened->release());
    if (stream == nullptr) return fail(folder_error(ErrorCode::io_error, folder_, path, errno_text(errno)));
    const std::unique_ptr<DIR, int (*)(DIR*)> closed(stream, &::closedir);
    while (const dirent* const entry = ::readdir(stream)) {
      const std::string name = entry->d_name;
      if (name.starts_with('.')) continue;
      PETRI_TRY(read_entry(path.empty() ? name : path + "/" + name, waiting));
    }
    return {};
  }

  Result<void> read_entry(const std::string& path, std::deque<std::string>& waiting) {
    auto file = open_beneath(root_.get(), path, O_PATH);
    struct stat status{};
    if (!file || ::fstat(file->get(), &status) != 0) return {};
    if (S_ISDIR(status.st_mode)) {
      if (++entries_ > bounds_.files_max) return too_many(path);
      waiting.push_back(path);
    } else if (S_ISREG(status.st_mode) && is_wanted(path)) {
      return read_source(path, static_cast<std::uint64_t>(status.st_size));
    }
    return {};
  }

  Result<void> read_source(const std::string& path, std::uint64_t size) {
    if (++entries_ > bounds_.files_max) return too_many(path);
    if (size > bounds_.file_bytes_max) return too_large(path, size, bounds_.file_bytes_max, "a source");
    bytes_ += size;
    if (bytes_ > bounds_.folder_bytes_max) return too_large(path, bytes_, bounds_.folder_bytes_max, "the folder");
    auto file = open_beneath(root_.get(), path, O_RDONLY);
    if (!file) return fail(folder_error(ErrorCode::io_error, folder_, path, "you may not read this file"));
    PETRI_TRY(std::string bytes, read_file("/proc/self/fd/" + std::to_string(file->get()), bounds_.file_bytes_max));
    files_.add(path, std::move(bytes));
    return {};
  }

  Result<void> too_many(const std::string& path) const {
    return fail(folder_error(ErrorCode::too_large, folder_, path,
                             fmt::format("the folder has more than {} files and folders", bounds_.files_max)));
  }
  Result<void> too_large(const std::string& path, std::uint64_t size, std::uint64_t max, std::string_view what) const {
    return fail(folder_error(ErrorCode::too_large, folder_, path,
                             fmt::format("{} bytes are more than the {} that {} may have", size, max, what)));
  }

  const std::string folder_;
  const ReadBounds bounds_;
  OwnedDescriptor root_;
  SourceFiles files_;
  std::size_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

// The files beside a source that it includes, found by reading its text.
class IncludedFiles {
 public:
  IncludedFiles(const std::string& folder, const ReadBounds& bounds) : bounds_(bounds) {
    root_ = OwnedDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  }

  void add_all(SourceFiles& files, const std::string& source) {
    if (!root_) return;
    std::deque<std::string> waiting{source};
    for (; !waiting.empty() && files.all().size() < kFilesMax; waiting.pop_front()) {
      for (const std::string& path : quoted_includes(*files.find(waiting.front()), folder_of(waiting.front()))) {
        if (files.find(path) == nullptr && add(files, path)) waiting.push_back(path);
      }
    }
  }

 private:
  static constexpr std::size_t kFilesMax = 200;

  bool add(SourceFiles& files, const std::string& path) const {
    auto file = open_beneath(root_.get(), path, O_RDONLY);
    if (!file) return false;
    auto bytes = read_file("/proc/self/fd/" + std::to_string(file->get()), bounds_.file_bytes_max);
    if (bytes) files.add(path, std::move(*bytes));
    return bytes.has_value();
  }

  const ReadBounds bounds_;
  OwnedDescriptor root_;
};

}  // namespace

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

std::string file_name_of(std::string_view path) {
  std::string name(path.substr(folder_of(path).size()));
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  return name.empty() || name == "." || name == ".." ? "source" : name;
}

std::string stem_of(std::string_view path) {
  const std::string name = file_name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

Result<SourceFiles> read_source_folder(const std::string& folder, const ReadBounds& bounds) {
  if (folder.find('\0') != std::string::npos) {
    return fail(folder_error(ErrorCode::io_error, folder, "", "a path cannot hold a NUL"));
  }
  return FolderReader(folder, bounds).read();
}

std::vector<std::string> source_patterns() {
  std::vector<std::string> patterns;
  for (const SourceLanguage& language : source_languages()) {
    for (const std::string& ending : language.endings) patterns.push_back("*" + ending);
  }
  for (const std::string_view ending : kIncludedEndings) patterns.push_back(fmt::format("*{}", ending));
  return patterns;
}

Result<SourceFiles> read_source_file(const std::string& path, const ReadBounds& bounds) {
  PETRI_TRY(std::string bytes, read_file(path, bounds.file_bytes_max));
  SourceFiles files;
  const std::string name = file_name_of(path);
  files.add(name, std::move(bytes));
  const std::string folder = folder_of(path).empty() ? "." : std::string(folder_of(path));
  IncludedFiles(folder, bounds).add_all(files, name);
  return files;
}

}  // namespace petri
