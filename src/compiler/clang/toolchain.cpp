#include "compiler/clang/toolchain.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>

#include "compiler/jail/find_program.h"

namespace petri {
namespace {

constexpr unsigned kVersionNewest = 40;
constexpr unsigned kVersionOldest = 19;
constexpr std::array<const char*, 2> kTriples{"wasm32-wasip1", "wasm32-wasi"};

bool exists(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

std::string real_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? std::string() : real.string();
}

Error clang_missing(unsigned version, const std::string& what) {
  const unsigned named = version == 0 ? 22 : version;
  Error error{.code = ErrorCode::compilation_failed,
              .message = fmt::format("C and C++ need clang for WASI, and {0}; install the packages clang-{1}, lld-{1}, "
                                     "wasi-libc and libclang-rt-{1}-dev-wasm32 (and for C++ libc++-{1}-dev-wasm32 and "
                                     "libc++abi-{1}-dev-wasm32)",
                                     what, named),
              .details = {}};
  return std::move(error).with("component", "compiler").with("package", fmt::format("clang-{}", named));
}

std::string find_clang() {
  if (std::string named = find_program("PETRI_CLANG", "clang-22"); !named.empty()) return named;
  if (std::getenv("PETRI_CLANG") != nullptr) return {};
  for (unsigned version = kVersionNewest; version >= kVersionOldest; --version) {
    if (std::string path = find_program("PETRI_CLANG", fmt::format("clang-{}", version)); !path.empty()) return path;
  }
  return find_program("PETRI_CLANG", "clang");
}

// "/usr/lib/llvm-22/lib/clang/22": the one folder there is.
std::string resource_folder(const std::string& root, unsigned& version) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/lib/clang", failed)) {
    const std::string name = entry.path().filename().string();
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), version);
    if (bad == std::errc()) return entry.path().string();
  }
  return {};
}

std::string builtins_of(const std::string& resources, const std::string& triple) {
  const std::string name = triple.substr(triple.find('-') + 1);
  for (const std::string& place : {resources + "/lib/wasi/libclang_rt.builtins-wasm32.a",
                                   fmt::format("{}/lib/wasm32-unknown-{}/libclang_rt.builtins.a", resources, name),
                                   resources + "/lib/wasip1/libclang_rt.builtins-wasm32.a"}) {
    if (exists(place)) return place;
  }
  return {};
}

std::vector<WasiPlatform> platforms_in(const std::string& resources) {
  std::vector<WasiPlatform> found;
  for (const std::string triple : kTriples) {
    const std::string libraries = "/usr/lib/" + triple;
    std::string builtins = builtins_of(resources, triple);
    if (!exists(libraries + "/libc.a") || builtins.empty()) continue;
    found.push_back({.triple = triple,
                     .libraries = libraries,
                     .builtins = std::move(builtins),
                     .has_cpp = exists(libraries + "/libc++.a") && exists(libraries + "/libc++abi.a") &&
                                exists("/usr/include/" + triple + "/c++/v1/vector")});
  }
  return found;
}

void add_identity(std::string& identity, const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return;
  identity += fmt::format("{} {} {}.{}\n", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string identity_of(const ClangToolchain& toolchain, const std::string& resources) {
  std::string identity = "petri clang 2\n";
  for (const std::string& path : {toolchain.clang, toolchain.linker, resources, resources + "/include"}) {
    add_identity(identity, path);
  }
  for (const WasiPlatform& platform : toolchain.platforms) {
    for (const std::string& path :
         {platform.libraries, platform.libraries + "/libc.a", platform.libraries + "/libc++.a", platform.builtins,
          "/usr/include/" + platform.triple, "/usr/include/" + platform.triple + "/c++/v1"}) {
      add_identity(identity, path);
    }
  }
  return identity;
}

std::vector<JailMount> mounts_of(const std::string& root, const ClangToolchain& toolchain) {
  std::vector<JailMount> mounts = library_mounts();
  mounts.push_back({root, root});
  for (const WasiPlatform& platform : toolchain.platforms) {
    mounts.push_back({platform.libraries, platform.libraries});
    mounts.push_back({"/usr/include/" + platform.triple, "/usr/include/" + platform.triple});
  }
  return mounts;
}

}  // namespace

std::string ClangToolchain::cpp_packages() const {
  return fmt::format("libc++-{0}-dev-wasm32 and libc++abi-{0}-dev-wasm32", version);
}

Result<ClangToolchain> find_clang_toolchain() {
  ClangToolchain toolchain{.clang = real_path(find_clang())};
  if (toolchain.clang.empty()) return fail(clang_missing(0, "there is no clang of version 19 or later"));
  const std::string root = std::filesystem::path(toolchain.clang).parent_path().parent_path().string();
  const std::string resources = resource_folder(root, toolchain.version);
  if (resources.empty()) return fail(clang_missing(0, "the clang that is there has no folder of its own"));
  toolchain.linker = real_path(root + "/bin/wasm-ld");
  if (toolchain.linker.empty()) return fail(clang_missing(toolchain.version, "its linker is missing"));
  toolchain.platforms = platforms_in(resources);
  if (toolchain.platforms.empty()) return fail(clang_missing(toolchain.version, "its C library is missing"));
  toolchain.mounts = mounts_of(root, toolchain);
  toolchain.identity = identity_of(toolchain, resources);
  return toolchain;
}

}  // namespace petri
