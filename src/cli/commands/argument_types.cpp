#include "cli/commands/argument_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/commands/candidate_batch.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

// The function of the candidate in this file, if it is one and has it.
std::optional<Signature> signature_in(const std::string& path, const WantedFunction& wanted) {
  const auto bytes = load_candidate(path, wanted.module_bytes_max);
  if (!bytes) return std::nullopt;
  const auto artifact = artifact_in(path, *bytes, wanted.module_bytes_max);
  if (!artifact) return std::nullopt;
  const ExportInfo* found = (*artifact)->find_export(wanted.name);
  if (found == nullptr || found->kind != ExternKind::function) return std::nullopt;
  return found->signature;
}

std::string words_for(std::size_t arguments) {
  return arguments == 1 ? "1 argument" : fmt::format("{} arguments", arguments);
}

std::unexpected<Error> nobody_has(const WantedFunction& wanted, std::size_t candidates, const std::string& instead) {
  const std::string who = candidates == 1
                              ? "the candidate has no function"
                              : fmt::format("none of the {} candidates has a function", format_count(candidates));
  return fail(ErrorCode::not_found,
              fmt::format("{} \"{}\" that takes {}, as the cases do{}; check --function, or give \"types\" beside "
                          "\"cases\" to evaluate them all the same",
                          who, escape_text(wanted.name, 100), words_for(wanted.arguments), instead));
}

}  // namespace

Result<std::vector<ValueType>> find_argument_types(std::span<const std::string> paths, const WantedFunction& wanted) {
  std::string instead;
  for (const std::string& path : paths) {
    auto signature = signature_in(path, wanted);
    if (!signature) continue;
    if (signature->params.size() == wanted.arguments) return std::move(signature->params);
    if (instead.empty()) instead = fmt::format(" (that of {} is {})", file_title(path), to_text(*signature));
  }
  return nobody_has(wanted, paths.size(), instead);
}

}  // namespace petri::cli
