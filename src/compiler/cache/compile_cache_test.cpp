#include "compiler/cache/compile_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "host/files/temporary_folder.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

// The folder may be any that the user names: files of something else there are neither counted nor removed.
TEST(CacheFolder, LeavesFilesAloneThatAreNotItsOwn) {
  const TemporaryFolder folder;
  const auto write = [&](const fs::path& path, std::size_t bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1'000));
  };
  const fs::path foreign = folder.path() / "thesis.txt", inside = folder.path() / "records/notes.txt";
  write(foreign, 4'000);
  write(inside, 4'000);
  const CacheFolder cache(folder.path().string(), 1'000);
  const std::string key = CacheKey().hex();
  cache.put(key, {"made"});
  cache.remove_oldest();
  bool damaged = false;
  EXPECT_EQ(cache.find(key, damaged), (CacheRecord{"made"}));
  EXPECT_EQ(cache.info().entries, 1U);
  cache.clear();
  EXPECT_EQ(cache.info().entries, 0U);
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_TRUE(fs::exists(inside));
}

}  // namespace
}  // namespace petri
