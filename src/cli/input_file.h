// Where a command reads from: a file, or stdin for "-".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "petri/artifact.h"
#include "petri/result.h"

namespace petri::cli {

// The file as it is named to people: "stdin" for "-", else as the caller wrote it, escaped.
std::string file_title(const std::string& file);

// Puts the file's name before the message, and into the details as "path".
Error name_file(const std::string& file, Error error);
template <typename T>
Result<T> name_file(const std::string& file, Result<T> result) {
  if (!result) return fail(name_file(file, std::move(result.error())));
  return result;
}

// All bytes of the file, or of stdin up to its end. Errors name the file as the caller wrote it.
Result<std::string> read_input(const std::string& file, std::uint64_t bytes_max);

// Bytes that begin like wasm are wasm, whatever the file is called; all else is text.
bool starts_like_wasm(std::string_view bytes);

// Checks what the file holds, as wasm or as wat. Errors begin with the file's name.
Result<ArtifactPtr> check_module(const std::string& file, std::string_view bytes, std::uint64_t bytes_max,
                                 ModuleBounds bounds = ModuleBounds::candidate);

// Reads a module's file: as read_input(), but too much is module_too_large.
Result<std::string> read_module_bytes(const std::string& file, std::uint64_t bytes_max);
// True if the file's ending is that of a language that is compiled, but for wat.
bool names_source_code(const std::string& file);
// Compiles a file of source code.
Result<ArtifactPtr> compile_file(const std::string& file, std::uint64_t bytes_max,
                                 ModuleBounds bounds = ModuleBounds::candidate);
// Reads and checks a module; source code is compiled.
Result<ArtifactPtr> read_module(const std::string& file, std::uint64_t bytes_max,
                                ModuleBounds bounds = ModuleBounds::candidate);

}  // namespace petri::cli
