// petri report FILE -o PAGE: a records file or a population as an HTML page.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/report/report.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ReportPageOptions {
  std::string file;
  std::string page;
  std::optional<BestScore> best;  // of records; nullopt: the smallest
  std::string name;               // of the population, where the file has several
  std::string title;
  std::uint64_t top = ReportOptions{}.top;
  bool json = false;
};

CLI::App* add_report(CLI::App& app, ReportPageOptions& options);

ExitCode execute(const ReportPageOptions& options, Console& console);

}  // namespace petri::cli
