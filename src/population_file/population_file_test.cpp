// Populations in a file: they survive, are shared, and may be something else than expected.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "base/files/test_file.h"
#include "petri/population.h"
#include "population_file/connection.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

Individual numbered(std::uint64_t number) { return {.id = "i" + std::to_string(number), .generation = number % 10}; }

class PopulationFileTest : public ::testing::Test {
 protected:
  ~PopulationFileTest() override {
    for (const char* ending : {"-wal", "-shm", "-writer"}) std::remove((path() + ending).c_str());
  }
  const std::string& path() const { return file_.path(); }
  Result<Population> open(const PopulationFileOptions& options = {}) const {
    PETRI_TRY(auto populations, Populations::open(path(), options));
    return populations.population("main");
  }
  Error refusal(const PopulationFileOptions& options = {}) const {
    const auto opened = open(options);
    return opened ? Error{.message = "it was opened"} : opened.error();
  }
  // Another program that speaks SQL.
  std::unique_ptr<Connection> other_program() const { return std::move(*Connection::open(path(), {.writes = true})); }

  TestFile file_;
};

TEST_F(PopulationFileTest, SurvivesTheProcess) {
  Individual child = numbered(2);
  child.parents = {"i1"};
  child.labels = {"elite"};
  child.fitness = Fitness{.score = 1.5, .components = {{"speed", 2}}};
  {
    auto population = open();
    ASSERT_TRUE(population) << population.error().message;
    for (const auto& row : population->add(std::vector{numbered(1), child})) EXPECT_TRUE(row);
  }
  const auto again = open();
  ASSERT_TRUE(again);
  child.depth = 1;
  child.number = 2;
  const Individual found = *again->find("i2");
  child.created = found.created;
  child.fitness->evaluated_at = found.fitness->evaluated_at;
  EXPECT_EQ(found, child);
}

TEST_F(PopulationFileTest, NumbersAreNotGivenTwice) {
  {
    auto population = open();
    (void)population->add(std::vector{numbered(1), numbered(2)});
    (void)population->remove(std::vector<std::string>{"i2"});
  }
  auto population = open();
  ASSERT_TRUE(population->add(numbered(3)));
  EXPECT_EQ(population->find("i3")->number, 3);
}

TEST_F(PopulationFileTest, OneWritesAndOthersRead) {
  auto writer = open();
  ASSERT_TRUE(writer->add(numbered(1)));

  const Error second = refusal();
  EXPECT_EQ(second.code, ErrorCode::busy);
  EXPECT_THAT(second.message, HasSubstr("open it read-only"));
  auto reader = open({.read_only = true});
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->list()->total, 1);
  ASSERT_TRUE(writer->add(numbered(2)));
  EXPECT_EQ(reader->list()->total, 2);
  const auto refused = reader->add(numbered(3));
  EXPECT_EQ(refused.error().code, ErrorCode::io_error);
  EXPECT_THAT(refused.error().message, HasSubstr("was opened read-only"));
}

