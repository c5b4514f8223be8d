// Verification trusts nothing in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sha256.h"
#include "evaluation/records/lines.h"
#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Grows by this many pages and writes to the last of them.
std::string grows_by(int pages) {
  return fmt::format(R"((module (memory (export "memory") 1) (func (export "f") (param f64) (result f64)
    (drop (memory.grow (i32.const {})))
    (f64.convert_i32_u (memory.size)))))",
                     pages);
}

class VerifyTest : public RecordsTest {
 protected:
  // Changes lines, makes the digest and all receipts fit, and the final line too: a forger has petri.
  template <typename Change>
  void forge(Change change) {
    auto file = *read_records(file_.path());
    change(file);
    file.header.digest = spec_digest(file.header.cases, file.header.spec, HostFunctions());
    std::string text;
    append_header(text, file.header);
    for (StoredRecord& stored : file.records) {
      if (stored.record.receipt) stored.record.receipt = receipt_of(stored.record, file.header.digest);
      CandidateContent content;
      if (stored.wasm) content.wasm = *stored.wasm;
      append_record(text, stored.record, {}, content, nullptr);
    }
    write_ended(std::move(text), file.records.size());
  }
  void write_ended(std::string text, std::size_t records) {
    const auto digest = sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    append_ending(text, {.records = records, .sha256 = digest});
    file_.write(text);
  }
  std::string field_of_difference() const {
    const auto verification = verified();
    EXPECT_EQ(verification.verdict(), VerificationVerdict::different);
    return verification.difference ? verification.difference->field : "";
  }
  EvaluationSpec scored() const {
    EvaluationSpec spec = small_spec();
    spec.targets = {1};
    return spec;
  }
};

TEST_F(VerifyTest, AcceptsWhatAForgerLeavesAsItIs) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  const std::string before = file_.read();
  forge([](RecordsFile&) {});
  EXPECT_EQ(file_.read(), before);
  EXPECT_EQ(verified().verdict(), VerificationVerdict::verified);
}

// A score without a receipt, called not repeatable, was passed over.
TEST_F(VerifyTest, FindsAScoreThatHidesBehindNotRepeatable) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  forge([](RecordsFile& file) {
    file.records[1].record.score = -1'000;
    file.records[1].record.repeatable = false;
    file.records[1].record.receipt.reset();
  });
  EXPECT_EQ(field_of_difference(), "repeatable");
  EXPECT_EQ(verified().difference->row, 1U);
}

TEST_F(VerifyTest, FindsAScoreThatHidesBehindADeadline) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  forge([](RecordsFile& file) {
    Record& record = file.records[1].record;
    record.outcome = OutcomeKind::deadline;
    record.kinds = {OutcomeKind::deadline};
    record.value_bits = {0};
    record.first_failure = 0;
    record.score = -1'000;
    record.repeatable = false;
    record.receipt.reset();
  });
  EXPECT_EQ(field_of_difference(), "score");
}

// Errors of the machine are not run again: what stood beside one was passed over.
TEST_F(VerifyTest, FindsResultsThatStandBesideAnError) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  const std::string whole = file_.read();
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  const std::string others = whole.substr(second, whole.rfind("{\"records\"") - second);
  const std::string failed = R"({"row":0,"error":"host_fault","message":"x","repeatable":false)";
  write_ended(whole.substr(0, first) + failed + "}\n" + others, 2);
  EXPECT_EQ(verified().verdict(), VerificationVerdict::incomplete);
  const std::pair<std::string, std::string> forged[] = {
      {"score", R"("score":-5)"}, {"values", R"("values":[1])"}, {"cases", R"("cases":1)"}, {"fuel", R"("fuel":1)"}};
  for (const auto& [field, text] : forged) {
    write_ended(whole.substr(0, first) + failed + "," + text + "}\n" + others, 2);
    EXPECT_EQ(field_of_difference(), field);
    EXPECT_EQ(verified().difference->row, 0U);
  }
}

TEST_F(VerifyTest, FindsAScoreOfACandidateThatIsNotInTheFile) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  forge([](RecordsFile& file) { file.records[1].wasm.reset(); });
  EXPECT_EQ(field_of_difference(), "wasm");
}

