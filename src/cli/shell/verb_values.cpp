#include "cli/shell/verb_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "cli/commands/function_choice.h"
#include "cli/input_file.h"
#include "cli/nearest.h"
#include "petri/compile.h"

namespace petri::cli {
namespace {

constexpr std::size_t kValuesListedMax = 10;

std::unexpected<Error> refuse(std::string_view option, const Error& error) {
  return fail(ErrorCode::validation_failed, fmt::format("{}: {}", option, error.message));
}

}  // namespace

Result<std::optional<std::uint64_t>> count_option(const BoundArguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  if (!text) return std::nullopt;
  const auto count = parse_count(*text);
  if (!count) return refuse(option, count.error());
  return *count;
}

Result<std::optional<std::chrono::nanoseconds>> time_option(const BoundArguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  if (!text) return std::nullopt;
  const auto time = parse_duration(*text);
  if (!time) return refuse(option, time.error());
  return *time;
}

Result<std::optional<Tier>> tier_option(const BoundArguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  if (!text) return std::nullopt;
  const auto tier = tier_named(*text);
  if (!tier) return no_such("tier", *text, {"interpreted", "compiled", "automatic"});
  return *tier;
}

std::unexpected<Error> no_such(std::string_view what, std::string_view name,
                               const std::vector<std::string_view>& names) {
  std::string proposal = did_you_mean(name, names);
  if (proposal.empty() && names.size() <= kValuesListedMax)
    proposal = fmt::format("; there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
  if (proposal.empty()) proposal = fmt::format("; the nearest are {}", fmt::join(nearest_names(name, names, 3), ", "));
  return fail(ErrorCode::validation_failed,
              fmt::format("there is no {} \"{}\"{}", what, escape_text(name, kWordShownBytesMax), proposal));
}

const std::vector<std::string_view>& all_status_names() {
  using enum SandboxStatus;
  static const std::vector<std::string_view> names{name_of(initializing), name_of(compiling), name_of(starting),
                                                   name_of(running),      name_of(reloading), name_of(stopping),
                                                   name_of(stopped),      name_of(isolated),  name_of(failed)};
  return names;
}

Result<std::pair<std::string, std::string>> name_and_value(std::string_view option, const std::string& text,
                                                           std::string_view form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(ErrorCode::validation_failed,
                fmt::format("{}: \"{}\" is not of the form {}", option, escape_text(text, kWordShownBytesMax), form));
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::string> module_meant(const SandboxInfo& info, const std::string& named) {
  if (!named.empty()) return named;
  if (info.modules.size() == 1) return info.modules.front().name;
  if (info.modules.empty()) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the sandbox {0} has the status {1} and no code; info {0} says why", info.id,
                            name_of(info.status)));
  }
  return fail(ErrorCode::validation_failed,
              fmt::format("the sandbox {} has {} modules: say which one is meant, {}/MODULE", info.id,
                          info.modules.size(), info.id));
}

Result<Source> read_source(const std::string& file, std::uint64_t bytes_max) {
  if (file == "-") return fail(ErrorCode::validation_failed, "a module is read from a file here, not from stdin");
  if (file.find('\0') != std::string::npos) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"{}\" is no name of a file", escape_text(file, kWordShownBytesMax)));
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return Source::folder(file);
  if (names_source_code(file)) return Source::file(file);
  PETRI_TRY(std::string bytes, read_module_bytes(file, bytes_max));
  const bool text = is_utf8(bytes) && bytes.find('\0') == std::string::npos;
  if (text) return Source::wat(std::move(bytes)).read_from(file);
  return Source::wasm({bytes.begin(), bytes.end()}).read_from(file);
}

ArtifactPtr try_artifact(const Source& source, std::uint64_t bytes_max) {
  if (source.kind() == Source::Kind::artifact) return source.artifact();
  if (source.kind() == Source::Kind::file || source.kind() == Source::Kind::folder) {
    auto compiled = compile_module(source, {.artifact_bytes_max = bytes_max});
    return compiled ? *compiled : nullptr;
  }
  auto artifact = source.kind() == Source::Kind::wat ? Artifact::from_wat(source.text(), bytes_max)
                                                     : Artifact::from_wasm(as_bytes(source.text()), bytes_max);
  return artifact ? *artifact : nullptr;
}

Result<std::vector<Value>> numbers_for(const ArtifactPtr& code, const std::string& function,
                                       const std::vector<std::string>& words) {
  if (code == nullptr) {
    if (words.empty()) return std::vector<Value>{};
    return fail(ErrorCode::validation_failed, "nothing is known of this code, so its numbers have no types");
  }
  PETRI_TRY(const ExportInfo* found, choose_function(*code, function));
  return parse_arguments(*found, words);
}

}  // namespace petri::cli
