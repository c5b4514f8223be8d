#include "bench/evaluation_job.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "petri/records.h"

namespace petri::bench {
namespace {

// Code is compiled in this process, so that processor time counts it.
const MachineCodeOptions kHere{.in_process = true};

}  // namespace

Result<std::unique_ptr<TemporaryFile>> TemporaryFile::create() {
  std::error_code none;
  std::string path = std::filesystem::temp_directory_path(none) / "petri-bench-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) {
    return fail(ErrorCode::io_error, "no temporary file can be made; set TMPDIR to a folder that can be written to");
  }
  ::close(descriptor);
  return std::unique_ptr<TemporaryFile>(new TemporaryFile(std::move(path)));
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

std::vector<Case> polynomial_cases() {
  std::vector<Case> cases;
  for (int x = 0; x < 20; ++x) cases.push_back({.arguments = {Value(static_cast<double>(x))}, .input = {}});
  return cases;
}

EvaluationSpec polynomial_spec() {
  EvaluationSpec spec{.function = "f", .fuel_max = 10'000, .memory_bytes_max = 1 << 20};
  for (const Case& one : polynomial_cases()) {
    const double x = one.arguments.front().f64();
    spec.targets.push_back(x + x * x + x * x * x + x * x * x * x);
  }
  return spec;
}

EvaluationJob::EvaluationJob(std::unique_ptr<TemporaryFile> file, std::vector<Case> cases, EvaluationSpec spec)
    : file_(std::move(file)),
      cases_(std::move(cases)),
      spec_(std::move(spec)),
      evaluator_(std::make_unique<Evaluator>(HostFunctions(), EvaluatorOptions{.compile = kHere})) {}

Result<EvaluationJob> EvaluationJob::create(std::vector<Case> cases, EvaluationSpec spec) {
  PETRI_TRY(auto file, TemporaryFile::create());
  return EvaluationJob(std::move(file), std::move(cases), std::move(spec));
}

Result<Evaluation> EvaluationJob::evaluate(const CandidateBatch& batch, const Manner& manner) {
  EvaluationOptions options{.workers = manner.workers, .tier = manner.tier, .receipts = manner.records};
  std::unique_ptr<RecordsWriter> writer;
  if (manner.records) {
    // A file that is emptied and filled again is sent to the disk at once by some file systems; a new one is not.
    ::unlink(file_->path().c_str());
    PETRI_TRY(writer, RecordsWriter::create(file_->path(), manner.form));
  }
  options.records = writer.get();
  PETRI_TRY(Evaluation evaluation, evaluator_->evaluate(batch.candidates(), cases_, spec_, options));
  if (writer != nullptr) PETRI_TRY(writer->close());
  if (evaluation.write_error) return fail(*evaluation.write_error);
  return evaluation;
}

Result<void> EvaluationJob::evaluate_honest(const CandidateBatch& batch, const Manner& manner) {
  PETRI_TRY(const Evaluation evaluation, evaluate(batch, manner));
  const auto is_ok = [](const Record& record) { return record.outcome == OutcomeKind::ok; };
  const bool all_ok = std::ranges::all_of(evaluation.records, is_ok);
  if (all_ok && evaluation.counts.evaluated == batch.size()) return {};
  return fail(ErrorCode::host_fault, "the evaluation of the benchmark did not go as expected");
}

}  // namespace petri::bench
