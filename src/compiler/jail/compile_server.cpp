#include "compiler/jail/compile_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include "base/files/file.h"
#include "compiler/jail/find_program.h"
#include "compiler/jail/stray_folders.h"

namespace petri {
namespace {

constexpr const char* kServerName = "petri-compile-server";

// Words as posix_spawn takes them.
class WordList {
 public:
  explicit WordList(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

class ServerSpawn {
 public:
  explicit ServerSpawn(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, kControlDescriptor);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);  // a Ctrl-C at the terminal is not for it
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~ServerSpawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  ServerSpawn(const ServerSpawn&) = delete;
  ServerSpawn& operator=(const ServerSpawn&) = delete;

  int spawn(const ServerCommand& command, pid_t& process) const {
    WordList words(command.words);
    WordList environment(command.environment);
    return ::posix_spawn(&process, command.words.front().c_str(), &actions_, &attributes_, words.get(),
                         environment.get());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Error cannot_start(const std::string& path, int why) {
  Error error{.code = ErrorCode::host_fault,
              .message = fmt::format("the compile server {} could not be started: {}", path, errno_text(why)),
              .details = {}};
  return std::move(error).with("component", "compiler");
}

// A folder for one job without a jail; it is gone with this.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::error_code ignored;
    std::string path =
        (std::filesystem::temp_directory_path(ignored) / (std::string(kJobFolderPrefix) + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
      return fail(ErrorCode::io_error,
                  fmt::format("a folder for the compiler cannot be made at {}: {}", path, errno_text(errno)));
    }
    return TemporaryFolder(path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  OwnedDescriptor open() const { return OwnedDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<CompileServer>> CompileServer::start(const ServerCommand& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(cannot_start(command.words.front(), errno));
  }
  const OwnedDescriptor theirs(ends[1]);
  std::unique_ptr<CompileServer> server(new CompileServer(OwnedDescriptor(ends[0]), command.jailed));
  if (const int why = server->spawn(command, theirs.get()); why != 0) {
    return fail(cannot_start(command.words.front(), why));
  }
  return server;
}

int CompileServer::spawn(const ServerCommand& command, int socket) {
  std::promise<int> started;
  std::future<int> outcome = started.get_future();
  keeper_ = std::thread([this, &command, socket, &started] {
    const int why = ServerSpawn(socket).spawn(command, process_);
    const pid_t process = process_;
    started.set_value(why);  // nothing that the starting thread owns is touched from here on
    if (why != 0) return;
    siginfo_t about{};
    while (::waitid(P_PID, static_cast<id_t>(process), &about, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    // A bubblewrap that dies early leaves its child, which waits for it and holds the socket.
    ::kill(-process, SIGKILL);
    const MutexLock lock(mutex_);
    ::waitpid(process, nullptr, 0);
    ended_ = true;
  });
  const int why = outcome.get();
  if (why == 0) live_.emplace(WorkerIds{.process = process_, .socket = control_.get()});
  return why;
}

CompileServer::~CompileServer() {
  if (process_ != 0) kill();
  if (keeper_.joinable()) keeper_.join();
  live_.reset();
}

bool CompileServer::is_there() const {
  const MutexLock lock(mutex_);
  return !ended_;
}

void CompileServer::kill() {
  ::shutdown(control_.get(), SHUT_RDWR);
  const MutexLock lock(mutex_);
  if (!ended_) ::kill(process_, SIGKILL);
}

Result<ServerJobResult> CompileServer::run(const ServerJob& job) {
  if (jailed_) return run_on_server(control_.get(), job, -1);
  PETRI_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const OwnedDescriptor opened = folder.open();
  mark_used(opened.get());
  return run_on_server(control_.get(), job, opened.get());
}

Result<std::string> find_compile_server() {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (std::getenv("PETRI_COMPILE_SERVER") == nullptr) {
    for (const std::filesystem::path& place : {folder / kServerName, folder / ".." / "bin" / kServerName}) {
      if (::access(place.c_str(), X_OK) == 0) return std::filesystem::canonical(place, ignored).string();
    }
  }
  std::string path = find_program("PETRI_COMPILE_SERVER", kServerName);
  if (!path.empty()) return path;
  Error error{.code = ErrorCode::not_found,
              .message =
                  "the compile server is not there; install petri-compile-server beside the program, or name it "
                  "in PETRI_COMPILE_SERVER",
              .details = {}};
  return fail(std::move(error).with("component", "compiler"));
}

}  // namespace petri
