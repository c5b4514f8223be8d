// The jail that compilers run in: bubblewrap, with nothing but the toolchain inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "petri/compile.h"
#include "petri/result.h"

namespace petri {

// A folder or file of this machine as the jail sees it, for reading alone.
struct JailMount {
  std::string from;
  std::string to;
  bool operator==(const JailMount&) const = default;
};

// Where a jail sees petri-compile-server.
inline constexpr const char* kServerInJail = "/petri/petri-compile-server";

struct JailSpec {
  std::vector<JailMount> mounts;
  std::vector<std::string> environment;  // NAME=value; the jail has no other
  // True for a server that mounts a file system for each of its jobs; it gives that right up before it runs one.
  bool may_mount = false;
  std::uint64_t work_bytes_max = 0;  // size of /work, which can be written; 0: it is an empty folder
  bool has_proc = false;             // /proc and /dev of its own, which some languages' programs need
};

// The command that starts a program in a jail: no network, namespaces of its own, no capability but the one above, and
// all dead once this process or the command has ended.
std::vector<std::string> jail_command(const std::string& bubblewrap, const JailSpec& spec,
                                      const std::vector<std::string>& program);

// The shared libraries and the dynamic loader of this machine, where programs expect them.
std::vector<JailMount> library_mounts();

// Path of bubblewrap, or permission_denied with a sentence that names the package. Empty where it is missing and the
// options allow to go without.
Result<std::string> find_jail(const CompileOptions& options);

}  // namespace petri
