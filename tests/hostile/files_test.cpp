// Family E: files, as a WASI program reaches for them.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/files/temporary_folder.h"
#include "host/wasi/errno.h"
#include "hostile/hostile_fixture.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRead = 1 << 1, kWrite = 1 << 6;
enum : std::int32_t { create_file = 1, truncate_file = 8 };
constexpr std::int32_t kText = 2'000, kResult = 3'000, kList = 1'000;

class HostileFiles : public HostileFixture {
 protected:
  // The guest passes calls on to every host function, and has a folder.
  Sandbox with_folder(const fs::path& folder, const LimitChanges& limits = {}) {
    std::ostringstream text;
    text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/guests/all_imports.wat").rdbuf();
    SandboxSpec spec = hostile_spec(text.str(), limits);
    spec.folder = folder.string();
    spec.permissions = Permissions::standard().with(Permission::file_write);
    return create(spec);
  }
  static WasiErrno wasi(Sandbox& sandbox, const std::string& name, std::vector<Value> arguments) {
    return static_cast<WasiErrno>(number(sandbox.call("wasi." + name, std::move(arguments))));
  }
  static std::int32_t put(Sandbox& sandbox, std::string_view text) {
    static_cast<void>(sandbox.call("petri.input_read", {kText, 0, static_cast<std::int32_t>(text.size())},
                                   {.input = std::string(text)}));
    return static_cast<std::int32_t>(text.size());
  }
  static WasiErrno open(Sandbox& sandbox, std::string_view path, std::int64_t rights, std::int32_t flags = 0) {
    const std::int32_t length = put(sandbox, path);
    return wasi(sandbox, "path_open", {3, 0, kText, length, flags, rights, std::int64_t{0}, 0, kResult});
  }
  static std::int32_t opened(Sandbox& sandbox) {
    const auto outcome = sandbox.call("petri.output_write", {kResult, 4});
    std::int32_t descriptor = -1;
    if (outcome && outcome->output.size() == 4) std::memcpy(&descriptor, outcome->output.data(), 4);
    return descriptor;
  }
  // So many bytes of whatever stands in the guest's memory.
  static WasiErrno write(Sandbox& sandbox, std::int32_t descriptor, std::int32_t length) {
    const std::int32_t list[] = {0, length};
    static_cast<void>(sandbox.call("petri.input_read", {kList, 0, 8},
                                   {.input = std::string(reinterpret_cast<const char*>(list), 8)}));
    return wasi(sandbox, "fd_write", {descriptor, kList, 1, kResult});
  }
  static std::uint64_t bytes_in(const fs::path& folder) {
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
  }
};

// E13
TEST_P(HostileFiles, HaveNoDescriptorsButTheirOwn) {
  covers("E13");
  const TemporaryFolder folder;
  folder.write("note", "abc");
  Sandbox sandbox = with_folder(folder.path());
  for (const std::int32_t descriptor : {4, 5, 63, 64, 1'000, INT32_MAX, INT32_MIN, -1}) {
    EXPECT_EQ(wasi(sandbox, "fd_close", {descriptor}), WasiErrno::badf) << descriptor;
    EXPECT_EQ(wasi(sandbox, "fd_read", {descriptor, kList, 1, kResult}), WasiErrno::badf) << descriptor;
    EXPECT_EQ(wasi(sandbox, "fd_seek", {descriptor, std::int64_t{0}, 0, kResult}), WasiErrno::badf) << descriptor;
  }
  ASSERT_EQ(open(sandbox, "note", kRead), WasiErrno::success);
  const std::int32_t note = opened(sandbox);
  EXPECT_EQ(wasi(sandbox, "fd_seek", {note, INT64_MIN, 0, kResult}), WasiErrno::inval);
  EXPECT_EQ(wasi(sandbox, "fd_seek", {note, INT64_MIN, 1, kResult}), WasiErrno::inval);
  EXPECT_EQ(wasi(sandbox, "fd_seek", {note, std::int64_t{0}, 77, kResult}), WasiErrno::inval);
  EXPECT_EQ(wasi(sandbox, "fd_close", {note}), WasiErrno::success);
  EXPECT_EQ(wasi(sandbox, "fd_close", {note}), WasiErrno::badf);
  EXPECT_NE(wasi(sandbox, "fd_read", {3, kList, 1, kResult}), WasiErrno::success);  // a folder
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

// E14
TEST_P(HostileFiles, LieInsideTheirFolder) {
  covers("E14");
  const TemporaryFolder temporary;
  fs::create_directory(temporary / "root");
  temporary.write("secret", "not yours");
  fs::create_symlink("../secret", temporary / "root/link");
  fs::create_directory_symlink("/", temporary / "root/slash");
  ASSERT_EQ(::mkfifo((temporary / "root/fifo").c_str(), 0600), 0);
  Sandbox sandbox = with_folder(temporary / "root");
  const std::string outside[] = {"../secret",
                                 "./../secret",
                                 "a/../../secret",
                                 "/etc/passwd",
                                 "link",
                                 "slash/etc/passwd",
                                 "fifo",
                                 "..",
                                 "//",
                                 std::string("secret\0", 7),
                                 "\xff\xfe",
                                 std::string(4'096, 'x'),
                                 ""};
  for (const std::string& path : outside) {
    for (const std::int32_t flags : {0, +create_file, +truncate_file}) {
      EXPECT_NE(open(sandbox, path, flags == 0 ? kRead : kRead | kWrite, flags), WasiErrno::success) << path;
    }
    const std::int32_t length = put(sandbox, path);
    EXPECT_NE(wasi(sandbox, "path_create_directory", {3, kText, length}), WasiErrno::success) << path;
    EXPECT_NE(wasi(sandbox, "path_remove_directory", {3, kText, length}), WasiErrno::success) << path;
  }
  EXPECT_EQ(temporary.read("secret"), "not yours");
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary.path()), {}), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary / "root"), {}), 3);
}

// E15
TEST_P(HostileFiles, StayWithinWhatTheyMayHave) {
  covers("E15");
  const TemporaryFolder folder;
  Sandbox sandbox = with_folder(folder.path(), {.file_bytes_max = 10'000, .files_max = 20, .disk_bytes_max = 50'000});
  int made = 0;
  for (int i = 0; i < times(200, 100'000); ++i) {
    const WasiErrno result = open(sandbox, "file" + std::to_string(i), kWrite, create_file);
    if (result == WasiErrno::success) {
      ++made;
      const std::int32_t descriptor = opened(sandbox);
      static_cast<void>(write(sandbox, descriptor, 10'000));
      EXPECT_NE(write(sandbox, descriptor, 10'000), WasiErrno::success);
      EXPECT_NE(wasi(sandbox, "fd_filestat_set_size", {descriptor, std::int64_t{1} << 40}), WasiErrno::success);
      EXPECT_EQ(wasi(sandbox, "fd_close", {descriptor}), WasiErrno::success);
    } else {
      EXPECT_EQ(result, WasiErrno::nospc);
    }
  }
  EXPECT_LE(made, 20);
  EXPECT_LE(bytes_in(folder.path()), 50'000U);
  EXPECT_GT(met(sandbox, "files_max") + met(sandbox, "file_bytes_max"), 0U);
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileFiles);

}  // namespace
}  // namespace petri
