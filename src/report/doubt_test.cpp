#include "report/doubt.h"

#include <gtest/gtest.h>

#include "evaluation/candidate/receipt.h"

namespace petri {
namespace {

StoredRecord ok_record(const RecordsHeader& header) {
  StoredRecord stored{.record = {.artifact = ArtifactId{}, .outcome = OutcomeKind::ok}, .wasm = {{0, 1}}};
  stored.record.value_types = {ValueType::f64};
  stored.record.kinds = {OutcomeKind::ok};
  stored.record.value_bits = {Value(3.0).bits()};
  stored.record.score = 4;
  stored.record.receipt = receipt_of(stored.record, header.digest);
  return stored;
}

class DoubtTest : public testing::Test {
 protected:
  DoubtTest() { header_.spec.targets = {1}; }
  std::string doubt(const StoredRecord& stored) const { return doubt_about(stored, header_).value_or(""); }

  RecordsHeader header_{.scored_by = ScoredBy::targets};
};

TEST_F(DoubtTest, IsNotAboutARecordWhoseReceiptFits) { EXPECT_EQ(doubt(ok_record(header_)), ""); }

TEST_F(DoubtTest, IsAboutARecordWithoutAReceiptWhereTheFilePromisesThem) {
  StoredRecord stored = ok_record(header_);
  stored.record.receipt.reset();
  EXPECT_EQ(doubt(stored), "it has no receipt");
  header_.receipts = false;
  EXPECT_EQ(doubt(stored), "");
}

TEST_F(DoubtTest, IsAboutAReceiptOfSomethingElse) {
  StoredRecord stored = ok_record(header_);
  stored.record.fuel_used = 9;
  EXPECT_EQ(doubt(stored), "its receipt does not fit");
}

TEST_F(DoubtTest, IsAboutAScoreOfOtherValues) {
  StoredRecord stored = ok_record(header_);
  stored.record.score = -1'000;
  EXPECT_EQ(doubt(stored), "its score is not what its values give");
}

TEST_F(DoubtTest, IsAboutWhatIsCalledNotRepeatable) {
  StoredRecord stored = ok_record(header_);
  stored.record.repeatable = false;
  stored.record.receipt.reset();
  EXPECT_EQ(doubt(stored), "its \"repeatable\" contradicts the rest of it");
}

TEST_F(DoubtTest, IsAboutACandidateThatIsNotInTheFile) {
  StoredRecord stored = ok_record(header_);
  stored.wasm.reset();
  EXPECT_EQ(doubt(stored), "its candidate is not in the file");
}

TEST_F(DoubtTest, IsAboutAFirstLineWithTheDigestOfAnother) { EXPECT_TRUE(doubt_about(header_)); }

}  // namespace
}  // namespace petri
