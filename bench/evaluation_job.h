// The job evaluations are measured by: candidates over some cases, from bytes in hand to a score and a line in a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/candidate_batch.h"
#include "petri/evaluate.h"
#include "petri/records.h"
#include "petri/result.h"

namespace petri::bench {

// A path in the folder for temporary files, for as long as this lives.
class TemporaryFile {
 public:
  static Result<std::unique_ptr<TemporaryFile>> create();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// 20 points of a polynomial, and its values there as targets; limits as for arithmetic: generous, but not endless.
std::vector<Case> polynomial_cases();
EvaluationSpec polynomial_spec();

// One evaluator, kept from round to round as a user keeps it.
class EvaluationJob {
 public:
  struct Manner {
    unsigned workers = 2;
    Tier tier = Tier::automatic;
    bool records = true;  // into a file, with receipts
    RecordsForm form = RecordsForm::compact;
  };

  static Result<EvaluationJob> create(std::vector<Case> cases = polynomial_cases(),
                                      EvaluationSpec spec = polynomial_spec());

  // Evaluates, whatever the outcomes of the candidates are.
  Result<Evaluation> evaluate(const CandidateBatch& batch, const Manner& manner);
  // Evaluates and drops everything again; host_fault unless all candidates were looked at and are ok.
  Result<void> evaluate_honest(const CandidateBatch& batch, const Manner& manner);

 private:
  EvaluationJob(std::unique_ptr<TemporaryFile> file, std::vector<Case> cases, EvaluationSpec spec);

  std::unique_ptr<TemporaryFile> file_;
  std::vector<Case> cases_;
  EvaluationSpec spec_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace petri::bench
