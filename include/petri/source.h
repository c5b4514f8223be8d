// The source of code: a file, wasm bytes, wat text or an artifact.
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
  enum class Kind : std::uint8_t { wasm, wat, file, artifact };

  static Source wasm(std::vector<std::uint8_t> bytes) {
    return Source(Kind::wasm, std::string(bytes.begin(), bytes.end()));
  }
  static Source wat(std::string text) { return Source(Kind::wat, std::move(text)); }
  // A .wasm or .wat file, told apart by its first bytes. Read when the sandbox is created.
  static Source file(std::string path) { return Source(Kind::file, std::move(path)); }
  static Source artifact(ArtifactPtr artifact) {
    Source source(Kind::artifact, {});
    source.artifact_ = std::move(artifact);
    return source;
  }

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }  // bytes, text or path
  const ArtifactPtr& artifact() const { return artifact_; }

  // The path where it was read, as the caller writes it. For bytes and text the caller may set it.
  const std::string& path() const { return kind_ == Kind::file ? text_ : path_; }
  Source read_from(std::string path) && {
    path_ = std::move(path);
    return std::move(*this);
  }

 private:
  Source(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  Kind kind_;
  std::string text_;
  std::string path_;
  ArtifactPtr artifact_;
};

struct ModuleSpec {
  std::string name;
  Source source;
  VersionNeeds needs;  // which versions of other modules it can work with, whether it imports from them or not
};

}  // namespace petri
