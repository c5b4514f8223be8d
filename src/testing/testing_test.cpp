#include "petri/testing/testing.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <latch>
#include <stdexcept>
#include <thread>

#include "host/files/temporary_folder.h"

namespace petri::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kGuest = R"((module
  (func (export "one") (result i32) (i32.const 1))
  (func (export "crash") unreachable)))";

SandboxSpec spec() { return {.modules = {{"m", Source::wat(std::string(kGuest))}}}; }

class TestingTest : public ::testing::Test {
 protected:
  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create({.workers = 2}));
};

TEST_F(TestingTest, LeavesNothingOfASandboxAlsoWhenATestEndsHalfWay) {  // Y01
  EXPECT_THROW(
      {
        auto sandbox = ScopedSandbox::create(*runtime_, spec());
        ASSERT_TRUE(sandbox);
        throw std::runtime_error("half-way");
      },
      std::runtime_error);
  EXPECT_EQ(runtime_->list().total, 0U);
}

TEST_F(TestingTest, GivesEachSandboxAnIdOfItsOwn) {  // Y01
  auto one = ScopedSandbox::create(*runtime_, spec());
  auto two = ScopedSandbox::create(*runtime_, spec());
  ASSERT_TRUE(one && two);
  EXPECT_NE((*one)->id(), (*two)->id());
}

TEST_F(TestingTest, SaysWhatWasThereInstead) {  // Y02
  auto sandbox = ScopedSandbox::create(*runtime_, spec());
  EXPECT_THAT(not_running(**sandbox), IsEmpty());
  EXPECT_THAT(not_value((*sandbox)->call("one"), 1), IsEmpty());
  EXPECT_THAT(not_value((*sandbox)->call("one"), 2), HasSubstr("1 where 2 was wanted"));
  EXPECT_THAT(not_error((*sandbox)->call("none"), ErrorCode::not_found), IsEmpty());
  EXPECT_THAT(not_error((*sandbox)->call("one"), ErrorCode::not_found), HasSubstr("the outcome ok"));
  EXPECT_THAT(not_kind((*sandbox)->call("crash"), OutcomeKind::ok), HasSubstr("trapped (unreachable)"));
  EXPECT_THAT(eventually(*runtime_, [&] { return not_value((*sandbox)->call("one"), 1); }), IsEmpty());
  ASSERT_TRUE((*sandbox)->stop());
  EXPECT_THAT(not_running(**sandbox), HasSubstr("is stopped"));
}

TEST_F(TestingTest, WaitsUntilAConditionHoldsOrSaysWhatItSawLast) {  // Y03
  int asked = 0;
  EXPECT_THAT(eventually(*runtime_, [&] { return ++asked < 3 ? "not yet" : ""; }), IsEmpty());
  EXPECT_EQ(asked, 3);
  int last = 0;
  const std::string seen =
      eventually(*runtime_, [&] { return "saw " + std::to_string(++last); }, std::chrono::milliseconds(1));
  EXPECT_EQ(seen, "saw " + std::to_string(last)) << "the last of what it saw";
  EXPECT_GE(last, 1);
}

// Y03: an event is enough; nothing is slept over.
TEST_F(TestingTest, AsksAgainAsSoonAsSomethingHappens) {
  int asked = 0;
  EXPECT_EQ(eventually(*runtime_, [&] { return ++asked, ""; }, std::chrono::hours(1)), "");
  EXPECT_EQ(asked, 1) << "what holds is asked once";
  std::jthread later;
  EXPECT_EQ(eventually(
                *runtime_,
                [&]() -> std::string {
                  if (!later.joinable()) {
                    later = std::jthread(
                        [&] { EXPECT_TRUE(runtime_->create_sandbox({.id = "later", .modules = spec().modules})); });
                  }
                  return runtime_->find("later") ? not_running(*runtime_->find("later")) : "not there";
                },
                std::chrono::hours(1)),
            "");
}

