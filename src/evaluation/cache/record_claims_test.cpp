#include "evaluation/cache/record_claims.h"

#include <gtest/gtest.h>

#include <limits>

#include "evaluation/candidate/receipt.h"

namespace petri {
namespace {

StoredRecord ok_record() {
  StoredRecord stored{.record = {.artifact = ArtifactId{}, .outcome = OutcomeKind::ok}, .wasm = {{0, 1}}};
  stored.record.value_types = {ValueType::f64};
  stored.record.kinds = {OutcomeKind::ok, OutcomeKind::ok};
  stored.record.value_bits = {Value(1.0).bits(), Value(2.0).bits()};
  return stored;
}

StoredRecord ended_by_time() {
  StoredRecord stored = ok_record();
  stored.record.kinds[1] = OutcomeKind::deadline;
  stored.record.outcome = OutcomeKind::deadline;
  stored.record.first_failure = 1;
  stored.record.repeatable = false;
  return stored;
}

std::string contradiction(const StoredRecord& stored) {
  const auto found = first_contradiction(stored);
  return found ? found->field : "";
}

TEST(RecordClaims, OfAnHonestRecordFitTogether) {
  EXPECT_EQ(contradiction(ok_record()), "");
  EXPECT_EQ(contradiction(ended_by_time()), "");
  StoredRecord trapped_first = ended_by_time();
  trapped_first.record.kinds[0] = OutcomeKind::trapped;
  trapped_first.record.outcome = OutcomeKind::trapped;
  EXPECT_EQ(contradiction(trapped_first), "") << "time ended a later case";
}

TEST(RecordClaims, CallNothingUnrepeatableThatTimeDidNotEnd) {
  for (const OutcomeKind kind : {OutcomeKind::ok, OutcomeKind::trapped, OutcomeKind::out_of_fuel}) {
    StoredRecord forged = ok_record();
    forged.record.kinds[0] = kind;
    forged.record.outcome = kind;
    forged.record.repeatable = false;
    EXPECT_EQ(contradiction(forged), "repeatable") << name_of(kind);
  }
  StoredRecord rejected{.record = {.error = ErrorCode::rejected, .repeatable = false}};
  EXPECT_EQ(contradiction(rejected), "repeatable");
  StoredRecord failed{.record = {.error = ErrorCode::host_fault, .repeatable = false}};
  EXPECT_EQ(contradiction(failed), "");
}

TEST(RecordClaims, CallNothingRepeatableThatTimeEnded) {
  StoredRecord forged = ended_by_time();
  forged.record.repeatable = true;
  EXPECT_EQ(contradiction(forged), "repeatable");
}

TEST(RecordClaims, HaveNoReceiptForWhatNobodyCanRepeat) {
  StoredRecord forged = ended_by_time();
  forged.record.receipt = Sha256{};
  EXPECT_EQ(contradiction(forged), "receipt");
}

TEST(RecordClaims, HaveTheOutcomeOfTheFirstCaseThatIsNotOk) {
  StoredRecord forged = ok_record();
  forged.record.outcome = OutcomeKind::deadline;
  forged.record.repeatable = false;
  EXPECT_EQ(contradiction(forged), "outcome");
  forged = ended_by_time();
  forged.record.outcome = OutcomeKind::ok;
  EXPECT_EQ(contradiction(forged), "outcome");
}

TEST(RecordClaims, HaveACandidateWhereThereIsAnOutcome) {
  StoredRecord forged = ok_record();
  forged.wasm.reset();
  EXPECT_EQ(contradiction(forged), "wasm");
  EXPECT_EQ(contradiction({.record = {.error = ErrorCode::module_too_large}}), "");
}

TEST(RecordClaims, HaveTheScoreThatTheirValuesGive) {
  RecordsHeader header{.scored_by = ScoredBy::targets};
  header.spec.targets = {1, 4};
  StoredRecord stored = ok_record();
  stored.record.score = 4;
  EXPECT_FALSE(wrong_score(stored.record, header));
  stored.record.score = -1'000;
  ASSERT_TRUE(wrong_score(stored.record, header));
  EXPECT_EQ(wrong_score(stored.record, header)->found, "4");
  Record late = ended_by_time().record;
  late.score = 0;
  EXPECT_TRUE(wrong_score(late, header)) << "what is not ok in every case scores NaN";
  late.score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(wrong_score(late, header));
  header.scored_by = ScoredBy::nobody;
  EXPECT_TRUE(wrong_score(stored.record, header));
  header.scored_by = ScoredBy::host;
  EXPECT_FALSE(wrong_score(stored.record, header)) << "only the host knows";
}

TEST(RecordClaims, AreBoundByAReceiptThatFits) {
  const RecordsHeader header{.digest = {1, 2, 3}};
  Record record = ok_record().record;
  EXPECT_FALSE(has_fitting_receipt(record, header));
  record.receipt = receipt_of(record, header.digest);
  EXPECT_TRUE(has_fitting_receipt(record, header));
  record.fuel_used = 1;
  EXPECT_FALSE(has_fitting_receipt(record, header));
}

}  // namespace
}  // namespace petri
