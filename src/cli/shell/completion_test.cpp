#include "cli/shell/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace petri::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const KnownNames kKnown{.sandboxes = {{"orders",
                                       {.processes = {"pool", "pool/worker"},
                                        .modules = {"orders", "tax"},
                                        .functions = {"add", "sum"},
                                        .versions = {{"orders", {"2", "1"}}, {"tax", {"31"}}}}},
                                      {"other", {.processes = {"main"}, .modules = {"main"}, .functions = {"spin"}}}},
                        .background_calls = {"1", "12"}};

std::vector<std::string> offered(std::string_view line) { return complete(line, line.size(), kKnown).candidates; }

TEST(Completion, StartsWithTheVerbs) {
  EXPECT_THAT(offered("ca"), ElementsAre("call", "call_all", "cancel"));
  EXPECT_THAT(offered(""), Contains("destroy"));
  EXPECT_THAT(offered("help resta"), ElementsAre("restart", "restart_child"));
  EXPECT_THAT(offered("nonsense "), IsEmpty());
}

TEST(Completion, OffersWhatCanStandInThePlace) {
  EXPECT_THAT(offered("call "), ElementsAre("orders", "other"));
  EXPECT_THAT(offered("call orders/"), ElementsAre("orders/pool", "orders/pool/worker"));
  EXPECT_THAT(offered("call orders/pool/worker s"), ElementsAre("sum"));
  EXPECT_THAT(offered("call other "), ElementsAre("spin"));
  EXPECT_THAT(offered("run orders/"), ElementsAre("orders/orders", "orders/tax"));
  EXPECT_THAT(offered("start_child orders clerk "), ElementsAre("orders", "tax"));
  EXPECT_THAT(offered("reload orders/"), ElementsAre("orders/orders", "orders/tax"));
  EXPECT_THAT(offered("activate orders/orders "), ElementsAre("1", "2"));
  EXPECT_THAT(offered("rollback orders 3"), ElementsAre("31"));
  EXPECT_THAT(offered("activate nobody "), IsEmpty());
  EXPECT_THAT(offered("plan orders f.wat --state m"), ElementsAre("memory"));
  EXPECT_THAT(offered("cancel 1"), ElementsAre("1", "12"));
  EXPECT_THAT(offered("limits orders fu"), ElementsAre("fuel_max="));
  EXPECT_THAT(offered("limits orders fuel_max=1 tim"), ElementsAre("timers_max="));
  EXPECT_THAT(offered("permissions orders +cl"), ElementsAre("+clock"));
  EXPECT_THAT(offered("events "), ElementsAre("off", "on", "wait"));
  EXPECT_THAT(offered("events wait process.ex"), ElementsAre("process.exited"));
  EXPECT_THAT(offered("events on or"), ElementsAre("orders"));
  EXPECT_THAT(offered("find --status r"), ElementsAre("reloading", "running"));
}

TEST(Completion, OffersOptionsOnceADashIsThere) {
  EXPECT_THAT(offered("usage orders --"), ElementsAre("--history"));
  EXPECT_THAT(offered("create a --de"), ElementsAre("--deterministic"));
  EXPECT_THAT(offered("create a --profile st"), ElementsAre("standard", "strict"));
  EXPECT_THAT(offered("call orders --timeout 5s ad"), ElementsAre("add"));
}

TEST(Completion, SaysWhereFilesFit) {
  const Completion file = complete("create a gue", 12, kKnown);
  EXPECT_TRUE(file.files);
  EXPECT_EQ(file.prefix, "gue");
  EXPECT_EQ(file.begin, 9U);
  EXPECT_TRUE(complete("run orders f --file ", 20, kKnown).files);
  EXPECT_FALSE(complete("create a", 8, kKnown).files);
}

TEST(Completion, LooksOnlyAtWhatStandsBeforeTheCursor) {
  const Completion completion = complete("call ord add", 8, kKnown);
  EXPECT_THAT(completion.candidates, ElementsAre("orders"));
  EXPECT_EQ(completion.begin, 5U);
  EXPECT_EQ(complete("ca", 99, kKnown).prefix, "ca");
}

TEST(Completion, WorksInsideQuotesAndNotInComments) {
  EXPECT_THAT(offered("call \"ord"), ElementsAre("orders"));
  EXPECT_THAT(offered("call # ord"), IsEmpty());
  EXPECT_THAT(offered("#"), IsEmpty());
  EXPECT_THAT(offered("call \"\\q"), IsEmpty());
  EXPECT_THAT(offered("\xff"), IsEmpty());
}

TEST(PathCompletion, OffersNamesOfTheFolder) {
  const auto folder = std::filesystem::temp_directory_path() / "petri_path_completion_test";
  std::filesystem::create_directories(folder / "guests");
  std::ofstream(folder / "guide.wat") << "";
  std::ofstream(folder / ".hidden") << "";
  const std::string path = folder.string() + "/";
  EXPECT_THAT(complete_path(path + "gu"), ElementsAre(path + "guests/", path + "guide.wat"));
  EXPECT_THAT(complete_path(path), Not(Contains(path + ".hidden")));
  EXPECT_THAT(complete_path(path + ".h"), ElementsAre(path + ".hidden"));
  EXPECT_THAT(complete_path(path + "none/such"), IsEmpty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace petri::cli