TEST_F(PopulationFileTest, ReadersSeeWholeBatchesWhileOneWrites) {
  constexpr std::uint64_t kBatches = 30, kRows = 20;
  auto population = open({.readers_max = 2});
  std::atomic<bool> written{false};
  std::atomic<std::uint64_t> torn{0}, reads{0};
  const auto read = [&] {
    std::uint64_t last = 0;
    do {
      const auto page = population->list({.generation = {}, .order = PopulationOrder::rank, .limit = 1'000});
      if (!page || page->total % kRows != 0 || page->total != page->individuals.size() || page->total < last) ++torn;
      if (page) last = page->total;
      ++reads;
    } while (!written.load());
  };
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 4; ++reader) readers.emplace_back(read);
  for (std::uint64_t batch = 0; batch < kBatches; ++batch) {
    std::vector<Individual> rows;
    for (std::uint64_t row = 0; row < kRows; ++row) rows.push_back(numbered(batch * kRows + row));
    for (const auto& added : population->add(rows)) EXPECT_TRUE(added);
  }
  written = true;
  readers.clear();
  EXPECT_EQ(torn, 0);
  EXPECT_GE(reads, 4);
}

TEST_F(PopulationFileTest, AnotherKindOfFileIsRefusedAndLeftAsItIs) {
  file_.write(
      "a text that is longer than the first page's header of any database file, and says nothing of the kind\n");
  const std::string before = file_.read();
  EXPECT_EQ(refusal().code, ErrorCode::parse_failed);
  EXPECT_THAT(refusal().message, HasSubstr("is not a population file"));
  EXPECT_EQ(refusal({.read_only = true}).code, ErrorCode::parse_failed);
  EXPECT_EQ(file_.read(), before);
}

TEST_F(PopulationFileTest, AnotherProgramsDatabaseIsRefusedAndLeftAsItIs) {
  ASSERT_TRUE(other_program()->execute("CREATE TABLE somebody_elses (thing TEXT)"));
  const std::string before = file_.read();
  EXPECT_EQ(refusal().code, ErrorCode::parse_failed);
  EXPECT_EQ(file_.read(), before);
}

TEST_F(PopulationFileTest, ANewerFormatIsRejectedByName) {
  (void)open();
  ASSERT_TRUE(other_program()->execute("PRAGMA user_version = 7"));
  EXPECT_EQ(refusal().code, ErrorCode::rejected);
  EXPECT_THAT(refusal().message, HasSubstr("format 7"));
  EXPECT_EQ(refusal({.read_only = true}).code, ErrorCode::rejected);
}

TEST_F(PopulationFileTest, AFileThatIsCutShortIsRefused) {
  {
    auto population = open();
    std::vector<Individual> rows;
    for (std::uint64_t row = 0; row < 1'000; ++row) rows.push_back(numbered(row));
    (void)population->add(rows);
  }
  const std::string whole = file_.read();
  file_.write(whole.substr(0, whole.size() / 2));
  const auto opened = open();
  const auto page = opened ? opened->list({.limit = 1'000}) : Result<PopulationPage>(fail(opened.error()));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::parse_failed);
}

TEST_F(PopulationFileTest, AFileThatAnotherProgramLocksIsBusyUntilItLetsGo) {
  auto population = open({.lock_wait_max = std::chrono::milliseconds(0)});
  const auto other = other_program();
  ASSERT_TRUE(other->execute("BEGIN IMMEDIATE"));
  const auto refused = population->add(numbered(1));
  EXPECT_EQ(refused.error().code, ErrorCode::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("is locked by another program"));
  EXPECT_TRUE(population->list());
  ASSERT_TRUE(other->execute("ROLLBACK"));
  EXPECT_TRUE(population->add(numbered(1)));
}

TEST_F(PopulationFileTest, AFolderAMissingPathAndNoPathAreClearErrors) {
  EXPECT_EQ(Populations::open(::testing::TempDir()).error().code, ErrorCode::io_error);
  EXPECT_EQ(Populations::open("").error().code, ErrorCode::validation_failed);
  const auto missing = Populations::open("/nowhere/at/all.petri");
  EXPECT_EQ(missing.error().code, ErrorCode::io_error);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/at/all.petri"));
  EXPECT_EQ(refusal({.read_only = true}).code, ErrorCode::io_error);
}

TEST_F(PopulationFileTest, AFullDiskLosesNothingThatWasRecorded) {
  auto population = open();
  std::vector<Individual> rows;
  for (std::uint64_t row = 0; row < 2'000; ++row) rows.push_back(numbered(row + 10));
  ASSERT_TRUE(population->add(numbered(1)));
  {
    const FileSizeLimit full(64 << 10);
    for (const auto& row : population->add(rows)) {
      ASSERT_FALSE(row);
      EXPECT_EQ(row.error().code, ErrorCode::io_error);
    }
    EXPECT_EQ(population->list()->total, 1);
  }
  EXPECT_TRUE(population->add(numbered(2)));
  EXPECT_EQ(population->list()->total, 2);
}

// ---- a disk of its own that is soon full

constexpr int kNoDisk = 77;

// A file system of 512 KiB in this folder, for this process alone.
bool mount_small_disk(const char* folder) {
  const uid_t user = ::geteuid();
  if (::unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", folder, "tmpfs", 0, "size=512k") == 0;
}

void expect_or_exit(bool is_so, const char* what) {
  if (is_so) return;
  (void)!::write(STDERR_FILENO, what, std::strlen(what));
  ::_exit(1);
}

std::vector<Individual> hundred_from(std::uint64_t first) {
  std::vector<Individual> rows;
  for (std::uint64_t row = 0; row < 100; ++row) rows.push_back(numbered(first + row));
  return rows;
}

// Records until the disk is full, makes room, records again, and opens the file once nothing may be written.
[[noreturn]] void fill_the_disk(const std::string& folder) {
  if (!mount_small_disk(folder.c_str())) ::_exit(kNoDisk);
  const std::string filler = folder + "/filler", path = folder + "/small.petri";
  {
    std::ofstream(filler) << std::string(200 << 10, 'x');
  }
  std::uint64_t recorded = 0;
  {
    auto populations = Populations::open(path);
    expect_or_exit(populations.has_value(), "the file cannot be created\n");
    Population population = *populations->population("main");
    bool full = false;
    while (!full) {
      for (const auto& row : population.add(hundred_from(recorded))) {
        full |= !row;
        expect_or_exit(row || row.error().code == ErrorCode::io_error, "the error is not io_error\n");
      }
      if (!full) recorded += 100;
    }
    expect_or_exit(population.list()->total == recorded, "the batch that failed is there in part\n");
    ::unlink(filler.c_str());
    for (const auto& row : population.add(hundred_from(recorded))) expect_or_exit(row.has_value(), "it stays full\n");
  }
  {
    const auto again = Populations::open(path);
    expect_or_exit(again.has_value(), "the file cannot be opened again\n");
    expect_or_exit(again->population("main")->list()->total == recorded + 100, "something is lost\n");
  }
  expect_or_exit(::mount("tmpfs", folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0, "not remounted\n");
  const auto refused = Populations::open(path);
  expect_or_exit(!refused && refused.error().code == ErrorCode::io_error, "a disk that cannot be written is written\n");
  ::_exit(0);
}

TEST_F(PopulationFileTest, ASmallDiskThatIsFullOrReadOnlyLosesNothingThatWasRecorded) {
  const std::string folder = ::testing::TempDir() + "petri_small_disk_" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  const pid_t child = ::fork();
  if (child == 0) fill_the_disk(folder);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::rmdir(folder.c_str());
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == kNoDisk) GTEST_SKIP() << "nothing can be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(PopulationFileTest, PlainSqlReadsIt) {
  auto population = open();
  Individual child = numbered(2);
  child.parents = {"i1"};
  child.fitness = Fitness{.score = 4};
  ASSERT_TRUE(population->add(std::vector{numbered(1), child})[1]);

  const auto other = *Connection::open(path(), {});
  const auto query = *other->query(
      "SELECT i.id, i.score, p.parent FROM individuals i JOIN parents p ON p.individual = i.number JOIN populations n "
      "ON "
      "n.number = i.population WHERE n.name = 'main' ORDER BY i.score DESC");
  ASSERT_TRUE(*query->step());
  EXPECT_EQ(query->text(0), "i2");
  EXPECT_EQ(query->number(1), 4);
  EXPECT_EQ(query->text(2), "i1");
}

// ---- kill

constexpr std::uint64_t kKillRows = 10;

// Ends this process with SIGKILL at some moment within the next 20 ms.
void kill_this_process_soon(std::uint64_t seed) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  ::timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec when{.it_interval = {},
                        .it_value = {.tv_sec = 0, .tv_nsec = static_cast<long>(1 + seed % 20'000'000)}};
  ::timer_settime(timer, 0, &when, nullptr);
}

// Adds batches, and reports each that was acknowledged, until it is killed.
[[noreturn]] void record_until_killed(const std::string& path, std::uint64_t first, int acknowledged,
                                      std::uint64_t seed) {
  kill_this_process_soon(seed);
  auto populations = Populations::open(path);
  if (!populations) ::_exit(1);
  Population population = *populations->population("main");
  for (std::uint64_t batch = first;; ++batch) {
    std::vector<Individual> rows;
    for (std::uint64_t row = 0; row < kKillRows; ++row) {
      rows.push_back(numbered(batch * kKillRows + row));
      rows.back().fitness = Fitness{.score = static_cast<double>(row)};
      rows.back().labels = {"batch"};
    }
    for (const auto& added : population.add(rows)) {
      if (!added) ::_exit(2);
    }
    if (::write(acknowledged, &batch, sizeof batch) != sizeof batch) ::_exit(3);
  }
}

// One process that is killed; returns how many batches it acknowledged.
std::uint64_t acknowledged_by_one(const std::string& path, std::uint64_t first, std::uint64_t seed) {
  int pipe[2] = {};
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) record_until_killed(path, first, pipe[1], seed);
  ::close(pipe[1]);
  std::uint64_t batches = 0;
  for (std::uint64_t batch = 0; ::read(pipe[0], &batch, sizeof batch) == sizeof batch;) ++batches;
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself with " << WEXITSTATUS(status);
  return batches;
}

TEST_F(PopulationFileTest, KillAtAnyMomentLosesNothingThatWasAcknowledged) {
  const char* asked = std::getenv("PETRI_KILLS");
  const int kills = asked == nullptr ? 50 : std::atoi(asked);
  const std::uint64_t seed = std::random_device()();
  std::mt19937_64 random(seed);
  std::uint64_t batches = 0;
  for (int kill = 0; kill < kills; ++kill) {
    SCOPED_TRACE(::testing::Message() << "kill " << kill << " of seed " << seed);
    const std::uint64_t acknowledged = batches + acknowledged_by_one(path(), batches, random());
    const auto population = open();
    ASSERT_TRUE(population) << population.error().message;
    const std::uint64_t found = population->list()->total;
    ASSERT_EQ(found % kKillRows, 0) << "a batch is there in part";
    batches = found / kKillRows;
    ASSERT_GE(batches, acknowledged);
    ASSERT_LE(batches, acknowledged + 1);  // one may have been recorded without having been acknowledged
    EXPECT_EQ(population->list({.label = "batch"})->total, found);
  }
  EXPECT_GT(batches, static_cast<std::uint64_t>(kills) / 10);
  const auto other = *Connection::open(path(), {});
  const auto check = *other->query("PRAGMA integrity_check");
  ASSERT_TRUE(*check->step());
  EXPECT_EQ(check->text(0), "ok");
}

}  // namespace
}  // namespace petri
