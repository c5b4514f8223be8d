// Populations read from JSON Lines that may come from anywhere.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files/line_file.h"
#include "base/json/bounded_json.h"
#include "base/text/escape.h"
#include "petri/population.h"
#include "population/lines/individual_line.h"
#include "population/lines/waiting_lines.h"
#include "population/population_store.h"
#include "population/rows.h"

namespace petri {
namespace {

constexpr std::size_t kImportedAtOnce = 1'000;
constexpr std::uint64_t kLinesFormat = 1;

// The first line; parse_failed unless it is the one of a population.
Result<void> check_first_line(std::string_view line, const std::string& path) {
  const std::string shown = escape_text(path, kPathShownBytesMax);
  const auto json = parse_json(line, {.bytes_max = 4'096, .depth_max = 2, .values_max = 16});
  if (!json || !json->is_object() || !json->contains("petri_population")) {
    return fail(ErrorCode::parse_failed, fmt::format("the file {} is no population in JSON Lines", shown));
  }
  const auto& format = json->at("petri_population");
  if (!format.is_number_unsigned() || format.get<std::uint64_t>() > kLinesFormat) {
    return fail(
        ErrorCode::rejected,
        fmt::format("the file {} has a format this petri does not read; it reads format {}", shown, kLinesFormat));
  }
  return {};
}

// The number of the last line, {"individuals":3}; nullopt for any other line.
std::optional<std::uint64_t> last_line(std::string_view line) {
  if (!line.starts_with("{\"individuals\":")) return std::nullopt;
  const auto json = parse_json(line, {.bytes_max = 100, .depth_max = 2, .values_max = 8});
  if (!json || !json->is_object() || json->size() != 1 || !json->at("individuals").is_number_unsigned()) {
    return std::nullopt;
  }
  return json->at("individuals").get<std::uint64_t>();
}

class Import {
 public:
  Import(PopulationStore& store, const std::string& population, const ImportOptions& options)
      : store_(store), population_(population), options_(options), now_(std::chrono::system_clock::now()) {}

  // Reads the lines behind the first. An Error is one of the store.
  Result<ImportReport> read(LineReader& reader) {
    std::uint64_t lines = 0;
    for (;;) {
      auto next = reader.next();
      if (!next) {
        refuse({.line = reader.line() + 1, .id = {}, .error = std::move(next.error())});
        break;
      }
      if (!*next) {
        refuse({.line = reader.line() + 1, .id = {}, .error = cut_short()});
        break;
      }
      if (const auto count = last_line(**next)) {
        if (*count != lines) refuse({.line = reader.line(), .id = {}, .error = lines_missing(*count, lines)});
        break;
      }
      ++lines;
      PETRI_TRY(take(**next, reader.line()));
    }
    PETRI_TRY(write());
    PETRI_TRY(finish());
    return std::move(report_);
  }

 private:
  static Error cut_short() {
    return {ErrorCode::parse_failed,
            "the file ends without its last line, which counts the individuals: it was cut short",
            {}};
  }
  static Error lines_missing(std::uint64_t counted, std::uint64_t lines) {
    return {ErrorCode::parse_failed,
            fmt::format("the last line counts {} individuals, and there are {}", counted, lines),
            {}};
  }

  Result<void> take(std::string_view line, std::size_t number) {
    std::string id;
    auto individual = read_individual_line(line, id);
    if (!individual) {
      refuse({.line = number, .id = std::move(id), .error = std::move(individual.error())});
      return {};
    }
    ready_.push_back({.line = number, .individual = std::move(*individual)});
    return ready_.size() < kImportedAtOnce ? Result<void>() : write();
  }

  // One transaction; what was waiting for one of the individuals follows it.
  Result<void> write() {
    std::vector<WaitingLine> rows = std::move(ready_);
    ready_.clear();
    if (rows.empty()) return {};
    return store_.write(population_, [&](PopulationWriter& writer) -> Result<void> {
      for (WaitingLine& row : rows) PETRI_TRY(add_with_waiting(writer, std::move(row)));
      return {};
    });
  }

  Result<void> add_with_waiting(PopulationWriter& writer, WaitingLine first) {
    std::vector<WaitingLine> next;
    next.push_back(std::move(first));
    while (!next.empty()) {
      WaitingLine row = std::move(next.back());
      next.pop_back();
      const std::string id = row.individual.id;
      PETRI_TRY(const bool added, add(writer, std::move(row)));
      if (!added) continue;
      for (WaitingLine& waited : waiting_.take(id)) next.push_back(std::move(waited));
    }
    return {};
  }

  // Returns false if it waits for a parent, or was refused.
  Result<bool> add(PopulationWriter& writer, WaitingLine row) {
    if (!last_round_) {
      for (const std::string& parent : row.individual.parents) {
        PETRI_TRY(const auto depth, writer.depth(parent));
        if (!depth) return wait(std::move(row), parent);
      }
    }
    const AddOptions options{.missing_parents = options_.missing_parents};
    PETRI_TRY(RowRefusal refusal, add_individual(writer, row.individual, options, now_, store_.individuals_max()));
    if (refusal) {
      refuse({.line = row.line, .id = row.individual.id, .error = *std::move(refusal)});
      return false;
    }
    ++report_.imported;
    return true;
  }

  bool wait(WaitingLine row, const std::string& parent) {
    if (waiting_.size() < options_.waiting_max) {
      const std::string missing = parent;
      waiting_.add(std::move(row), missing);
      return false;
    }
    refuse({.line = row.line,
            .id = row.individual.id,
            .error = {ErrorCode::too_large,
                      fmt::format("more than {} lines come before their parents'; sort the file by generation",
                                  options_.waiting_max),
                      {}}});
    return false;
  }

  // Lines that still wait are parts of a ring, or have a parent that is nowhere.
  Result<void> finish() {
    last_round_ = true;
    for (auto& left : waiting_.take_all()) {
      WaitingLine& row = left.waiting;
      if (left.in_ring) {
        refuse({.line = row.line,
                .id = row.individual.id,
                .error = {ErrorCode::circular_dependency,
                          fmt::format("the individual {} is its own ancestor", in_quotes(row.individual.id)),
                          {}}});
      } else {
        ready_.push_back(std::move(row));
      }
    }
    // Parents first: with missing_parents one that still waits may be the parent of another.
    std::ranges::stable_sort(ready_, {}, [](const WaitingLine& row) { return row.individual.depth; });
    return write();
  }

  void refuse(RefusedLine line) {
    if (report_.refused++ < kRefusalsKept) report_.refusals.push_back(std::move(line));
  }

  PopulationStore& store_;
  const std::string& population_;
  const ImportOptions options_;
  const PopulationTime now_;
  std::vector<WaitingLine> ready_;
  WaitingLines waiting_;
  bool last_round_ = false;
  ImportReport report_;
};

}  // namespace

Result<ImportReport> Population::import_json_lines(const std::string& path, const ImportOptions& options) {
  PETRI_TRY(const auto reader, LineReader::open(path, kPopulationLineBytesMax));
  auto first = reader->next();
  if (!first || !*first) {
    return fail(ErrorCode::parse_failed,
                fmt::format("the file {} is no population in JSON Lines", escape_text(path, kPathShownBytesMax)));
  }
  PETRI_TRY(check_first_line(**first, path));
  return Import(*store_, name_, options).read(*reader);
}

}  // namespace petri
