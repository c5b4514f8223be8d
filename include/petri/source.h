// The source of code: a file, a folder, wasm bytes, wat text, text in another language, or an artifact.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "petri/artifact.h"
#include "petri/versions.h"

namespace petri {

// The source of a module's code.
class Source {
 public:
  // The form in which the code is given.
  enum class Kind : std::uint8_t { wasm, wat, file, artifact, code, folder };

  // Bytes of wasm.
  static Source wasm(std::vector<std::uint8_t> bytes) {
    return Source(Kind::wasm, std::string(bytes.begin(), bytes.end()));
  }
  static Source wat(std::string text) { return Source(Kind::wat, std::move(text)); }
  // A .wasm or .wat file, told apart by its first bytes, or one whose ending names another language (compile.h).
  // Read when the sandbox is created.
  static Source file(std::string path) { return Source(Kind::file, std::move(path)); }
  // Text in a language of source_languages(): "c", "cpp", "assemblyscript", "rust", "wat".
  static Source code(std::string language, std::string text) {
    Source source(Kind::code, std::move(text));
    source.language_ = std::move(language);
    return source;
  }
  // A folder of sources: a file at its top is a module named by its stem, a subfolder is linked into one module.
  static Source folder(std::string path) { return Source(Kind::folder, std::move(path)); }
  // Code that was checked already.
  static Source artifact(ArtifactPtr artifact) {
    Source source(Kind::artifact, {});
    source.artifact_ = std::move(artifact);
    return source;
  }
  // Code that was compiled already, with the text in this language that its versions keep.
  static Source compiled(ArtifactPtr artifact, std::string language, std::string text) {
    Source source(Kind::artifact, std::move(text));
    source.artifact_ = std::move(artifact);
    source.language_ = std::move(language);
    return source;
  }

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }          // bytes, text or path
  const std::string& language() const { return language_; }  // of Kind::code and of compiled()
  const ArtifactPtr& artifact() const { return artifact_; }

  // The path where it was read, as the caller writes it. For bytes and text the caller may set it.
  const std::string& path() const { return kind_ == Kind::file || kind_ == Kind::folder ? text_ : path_; }
  // The same source with the path that messages and versions name.
  Source read_from(std::string path) && {
    path_ = std::move(path);
    return std::move(*this);
  }

 private:
  Source(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  Kind kind_;
  std::string text_;
  std::string path_;
  std::string language_;
  ArtifactPtr artifact_;
};

// A module of a sandbox by its name.
struct ModuleSpec {
  std::string name;
  Source source;
  VersionNeeds needs;  // which versions of other modules it can work with, whether it imports from them or not
};

}  // namespace petri
