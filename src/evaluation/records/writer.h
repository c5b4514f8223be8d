// The evaluation's side of the writers.
#pragma once

#include <string_view>

#include "petri/records.h"

namespace petri {

// The parts of RecordsWriter and TimingsWriter that only evaluations use. One thread at a time.
struct RecordsWriterAccess {
  // Takes the writer for one evaluation and writes the first line if there is none yet. `busy` while another evaluation
  // has it; validation_failed when the file was started with another spec.
  static Result<void> begin(RecordsWriter& writer, const RecordsHeader& header);
  static Result<std::unique_ptr<RecordsWriter>> on_standard_output(RecordsForm form);
  static RecordsForm form(const RecordsWriter& writer);
  static std::size_t row_base(const RecordsWriter& writer);
  // Rows left out at the end of the evaluation before.
  static std::size_t cancelled_before(const RecordsWriter& writer);
  static Result<void> append(RecordsWriter& writer, std::string_view lines);
  // Gives the writer back. `rows` were in the evaluation, the last `cancelled` of them left out.
  static void end(RecordsWriter& writer, std::size_t rows, std::size_t cancelled);

  static Result<void> append(TimingsWriter& writer, std::string_view lines);
  static std::size_t row_base(const TimingsWriter& writer);
  static void end(TimingsWriter& writer, std::size_t rows);
};

}  // namespace petri