TEST_F(VerifyTest, FindsAScoreBehindLimitsThatNobodyAllows) {
  write({polynomial(1), polynomial(2)}, cases_of({1}), scored());
  forge([](RecordsFile& file) {
    file.header.spec.memory_bytes_max = std::uint64_t{1} << 40;
    file.records[1].record.memory_peak_bytes = std::uint64_t{1} << 40;
    file.records[1].record.score = -1'000;
  });
  EXPECT_EQ(field_of_difference(), "score") << "its own values give another";
}

TEST_F(VerifyTest, FindsARowThatClaimsToHaveBeenEndedByTimeWithAReceipt) {
  write({polynomial(1)}, cases_of({1}), small_spec());
  forge([](RecordsFile& file) {
    Record& record = file.records[0].record;
    record.outcome = OutcomeKind::deadline;
    record.kinds = {OutcomeKind::deadline};
    record.value_bits = {0};
    record.first_failure = 0;
  });
  EXPECT_EQ(field_of_difference(), "repeatable");
}

// B23
TEST_F(VerifyTest, ListsRowsThatTimeEndedAndIsIncomplete) {
  EvaluationSpec spec = small_spec();
  spec.fuel_max = std::uint64_t{1} << 62;
  const Evaluation evaluation =
      write({polynomial(1), loop_for_ever()}, cases_of({1}), spec, {.case_time_max = std::chrono::milliseconds(5)});
  EXPECT_TRUE(evaluation.records[0].receipt);
  const Record& ended = evaluation.records[1];
  EXPECT_EQ(ended.outcome, OutcomeKind::deadline);
  EXPECT_FALSE(ended.repeatable);
  EXPECT_FALSE(ended.receipt);
  const Verification verification = verified();
  EXPECT_FALSE(verification.difference);
  EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
  EXPECT_EQ(verification.verified, 1U);
  EXPECT_EQ(verification.not_repeatable, 1U);
  EXPECT_TRUE(verification.whole);
  ASSERT_THAT(verification.listed, SizeIs(1));
  EXPECT_EQ(verification.listed[0].row, 1U);
  EXPECT_EQ(verification.listed[0].line, 3U);
  EXPECT_EQ(verification.listed[0].why, "time ended it");
  EXPECT_EQ(
      evaluate(evaluator_, {loop_for_ever()}, cases_of({1}), spec, {.case_time_max = std::chrono::milliseconds(5)})
          .counts.cache_hits,
      0U)
      << "what time ended is not remembered";
}

// 2^62 fuel for each case of an endless loop.
TEST_F(VerifyTest, DoesNotRunARowThatAsksForMoreFuelThanIsAllowed) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    write({polynomial(1), loop_for_ever()}, cases_of({1, 2, 3}), small_spec());
    forge([](RecordsFile& file) { file.header.spec.fuel_max = std::uint64_t{1} << 62; });
    EXPECT_EQ(field_of_difference(), "fuel") << "three cases that ran out of it used all that they had";
    forge([](RecordsFile& file) { file.records[1].record.fuel_used = 3 * (std::uint64_t{1} << 62); });
    const Verification verification = verified({.tier = tier});
    EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
    EXPECT_EQ(verification.verified, 1U) << "what a row needs counts, not what its file allows";
    EXPECT_EQ(verification.over_limits, 1U);
    ASSERT_THAT(verification.listed, SizeIs(1));
    EXPECT_EQ(verification.listed[0].why,
              "it needs 4,611,686,018,427,387,904 fuel for a case, and fuel_max is 1,000,000,000");
  }
}

