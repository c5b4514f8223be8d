#include "compiler/jail/jail.h"

#include <sys/stat.h>

#include <filesystem>

#include "compiler/jail/find_program.h"

namespace petri {
namespace {

void add_words(std::vector<std::string>& words, std::initializer_list<std::string> further) {
  words.insert(words.end(), further.begin(), further.end());
}

bool is_link(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool is_at(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0;
}

// /lib is a link to usr/lib on all but old systems.
void add_library_links(std::vector<std::string>& words) {
  for (const std::string name : {"lib", "lib64"}) {
    if (is_link("/" + name)) add_words(words, {"--symlink", "usr/" + name, "/" + name});
  }
}

}  // namespace

std::vector<JailMount> library_mounts() {
  std::vector<JailMount> mounts;
  for (const std::string path : {"/lib", "/lib64"}) {
    if (is_at(path) && !is_link(path)) mounts.push_back({path, path});
  }
  for (const std::string path : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64"}) {
    if (is_at(path)) mounts.push_back({path, path});
  }
  return mounts;
}

std::vector<std::string> jail_command(const std::string& bubblewrap, const JailSpec& spec,
                                      const std::vector<std::string>& program) {
  std::vector<std::string> words{bubblewrap,
                                 "--unshare-user",
                                 "--unshare-ipc",
                                 "--unshare-pid",
                                 "--unshare-net",
                                 "--unshare-uts",
                                 "--unshare-cgroup-try",
                                 "--die-with-parent",
                                 "--new-session",
                                 "--hostname",
                                 "petri",
                                 "--cap-drop",
                                 "ALL"};
  if (spec.may_mount) add_words(words, {"--cap-add", "CAP_SYS_ADMIN"});
  words.emplace_back("--clearenv");
  for (const std::string& variable : spec.environment) {
    const std::size_t equals = variable.find('=');
    add_words(words, {"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  // First, because a mount may be below.
  add_words(words, {"--size", "1048576", "--tmpfs", "/tmp"});
  for (const JailMount& mount : spec.mounts) add_words(words, {"--ro-bind", mount.from, mount.to});
  add_library_links(words);
  if (spec.has_proc) add_words(words, {"--proc", "/proc", "--dev", "/dev"});
  if (spec.work_bytes_max == 0) {
    add_words(words, {"--dir", "/work"});
  } else {
    add_words(words, {"--size", std::to_string(spec.work_bytes_max), "--tmpfs", "/work", "--chdir", "/work"});
  }
  add_words(words, {"--remount-ro", "/", "--"});
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

Result<std::string> find_jail(const CompileOptions& options) {
  std::string path = find_program("PETRI_BUBBLEWRAP", "bwrap");
  if (!path.empty() || options.allow_unjailed) return path;
  Error error{.code = ErrorCode::permission_denied,
              .message =
                  "compilers run only in a jail, and bubblewrap, which makes it, is not there; install the package "
                  "bubblewrap, or allow compiling without a jail (--allow-unjailed)",
              .details = {}};
  return fail(std::move(error).with("component", "compiler").with("package", "bubblewrap"));
}

}  // namespace petri
