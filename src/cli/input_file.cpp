#include "cli/input_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "petri/compile.h"

namespace petri::cli {
namespace {

constexpr std::string_view kStdin = "-";
constexpr std::string_view kWasmMagic("\0asm", 4);

Result<std::string> read_stdin(std::uint64_t bytes_max) {
  std::string bytes;
  std::array<char, 64 << 10> step;
  while (bytes.size() <= bytes_max) {
    const ssize_t count = ::read(STDIN_FILENO, step.data(), step.size());
    if (count == 0) return bytes;
    if (count < 0 && errno != EINTR) {
      return fail(Error{.code = ErrorCode::io_error,
                        .message = fmt::format("stdin: it cannot be read ({})", std::generic_category().message(errno))}
                      .with("path", "-"));
    }
    if (count > 0) bytes.append(step.data(), static_cast<std::size_t>(count));
  }
  return fail(Error{.code = ErrorCode::too_large,
                    .message = fmt::format("stdin: it has more than the {} allowed", format_bytes(bytes_max))}
                  .with("path", "-"));
}

// Text as a person would write it. A truncated module, an ELF file or a picture gets a sentence of its own rather than
// the complaint of a parser about its first character.
bool could_be_text(std::string_view bytes) { return is_utf8(bytes) && bytes.find('\0') == std::string_view::npos; }

Result<ArtifactPtr> check(std::string_view bytes, std::uint64_t bytes_max, ModuleBounds bounds) {
  if (bytes.empty()) return fail(ErrorCode::rejected, "the file is empty");
  if (starts_like_wasm(bytes)) {
    return Artifact::from_wasm(as_bytes(bytes), bytes_max, bounds);
  }
  if (could_be_text(bytes)) return Artifact::from_wat(bytes, bytes_max, bounds);
  return fail(ErrorCode::rejected, "this is neither wasm, which begins with the bytes 00 61 73 6d, nor wat text");
}

}  // namespace

std::string file_title(const std::string& file) { return file == kStdin ? "stdin" : escape_text(file, 4096); }

Error name_file(const std::string& file, Error error) {
  error.message = fmt::format("{}: {}", file_title(file), error.message);
  return std::move(error).with("path", file);
}

Result<std::string> read_input(const std::string& file, std::uint64_t bytes_max) {
  if (file.empty()) return fail(ErrorCode::validation_failed, "the name of a file is empty");
  return file == kStdin ? read_stdin(bytes_max) : read_file(file, bytes_max);
}

bool starts_like_wasm(std::string_view bytes) { return bytes.starts_with(kWasmMagic); }

Result<ArtifactPtr> check_module(const std::string& file, std::string_view bytes, std::uint64_t bytes_max,
                                 ModuleBounds bounds) {
  auto artifact = check(bytes, bytes_max, bounds);
  if (!artifact) return fail(name_file(file, std::move(artifact.error())));
  return *artifact;
}

Result<std::string> read_module_bytes(const std::string& file, std::uint64_t bytes_max) {
  auto bytes = read_input(file, bytes_max);
  if (bytes || bytes.error().code != ErrorCode::too_large) return bytes;
  const std::string why = fmt::format("the module has more than module_bytes_max = {}", format_bytes(bytes_max));
  return fail(name_file(file, {.code = ErrorCode::module_too_large, .message = why}));
}

bool names_source_code(const std::string& file) {
  const SourceLanguage* const language = language_of_file(file);
  return language != nullptr && language->name != "wat";
}

Result<ArtifactPtr> compile_file(const std::string& file, std::uint64_t bytes_max, ModuleBounds bounds) {
  auto artifact = compile_module(Source::file(file), {.artifact_bytes_max = bytes_max, .bounds = bounds});
  if (artifact) return artifact;
  // The diagnostics of a source begin with its name already.
  const bool named = artifact.error().message.starts_with(file_title(file)) || !artifact.error().detail("file").empty();
  return named ? artifact : fail(name_file(file, std::move(artifact.error())));
}

Result<ArtifactPtr> read_module(const std::string& file, std::uint64_t bytes_max, ModuleBounds bounds) {
  if (names_source_code(file)) return compile_file(file, bytes_max, bounds);
  PETRI_TRY(const std::string bytes, read_module_bytes(file, bytes_max));
  return check_module(file, bytes, bytes_max, bounds);
}

}  // namespace petri::cli