TEST_F(VerifyTest, EndsARowThatSaysItUsesLittleFuelWithinWhatIsAllowed) {
  write({polynomial(1)}, cases_of({1}), small_spec());
  const ArtifactPtr artifact = *Artifact::from_wat(loop_for_ever(), 1 << 20);
  const std::vector<std::uint8_t> endless(artifact->bytes().begin(), artifact->bytes().end());
  forge([&](RecordsFile& file) {
    file.header.spec.fuel_max = std::uint64_t{1} << 62;
    file.records[0].wasm = endless;
    file.records[0].record.artifact = artifact->id();
  });
  EXPECT_EQ(verified({.limits = {.fuel_max = 10'000}}).difference->field, "outcome");
}

TEST_F(VerifyTest, NeedsNoMoreFuelThanTheEvaluationHad) {
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 50'000;
  write({loop_for_ever(), polynomial(1)}, cases_of({1, 2}), spec);
  EXPECT_EQ(verified({.limits = {.fuel_max = 50'000}}).verdict(), VerificationVerdict::verified);
  EXPECT_EQ(verified({.limits = {.fuel_max = 49'999}}).over_limits, 1U);
}

// A terabyte of memory.
TEST_F(VerifyTest, GivesNoRowMoreMemoryThanIsAllowed) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    EvaluationSpec spec = small_spec();
    spec.memory_bytes_max = 4 << 20;
    write({grows_by(10), grows_by(1'000)}, cases_of({1}), spec);
    EXPECT_EQ(verified({.tier = tier, .limits = {.memory_bytes_max = 1 << 20}}).verdict(),
              VerificationVerdict::verified)
        << "a growth that was refused is refused here too";
    forge([](RecordsFile& file) { file.header.spec.memory_bytes_max = std::uint64_t{1} << 40; });
    const Verification lie = verified({.tier = tier});
    ASSERT_TRUE(lie.difference) << "the second says that it could not grow, and now could";
    EXPECT_EQ(lie.difference->row, 1U);
    forge([](RecordsFile& file) { file.records[1].record.memory_peak_bytes = std::uint64_t{1} << 32; });
    const Verification verification = verified({.tier = tier});
    EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
    ASSERT_THAT(verification.listed, SizeIs(1));
    EXPECT_EQ(verification.listed[0].why, "it needs 4 GiB of memory, and memory_max is 256 MiB");
  }
}

// A first line is read before anything else of the file is known.
TEST_F(VerifyTest, ReadsNoLongerFirstLineThanItsMemoryLeavesRoomFor) {
  const std::string input(13 << 20, 'x');  // more than 16 MiB as base64
  const std::vector<Case> cases{{.arguments = {Value(1.0)}, .input = input}};
  write({polynomial(1)}, cases, small_spec());
  EXPECT_EQ(verified({.limits = {.memory_bytes_max = 128 << 20}}).verdict(), VerificationVerdict::verified);
  const auto refused = verify(file_.path(), {}, {.limits = {.memory_bytes_max = 1 << 20}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message,
            file_.path() + ": line 1 is too long; verifying reads what memory_bytes_max = 1 MiB leaves room for");
}

TEST_F(VerifyTest, ReadsNoMoreValuesInALineThanItsMemoryLeavesRoomFor) {
  std::string many = "[";
  for (int values = 0; values < 1 << 20; ++values) many += "0,";
  write({polynomial(1)}, cases_of({1}), small_spec());
  const std::string honest = file_.read();
  const auto refuses = [&](std::string_view before, int line) {
    std::string text = honest;
    text.insert(text.find(before) + before.size(), many + "0],");
    file_.write(text);
    const auto refused = verify(file_.path(), {}, {.limits = {.memory_bytes_max = 1 << 20}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::too_large);
    EXPECT_EQ(refused.error().message,
              fmt::format("{}: line {}: it has more than 1048576 values; verifying reads what memory_bytes_max = 1 MiB "
                          "leaves room for",
                          file_.path(), line));
  };
  refuses("\"cases\":[", 1);
  refuses("\"values\":[", 2);
}

TEST_F(VerifyTest, GivesUpARowThatTakesTooLong) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    EvaluationSpec spec = small_spec();
    spec.fuel_max = 100'000'000;
    write({polynomial(1), loop_for_ever()}, cases_of({1, 2, 3}), spec, {.tier = Tier::compiled});
    const Verification verification = verified({.tier = tier, .limits = {.time_max = std::chrono::milliseconds(2)}});
    EXPECT_FALSE(verification.difference);
    EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
    EXPECT_EQ(verification.over_limits, 1U);
    ASSERT_THAT(verification.listed, SizeIs(1));
    EXPECT_EQ(verification.listed[0].row, 1U);
    EXPECT_THAT(verification.listed[0].why, HasSubstr("longer than time_max"));
  }
}

TEST_F(VerifyTest, CountsTheTimeOfAllCasesOfARow) {
  const std::vector<Case> cases(200, Case{.arguments = {Value(1.0)}});
  EvaluationSpec spec = small_spec();
  spec.fuel_max = 1'000'000;
  write({loop_for_ever()}, cases, spec, {.tier = Tier::compiled});
  const Verification verification = verified({.limits = {.time_max = std::chrono::milliseconds(20)}});
  EXPECT_EQ(verification.over_limits, 1U);
}

TEST_F(VerifyTest, ListsNoMoreRowsThanAPersonReads) {
  CandidateSet population;
  for (int row = 0; row < 300; ++row) population.add(polynomial(row));
  write(population, cases_of({1}), small_spec());
  const Verification verification = verified({.limits = {.fuel_max = 1}});
  EXPECT_EQ(verification.over_limits, 300U);
  EXPECT_THAT(verification.listed, SizeIs(Verification::kListedMax));
}

TEST_F(VerifyTest, IsIncompleteWhereOnlyTheHostKnowsTheScores) {
  EvaluationOptions options;
  options.scorer = [](std::size_t, std::span<const CaseView>) { return 42.5; };
  write({polynomial(1)}, cases_of({1}), small_spec(), options);
  const Verification verification = verified();
  EXPECT_EQ(verification.verified, 1U);
  EXPECT_FALSE(verification.scores_repeated);
  EXPECT_EQ(verification.verdict(), VerificationVerdict::incomplete);
}

TEST_F(VerifyTest, FindsScoresThatAreSaidToBeTheHosts) {
  write({polynomial(1)}, cases_of({1}), scored());
  forge([](RecordsFile& file) {
    file.header.scored_by = ScoredBy::host;
    file.records[0].record.score = -1'000;
  });
  EXPECT_EQ(verified().verdict(), VerificationVerdict::incomplete) << "never verified";
}

TEST_F(VerifyTest, RefusesLimitsThatNoEvaluationCanHave) {
  write({polynomial(1)}, cases_of({1}), small_spec());
  forge([](RecordsFile& file) { file.header.spec.fuel_max = std::uint64_t{1} << 63; });
  const auto refused = verify(file_.path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("fuel_max"));
}

// A row names as many values as it likes, without having needed the memory for them.
TEST_F(VerifyTest, LeavesOutARowWhoseValuesTakeMoreThanItMay) {
  const std::string three =
      "(module (func (export \"f\") (param f64) (result f64 f64 f64) (local.get 0) (local.get 0) (local.get 0)))";
  write({three, polynomial(1)}, std::vector<Case>(4'000, Case{.arguments = {Value(1.0)}}), small_spec());
  const auto verification = verify(file_.path(), {}, {.limits = {.memory_bytes_max = 65'536}});
  ASSERT_TRUE(verification) << verification.error().message;
  EXPECT_EQ(verification->over_limits, 1U) << "96,000 bytes of values";
  EXPECT_EQ(verification->verified, 1U);
  EXPECT_EQ(verification->verdict(), VerificationVerdict::incomplete);
}

TEST_F(VerifyTest, ReportsProgressAndContinuesWhenNobodyCanBeReached) {
  write({polynomial(1), polynomial(2), polynomial(3)}, cases_of({1}), small_spec());
  for (const bool throws : {false, true}) {
    std::size_t reports = 0, last_done = 0;
    const auto verification = verify(file_.path(), {}, {.on_progress = [&](std::size_t done, std::size_t total) {
                                       ++reports;
                                       EXPECT_GE(done, last_done);
                                       EXPECT_LE(done, total);
                                       EXPECT_LE(total, 3U);
                                       last_done = done;
                                       if (throws) throw std::runtime_error("the caller's own");
                                     }});
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_EQ(verification->verdict(), VerificationVerdict::verified);
    EXPECT_GT(reports, 0U);
    EXPECT_EQ(last_done, 3U);
  }
}

TEST_F(VerifyTest, RefusesLinesOfAnyDepthInOneSentence) {
  write({polynomial(1)}, cases_of({1}), small_spec());
  const std::string rows = file_.read().substr(0, file_.read().find("{\"records\""));
  for (const std::string& line :
       {std::string(1'000'000, '['), "{\"row\":1,\"values\":" + std::string(1'000'000, '[')}) {
    file_.write(rows + line + "\n");
    const auto refused = verify(file_.path());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("line 3: it has more than 8 lists and objects within one another"));
  }
}

}  // namespace
}  // namespace petri
