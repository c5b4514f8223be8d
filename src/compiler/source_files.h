// The sources of one compile: read once, so that what is hashed is what is compiled, whatever happens to the files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

// Files by their path relative to the source folder. Immutable once it is shared.
class SourceFiles {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  void add(std::string path, std::string bytes) {
    files_[std::move(path)] = std::make_shared<const std::string>(std::move(bytes));
  }
  // nullptr if there is no such file.
  Bytes find(std::string_view path) const {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : found->second;
  }
  const std::map<std::string, Bytes, std::less<>>& all() const { return files_; }

 private:
  std::map<std::string, Bytes, std::less<>> files_;
};

struct ReadBounds {
  std::uint64_t file_bytes_max = 0;
  std::uint64_t folder_bytes_max = 0;
  std::size_t files_max = 10'000;
};

// All regular files below a folder whose names do not start with a dot and that some language compiles or includes. No
// symbolic link is followed, nothing blocks, and other files are not read. too_large names the bound and the file.
Result<SourceFiles> read_source_folder(const std::string& folder, const ReadBounds& bounds);

// The files that it reads, as patterns: "*.c", "*.h".
std::vector<std::string> source_patterns();

// One file, and those beside and below it that it includes by `#include "name"`, and so on.
Result<SourceFiles> read_source_file(const std::string& path, const ReadBounds& bounds);

// The last part of a path, fit to be a file's name in a jail: control characters and slashes become underscores.
std::string file_name_of(std::string_view path);
// "adder" of "dir/adder.c"
std::string stem_of(std::string_view path);
// The folder part with its slash, "dir/" of "dir/adder.c"; empty if there is none.
std::string_view folder_of(std::string_view path);

}  // namespace petri
