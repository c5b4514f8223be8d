// Records files with any lines behind a final line that fits: read, verified and reported. Whatever was changed, a row
// that verification calls the same as before is true.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/assert.h"
#include "engine/sha256.h"
#include "fuzz/json_changes.h"
#include "fuzz/memory_file.h"
#include "fuzz/target.h"
#include "petri/records.h"
#include "petri/report/report.h"

namespace petri::fuzz {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kCandidates{
    R"((module (func (export "f") (param f64) (result f64) (f64.mul (local.get 0) (local.get 0)))))",
    R"((module (func (export "f") (param f64) (result f64) (f64.add (local.get 0) (f64.const 1)))))",
    R"((module (func (export "f") (param f64) (result f64) (loop (br 0)) (f64.const 0))))",
    R"((module (memory 1) (func (export "f") (param f64) (result f64) (drop (memory.grow (i32.const 3))) unreachable)))",
    "(module (func",
};

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

std::string read_all(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const std::vector<Case>& cases() {
  static const std::vector<Case> cases{{.arguments = {1.0}, .input = {}}, {.arguments = {2.0}, .input = {}}};
  return cases;
}

std::string in_quotes(const Sha256& digest) { return '"' + digest.hex() + '"'; }

// A good file, its lines, and what is true of its candidates.
class Records {
 public:
  Records() {
    const EvaluationSpec spec{.function = "f", .fuel_max = 1'000, .memory_bytes_max = 1 << 20, .targets = {1, 4}};
    std::vector<Candidate> candidates;
    for (const std::string_view text : kCandidates) candidates.push_back(Candidate::wat(text));
    auto writer = *RecordsWriter::create(file_.path());
    Evaluator evaluator;
    const auto evaluation = evaluator.evaluate(candidates, cases(), spec, {.records = writer.get()});
    FUZZ_REQUIRE(evaluation && !evaluation->write_error && writer->close());
    for (const Record& record : evaluation->records) {
      if (record.artifact) scores_[*record.artifact] = *record.score;
    }
    lines_ = lines_of(read_all(file_.path()));
    lines_.pop_back();
  }

  void try_changed(Choices& choices) {
    std::vector<json> lines = lines_;
    for (std::size_t count = 1 + choices.below(2); count > 0; --count) {
      change(lines[choices.below(lines.size())], choices);
    }
    if (choices.one_in(4)) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(choices.below(lines.size())));
    file_.write(sealed(lines, choices));
    read();
    verify();
    report();
    try_compact(choices);
  }

 private:
  // The file in compact form says the same; with some bytes changed it is refused, or verified like any other file.
  void try_compact(Choices& choices) {
    const MemoryFile compact;
    const auto conversion = convert_records(file_.path(), compact.path(), RecordsForm::compact);
    if (!conversion) return require_a_sentence(conversion.error());
    const std::size_t records = records_.size();
    file_.write(read_all(compact.path()));
    read();
    FUZZ_REQUIRE(!conversion->complete || records_.size() == records);
    std::string bytes = read_all(compact.path());
    for (std::size_t count = 1 + choices.below(3); count > 0; --count)
      bytes[choices.below(bytes.size())] ^= static_cast<char>(1 + choices.below(255));
    file_.write(bytes);
    read();
    verify();
  }

  // With the digest and the receipts of what the lines say now, as a forger makes them.
  std::string sealed(std::vector<json>& lines, Choices& choices) {
    std::string text = joined(lines);
    if (!choices.one_in(4)) text = with_receipts(text);
    if (choices.one_in(8)) return text;
    const auto digest = sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    const std::size_t records = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
    return text + fmt::format("{{\"records\":{},\"sha256\":\"{}\"}}\n", records, digest.hex());
  }
  static std::string joined(const std::vector<json>& lines) {
    std::string text;
    for (const json& line : lines) text += text_of(line) + '\n';
    return text;
  }
  std::string with_receipts(std::string text) const {
    file_.write(text);
    const auto parsed = read_records(file_.path());
    if (!parsed) return text;
    const Sha256 digest = spec_digest(parsed->header.cases, parsed->header.spec, {});
    replace(text, in_quotes(parsed->header.digest), in_quotes(digest));
    for (const StoredRecord& stored : parsed->records) {
      if (stored.record.receipt)
        replace(text, in_quotes(*stored.record.receipt), in_quotes(receipt_of(stored.record, digest)));
    }
    return text;
  }
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  }

  static void require_a_sentence(const Error& error) {
    FUZZ_REQUIRE(!error.message.empty() && error.message.size() < 10'000);
    FUZZ_REQUIRE(error.message.find('\n') == std::string::npos);
  }
  void read() {
    const auto file = read_records(file_.path());
    if (!file) require_a_sentence(file.error());
    records_ = file ? file->records : std::vector<StoredRecord>();
    scored_by_targets_ = file && file->header.spec.targets == std::vector<double>{1, 4} &&
                         file->header.cases == cases() && file->header.spec.function == "f" &&
                         !file->header.spec.harness;
  }
  void verify() {
    const auto verification = petri::verify(
        file_.path(), {},
        {.tier = Tier::interpreted,
         .workers = 1,
         .limits = {.fuel_max = 10'000, .memory_bytes_max = 1 << 20, .time_max = std::chrono::seconds(1)}});
    if (!verification) return require_a_sentence(verification.error());
    if (verification->verdict() != VerificationVerdict::verified) return;
    FUZZ_REQUIRE(verification->verified == records_.size());
    for (const StoredRecord& stored : records_) require_the_truth(stored.record);
  }
  // No record of a known candidate over known cases that ended well has a better score than the true one.
  void require_the_truth(const Record& record) const {
    if (!scored_by_targets_ || record.outcome != OutcomeKind::ok || !record.artifact || !record.score) return;
    const auto known = scores_.find(*record.artifact);
    if (known != scores_.end()) FUZZ_REQUIRE(record.score == known->second);
  }
  void report() const {
    const auto facts = write_report(file_.path(), page_.string());
    if (!facts) require_a_sentence(facts.error());
    std::filesystem::remove(page_);
  }

  MemoryFile file_;
  const std::filesystem::path page_ = std::filesystem::temp_directory_path() / fmt::format("fuzz-{}.html", ::getpid());
  std::vector<json> lines_;  // without the final one
  std::map<ArtifactId, double> scores_;
  std::vector<StoredRecord> records_;
  bool scored_by_targets_ = false;
};

}  // namespace

std::vector<std::string> seeds() { return {"r", "rr", "rrrr"}; }

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri::fuzz;
  static Records records;
  Choices choices({data, size});
  records.try_changed(choices);
  return 0;
}
