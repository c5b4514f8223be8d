// For tests: files of their own, and a disk that becomes full.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace petri {

// A file of a test's own, gone with it.
class TestFile {
 public:
  explicit TestFile(std::string_view name = "file")
      : path_(testing::TempDir() + "petri_" + tree() + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + std::string(name)) {
    for (char& c : path_) c = c == '/' && &c > path_.data() + testing::TempDir().size() ? '_' : c;
  }
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const std::string& path() const { return path_; }

  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }

 private:
  // The same tests may run in another tree at the same time, and a death test is another process.
  static std::string tree() {
    return std::to_string(std::hash<std::string>{}(std::filesystem::read_symlink("/proc/self/exe").string()));
  }

  std::string path_;
};

// A disk that becomes full: while this lives no file of this process grows larger.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace petri
