#include "cli/commands/audit.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "cli/command_error.h"
#include "cli/commands/audit_text.h"

namespace petri::cli {
namespace {

constexpr std::size_t kHashDigits = 64;

Result<std::optional<Sha256>> parse_hash(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto hash = Sha256::from_hex(*text);
  if (!hash) {
    return fail(
        ErrorCode::validation_failed,
        fmt::format("--contains: \"{}\" is not a hash, which has {} hexadecimal digits; see petri audit verify --help",
                    escape_text(*text, 200), kHashDigits));
  }
  return hash;
}

Result<ExitCode> verify_and_tell(const AuditVerifyOptions& options, Console& console) {
  PETRI_TRY(const auto contains, parse_hash(options.contains));
  PETRI_TRY(AuditVerification verification, verify_audit_file(options.file, contains));
  const AuditReport report{
      .file = options.file, .contains = contains ? contains->hex() : "", .verification = std::move(verification)};
  console.out.write(options.json ? to_line({{"audit", to_json(report)}}) : to_text(report));
  return report.is_whole() ? ExitCode::ok : ExitCode::difference;
}

}  // namespace

CLI::App* add_audit(CLI::App& app, AuditVerifyOptions& options) {
  CLI::App* audit = app.add_subcommand("audit", "Looks at audit files");
  audit->require_subcommand(0, 1);
  audit->footer("Example: petri audit verify audit.jsonl");
  CLI::App* verify =
      audit->add_subcommand("verify", "Follows the hashes of an audit file and shows where it was changed");
  verify->add_option("FILE", options.file, "What a runtime wrote as its audit file")->type_name("")->required();
  verify
      ->add_option("--contains", options.contains, "An entry with this hash must be in it, printed earlier as the last")
      ->type_name("HASH");
  verify->add_flag("--json", options.json, "One JSON object on stdout: audit or error");
  verify->footer(
      "The first line that is wrong is printed, with what is wrong about it, and makes the exit code 6.\n"
      "An end that was cut off can only be seen by whoever has kept a hash: --contains.\n\n"
      "Example: petri audit verify audit.jsonl");
  return audit;
}

ExitCode execute(const AuditVerifyOptions& options, Console& console) {
  const auto code = verify_and_tell(options, console);
  return code ? *code : report_error(code.error(), options.json, console);
}

}  // namespace petri::cli
