// The clang and lld of this machine that build for WASI, and where their parts are.
#pragma once

#include <string>
#include <vector>

#include "compiler/jail/jail.h"
#include "petri/result.h"

namespace petri {

// One name of the platform under which a C library is installed. Which of them links is found out by trying.
struct WasiPlatform {
  std::string triple;     // "wasm32-wasi" or "wasm32-wasip1"
  std::string libraries;  // the folder of libc.a and crt1-reactor.o
  std::string builtins;   // the compiler's own library
  bool has_cpp = false;   // libc++ is there
  bool operator==(const WasiPlatform&) const = default;
};

struct ClangToolchain {
  std::string clang;  // the executables themselves, no links
  std::string linker;
  unsigned version = 0;
  std::vector<WasiPlatform> platforms;  // at least one
  std::vector<JailMount> mounts;
  // Changes with any part of it: paths, sizes and times.
  std::string identity;

  // The packages of Debian that a C++ guest needs beyond those of a C guest.
  std::string cpp_packages() const;
};

// compilation_failed names the packages to install. PETRI_CLANG names another clang. Reads some folders each time.
Result<ClangToolchain> find_clang_toolchain();

}  // namespace petri
