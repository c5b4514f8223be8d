#include "compiling/worker_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(WorkerPath, TheOptionStandsAboveTheVariableAndThatAboveTheProgramsFolder) {
  EXPECT_THAT(worker_places("/a/worker", "/b/worker", "/c"), ElementsAre("/a/worker"));
  EXPECT_THAT(worker_places("", "/b/worker", "/c"), ElementsAre("/b/worker"));
  EXPECT_THAT(worker_places("", "", "/c"), ElementsAre("/c/petri-compile-worker", "/c/../bin/petri-compile-worker",
                                                       "/c/../libexec/petri/petri-compile-worker"));
}

TEST(WorkerPath, TheTestsFindTheWorkerOfTheBuild) {
  const auto found = find_worker("");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, HasSubstr(kWorkerName));
}

TEST(WorkerPath, SaysWhereItWasLookedForAndWhatToDo) {
  const auto missing = find_worker("/nowhere/worker");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/worker"));
  EXPECT_THAT(missing.error().message, HasSubstr("PETRI_COMPILE_WORKER"));
}

TEST(WorkerPath, AFolderIsNoWorker) { EXPECT_FALSE(find_worker("/tmp")); }

}  // namespace
}  // namespace petri