TEST_F(TestingTest, NamesWhatIsLeftOver) {  // Y04
  const LeakCheck check(runtime_.get());
  EXPECT_THAT(check.leaks(), IsEmpty());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(runtime_->create_sandbox({.id = "left-over", .modules = {{"m", Source::wat(std::string(kGuest))}}}));
  EXPECT_THAT(check.leaks(), ::testing::MatchesRegex("the descriptor [0-9]+ -> pipe:.[0-9]+.; "
                                                     "the descriptor [0-9]+ -> pipe:.[0-9]+.; the sandbox left-over"));
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_TRUE(runtime_->destroy("left-over"));
  EXPECT_THAT(check.leaks(), IsEmpty());
}

TEST(LeakCheckTest, NamesAThreadThatIsLeftOver) {  // Y04
  const LeakCheck check;
  std::latch named(1), ends(1);
  std::jthread thread([&] {
    ASSERT_EQ(::pthread_setname_np(::pthread_self(), "straggler"), 0);
    named.count_down();
    ends.wait();
  });
  named.wait();
  EXPECT_EQ(check.leaks(), "1 more of the threads straggler");
  ends.count_down();
  thread.join();
  EXPECT_THAT(check.leaks(), IsEmpty());
}

TEST(LeakCheckTest, NamesAChildThatNobodyWaitedFor) {  // Y04
  const LeakCheck check;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_THAT(check.leaks(), HasSubstr("the process " + std::to_string(child)));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_THAT(check.leaks(), IsEmpty());
}

TEST_F(TestingTest, ACompileWorkerThatIsKeptIsNoLeak) {  // Y04
  const LeakCheck check(runtime_.get());
  SandboxSpec compiled = spec();
  compiled.tier = Tier::compiled;
  {
    const auto sandbox = ScopedSandbox::create(*runtime_, std::move(compiled));
    ASSERT_TRUE(sandbox) << sandbox.error().message;
  }
  EXPECT_THAT(check.leaks(), IsEmpty());
}

TEST(LeakCheckTest, KnowsADescriptorWhoseFileWasRenamedOrDeleted) {  // Y04
  const TemporaryFolder folder;
  folder.write("log", "");
  const int descriptor = ::open((folder.path() / "log").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  const LeakCheck check;
  std::filesystem::rename(folder.path() / "log", folder.path() / "log.1");
  EXPECT_THAT(check.leaks(), IsEmpty());
  std::filesystem::remove(folder.path() / "log.1");
  EXPECT_THAT(check.leaks(), IsEmpty());
  ::close(descriptor);
}

TEST(LeakCheckTest, NamesFilesThatAreLeftOver) {  // Y04
  const TemporaryFolder folder;
  folder.write("before", "");
  const LeakCheck check(nullptr, folder.path().string());
  EXPECT_THAT(check.leaks(), IsEmpty());
  folder.write("after", "");
  EXPECT_THAT(check.leaks(), HasSubstr("the file " + (folder.path() / "after").string()));
}

TEST_F(TestingTest, StressesWithMixedVerbsAndCountsTheirResults) {  // Y06
  const StressReport report = stress(*runtime_, {.threads = 3, .operations = 300, .seed = 7});
  EXPECT_EQ(report.seed, 7U);
  EXPECT_EQ(report.operations(), 900U);
  EXPECT_GT(report.results.size(), 5U);
  // The result of each depends on what the other threads do.
  for (const std::string verb : {"call", "reload", "rollback", "fork", "restart with state"}) {
    const auto next = report.results.lower_bound(verb + " ");
    EXPECT_TRUE(next != report.results.end() && next->first.starts_with(verb + " ")) << verb;
  }
  EXPECT_TRUE(report.results.contains("call ok"));
  EXPECT_EQ(runtime_->list().total, 0U);
  for (const auto& [result, count] : report.results) {
    EXPECT_THAT(result, Not(HasSubstr("host_fault")));
    EXPECT_THAT(result, Not(HasSubstr("engine_fault")));
  }
}

}  // namespace
}  // namespace petri::testing
