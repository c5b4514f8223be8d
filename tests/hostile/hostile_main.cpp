// The suite as a program: as usual, and with PETRI_FACTS it keeps what it saw. Each repetition (--gtest_repeat) has a
// seed of its own, from PETRI_SEED on.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hostile/hostile_facts.h"
#include "hostile/hostile_settings.h"

namespace petri {
namespace {

// "BothTiers/HostileMemory.GrowsToItsLimit/compiled" is "HostileMemory.GrowsToItsLimit".
std::string plain_name(const ::testing::TestInfo& test) {
  std::string suite = test.test_suite_name(), name = test.name();
  suite.erase(0, suite.find('/') + 1);
  return suite + "." + name.substr(0, name.find('/'));
}

std::string first_failure(const ::testing::TestResult& result) {
  for (int i = 0; i < result.total_part_count(); ++i) {
    const ::testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.failed()) return part.summary();
  }
  return {};
}

class FactsListener : public ::testing::EmptyTestEventListener {
  void OnTestIterationStart(const ::testing::UnitTest&, int iteration) override {
    hostile_seed() = count_from_environment("PETRI_SEED", 0) + static_cast<std::uint64_t>(iteration);
  }
  void OnTestStart(const ::testing::TestInfo& test) override {
    HostileFacts::instance().begin(plain_name(test), hostile_seed());
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    const ::testing::TestResult& result = *test.result();
    HostileFacts::instance().end({{"test", plain_name(test)},
                                  {"seed", hostile_seed()},
                                  {"passed", result.Passed()},
                                  {"skipped", result.Skipped()},
                                  {"failure", first_failure(result)},
                                  {"ms", result.elapsed_time()}});
  }
};

}  // namespace
}  // namespace petri

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const char* path = std::getenv("PETRI_FACTS"); path != nullptr) petri::HostileFacts::instance().open(path);
  ::testing::UnitTest::GetInstance()->listeners().Append(new petri::FactsListener);
  return RUN_ALL_TESTS();
}
