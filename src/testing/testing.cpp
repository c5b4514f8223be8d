#include "petri/testing/testing.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "compiling/compile_workers.h"
#include "compiling/live_workers.h"
#include "runtime/clock_moved.h"

namespace petri::testing {
namespace {

namespace fs = std::filesystem;

std::string shown(const Result<Outcome>& outcome) {
  if (!outcome) return fmt::format("the error {}: {}", name_of(outcome.error().code), outcome.error().message);
  std::string text = fmt::format("the outcome {}", name_of(outcome->kind));
  if (outcome->trap) text += fmt::format(" ({})", name_of(*outcome->trap));
  if (outcome->exit_code) text += fmt::format(" with code {}", *outcome->exit_code);
  if (!outcome->cause.empty()) text += fmt::format(" because of {}", outcome->cause);
  return text;
}

// Names the file that a descriptor is of, however it is called by now. Files without a name in any folder share an
// inode with others of their kind, and with other kinds.
std::string file_behind(const fs::path& descriptor, const fs::path& target) {
  struct stat file{};
  if (!target.is_absolute() || ::stat(descriptor.c_str(), &file) != 0) return " of " + target.string();
  return fmt::format(" of {}:{}", file.st_dev, file.st_ino);
}

std::string first_line(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

// The processes that compile, and the descriptors through which petri talks to them. One that was asked to end is
// waited for.
struct KeptWorkers {
  KeptWorkers() {
    settle_compile_workers(std::chrono::seconds(5));
    for (const WorkerIds& ids : live_workers()) {
      processes.insert(ids.process);
      descriptors.insert({std::to_string(ids.socket), std::to_string(ids.process_descriptor)});
    }
  }
  std::set<int> processes;
  std::set<std::string> descriptors;
};

}  // namespace

std::string unique_id(std::string_view name) {
  static std::atomic<std::uint64_t> last{0};
  return fmt::format("{}-{}", name, ++last);
}

Result<ScopedSandbox> ScopedSandbox::create(Runtime& runtime, SandboxSpec spec) {
  if (spec.id.empty()) spec.id = unique_id("test");
  PETRI_TRY(Sandbox sandbox, runtime.create_sandbox(std::move(spec)));
  return ScopedSandbox(runtime, std::move(sandbox));
}

ScopedSandbox::~ScopedSandbox() {
  if (runtime_ != nullptr) static_cast<void>(runtime_->destroy(sandbox_.id()));
}

std::string not_running(const Sandbox& sandbox) {
  const SandboxInfo info = sandbox.info();
  if (info.status == SandboxStatus::running) return {};
  return fmt::format("{} is {} where running was wanted{}", info.id, name_of(info.status),
                     info.cause.empty() ? "" : ": " + info.cause);
}

std::string not_kind(const Result<Outcome>& outcome, OutcomeKind wanted) {
  if (outcome && outcome->kind == wanted) return {};
  return fmt::format("{} where {} was wanted", shown(outcome), name_of(wanted));
}

std::string not_value(const Result<Outcome>& outcome, Value wanted) {
  if (!outcome || outcome->values.size() != 1)
    return fmt::format("{} where {} was wanted", shown(outcome), to_text(wanted));
  if (outcome->values[0] == wanted) return {};
  return fmt::format("{} where {} was wanted", to_text(outcome->values[0]), to_text(wanted));
}

std::string not_error(const Result<Outcome>& outcome, ErrorCode wanted) {
  if (!outcome && outcome.error().code == wanted) return {};
  return fmt::format("{} where the error {} was wanted", shown(outcome), name_of(wanted));
}

std::string not_error(const Error* error, ErrorCode wanted) {
  if (error != nullptr && error->code == wanted) return {};
  if (error == nullptr) return fmt::format("it went well where the error {} was wanted", name_of(wanted));
  return fmt::format("the error {}: {} where {} was wanted", name_of(error->code), error->message, name_of(wanted));
}

std::string eventually(Runtime& runtime, const std::function<std::string()>& what_is_wrong,
                       std::chrono::nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto events = runtime.subscribe();
  // A state that changes without an event is looked at again soon, then less and less often.
  constexpr std::chrono::milliseconds kLongestPause(20);
  for (std::chrono::milliseconds pause(1);; pause = std::min(2 * pause, kLongestPause)) {
    std::string wrong = what_is_wrong();
    if (wrong.empty() || !events) return wrong;
    static_cast<void>(events->wait_until(std::min(deadline, std::chrono::steady_clock::now() + pause)));
    if (std::chrono::steady_clock::now() >= deadline) return what_is_wrong();
  }
}

struct ManualTime::Impl {
  ManualClock clock;
};

ManualTime::ManualTime() : impl_(std::make_unique<Impl>()) {
  const SystemClock machine;
  impl_->clock.advance(machine.now().time_since_epoch());
  impl_->clock.set_wall(machine.wall_now());
}

ManualTime::~ManualTime() = default;

const Clock* ManualTime::clock() const { return &impl_->clock; }

void ManualTime::advance(Runtime& runtime, std::chrono::nanoseconds duration) {
  impl_->clock.advance(duration);
  clock_moved(runtime);
}

void ManualTime::set_wall(WallTime time) { impl_->clock.set_wall(time); }

LeakCheck::LeakCheck(const Runtime* runtime, std::string folder)
    : runtime_(runtime), folder_(std::move(folder)), before_(look()) {}

LeakCheck::Found LeakCheck::look() const {
  Found found;
  std::error_code ignored;
  const KeptWorkers kept;
  for (const auto& thread : fs::directory_iterator("/proc/self/task", ignored)) {
    ++found.threads[first_line(thread.path() / "comm")];
    std::ifstream children(thread.path() / "children");
    for (int child = 0; children >> child;) found.children.insert(child);
  }
  for (const int worker : kept.processes) found.children.erase(worker);
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fd", ignored)) {
    const fs::path target = fs::read_symlink(descriptor.path(), ignored);
    // The one that reads this list is gone with it.
    if (target.string().starts_with("/proc/")) continue;
    const std::string number = descriptor.path().filename().string();
    if (kept.descriptors.contains(number)) continue;
    found.descriptors.emplace(number + file_behind(descriptor.path(), target), number + " -> " + target.string());
  }
  if (!folder_.empty()) {
    for (const auto& file : fs::recursive_directory_iterator(folder_, ignored))
      found.files.insert(file.path().string());
  }
  if (runtime_ == nullptr) return found;
  for (const SandboxInfo& info : runtime_->list({.limit = SIZE_MAX}).sandboxes) found.sandboxes.insert(info.id);
  return found;
}

std::string LeakCheck::leaks() const {
  const Found now = look();
  std::string text;
  const auto add = [&text](const std::string& what) { text.append(text.empty() ? "" : "; ").append(what); };
  for (const auto& [name, count] : now.threads) {
    // A runtime keeps threads for later; they go with it.
    if (runtime_ != nullptr && name.starts_with("petri-")) continue;
    const auto before = before_.threads.find(name);
    const int had = before == before_.threads.end() ? 0 : before->second;
    if (count > had) add(fmt::format("{} more of the threads {}", count - had, name));
  }
  for (const auto& [file, descriptor] : now.descriptors) {
    if (!before_.descriptors.contains(file)) add("the descriptor " + descriptor);
  }
  for (const int child : now.children) {
    if (!before_.children.contains(child)) add(fmt::format("the process {}", child));
  }
  for (const std::string& id : now.sandboxes) {
    if (!before_.sandboxes.contains(id)) add("the sandbox " + id);
  }
  for (const std::string& file : now.files) {
    if (!before_.files.contains(file)) add("the file " + file);
  }
  return text;
}

}  // namespace petri::testing
