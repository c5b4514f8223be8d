// `make hostile`: runs the hostile suite in every setting and tier, with seeds, and writes its page.
//   hostile_suite docs/hostile.md --seeds 20
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/files/temporary_folder.h"
#include "hostile/hostile_page.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

struct HostileOptions {
  std::string page;
  std::uint64_t seeds = 20;
  std::uint64_t seed = 1;
  std::string filter = "*";
  std::vector<std::string> settings;
  std::vector<std::string> tiers = {"interpreted", "compiled", "automatic"};
};

constexpr int kSilenceMaxMs = 15 * 60 * 1'000;  // a case that takes longer than this hangs

// A child whose output is read line by line. Killed when it is silent for too long.
class Child {
 public:
  Child(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    arguments.insert(arguments.begin(), program.string());
    for (char** one = environ; *one != nullptr; ++one) environment.emplace_back(*one);
    if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, pointers(arguments).data(),
                      pointers(environment).data()) != 0) {
      pid_ = 0;
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    if (output_ >= 0) ::close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  template <typename EachLine>
  void read_lines(const EachLine& each) {
    std::string rest;
    char buffer[4'096];
    for (;;) {
      pollfd waiting{output_, POLLIN, 0};
      if (::poll(&waiting, 1, kSilenceMaxMs) == 0) ::kill(pid_, SIGKILL);
      const ssize_t size = ::read(output_, buffer, sizeof(buffer));
      if (size <= 0) return;
      rest.append(buffer, static_cast<std::size_t>(size));
      for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
        each(rest.substr(0, end));
    }
  }
  // True if it ended by itself.
  bool wait() {
    int status = 0;
    return pid_ != 0 && ::waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status);
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }
  pid_t pid_ = 0;
  int output_ = -1;
};

class HostileRuns {
 public:
  HostileRuns(HostileOptions options, fs::path suite) : options_(std::move(options)), suite_(std::move(suite)) {}

  HostileTotals run() {
    const auto from = std::chrono::steady_clock::now();
    totals_.seeds = options_.seeds;
    for (const HostileSetting& setting : hostile_settings()) {
      if (!is_wanted(setting)) continue;
      for (const std::string& tier : options_.tiers) run_in(setting, *tier_named(tier));
    }
    totals_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    return std::move(totals_);
  }

 private:
  bool is_wanted(const HostileSetting& setting) const {
    const auto& wanted = options_.settings;
    return wanted.empty() || std::ranges::find(wanted, setting.name) != wanted.end();
  }
  // After a death the seeds that are left run in a new process.
  void run_in(const HostileSetting& setting, Tier tier) {
    const std::size_t failures = totals_.failures.size(), deaths = totals_.deaths.size();
    const std::uint64_t end = options_.seed + options_.seeds;
    const auto from = std::chrono::steady_clock::now();
    for (std::uint64_t seed = options_.seed; seed < end;) {
      const auto died = run_seeds(setting, tier, seed, end - seed);
      seed = died ? *died + 1 : end;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    fmt::print(
        "{:<13} {:<12} {} seeds, {:.0f} s: {}\n", setting.name, name_of(tier), options_.seeds, seconds,
        totals_.failures.size() == failures && totals_.deaths.size() == deaths ? "all contained" : "NOT contained");
    for (std::size_t i = failures; i < totals_.failures.size(); ++i) fmt::print("  {}\n", totals_.failures[i]);
    for (std::size_t i = deaths; i < totals_.deaths.size(); ++i)
      fmt::print("  the process died in {}\n", totals_.deaths[i]);
    std::fflush(stdout);
  }
  // The seed in which the process died, if it did.
  std::optional<std::uint64_t> run_seeds(const HostileSetting& setting, Tier tier, std::uint64_t seed,
                                         std::uint64_t count) {
    const TemporaryFolder folder;
    Child child(
        suite_,
        {"--gtest_filter=" + options_.filter, "--gtest_repeat=" + std::to_string(count), "--gtest_shuffle",
         "--gtest_random_seed=" + std::to_string(seed), "--gtest_color=no"},
        {"PETRI_FACTS=" + (folder / "facts").string(), "PETRI_SEED=" + std::to_string(seed),
         "PETRI_HOSTILE_TIER=" + std::string(name_of(tier)), "PETRI_NEIGHBOURS=" + std::to_string(setting.neighbours),
         "PETRI_COPIES=" + std::to_string(setting.copies)});
    child.read_lines([&](const std::string& line) { show(setting, tier, line); });
    const bool ended = child.wait();
    if (::isatty(STDOUT_FILENO) != 0) fmt::print("\r\x1b[K");
    const auto died = add_facts(totals_, setting, tier, facts_in((folder / "facts").string()));
    if (!ended && !died) totals_.deaths.push_back(fmt::format("no case ({}, {})", setting.name, name_of(tier)));
    return ended ? std::nullopt : std::optional(died.value_or(seed + count));
  }
  void show(const HostileSetting& setting, Tier tier, const std::string& line) {
    if (::isatty(STDOUT_FILENO) == 0 || !line.starts_with("[ RUN")) return;
    fmt::print("\r\x1b[K{} {} {:.60}", setting.name, name_of(tier),
               line.substr(std::min<std::size_t>(13, line.size())));
    std::fflush(stdout);
  }
  static std::vector<nlohmann::json> facts_in(const std::string& path) {
    std::vector<nlohmann::json> facts;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      nlohmann::json fact = nlohmann::json::parse(line, nullptr, false);
      if (!fact.is_discarded()) facts.push_back(std::move(fact));
    }
    return facts;
  }

  const HostileOptions options_;
  const fs::path suite_;
  HostileTotals totals_;
};

HostileMachine this_machine() {
  HostileMachine machine{.processor = "unknown processor", .cores = std::thread::hardware_concurrency()};
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    machine.processor = line.substr(std::min(line.find(':') + 2, line.size()));
    break;
  }
  return machine;
}

int run_hostile(const HostileOptions& options) {
  const fs::path suite = fs::read_symlink("/proc/self/exe").parent_path() / "hostile_tests";
  const HostileTotals totals = HostileRuns(options, suite).run();
  std::ofstream file(options.page);
  file << hostile_page(totals, this_machine());
  if (!file.flush()) {
    fmt::print(stderr, "hostile_suite: {} cannot be written\n", options.page);
    return 1;
  }
  fmt::print("{}; see {}\n", closing_line(totals), options.page);
  const bool contained = totals.failures.empty() && totals.deaths.empty() && totals.missed() == 0 && totals.runs > 0;
  return contained ? 0 : 1;
}

}  // namespace
}  // namespace petri

int main(int argc, char** argv) {
  petri::HostileOptions options;
  CLI::App app{"Runs the hostile suite in every setting and tier, and writes a page of what it saw."};
  app.add_option("page", options.page, "Where the page goes")->required();
  app.add_option("--seeds", options.seeds, "How many seeds each case has in each setting and tier")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--seed", options.seed, "The first of them");
  app.add_option("--filter", options.filter, "Only these tests, as --gtest_filter has them");
  app.add_option("--setting", options.settings, "Only these settings")
      ->check(CLI::IsMember({"alone", "beside 1,000", "100 at once"}));
  app.add_option("--tier", options.tiers, "Only these tiers")
      ->check(CLI::IsMember({"interpreted", "compiled", "automatic"}));
  CLI11_PARSE(app, argc, argv);
  return petri::run_hostile(options);
}
