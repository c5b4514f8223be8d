// The counting guest compiled once, and as many instances of it as are wanted, without a sandbox around them.
#pragma once

#include <memory>

#include "engine/instance/instance.h"
#include "petri/artifact.h"

namespace petri::bench {

// Any thread.
class CompiledGuest {
 public:
  static Result<CompiledGuest> load();

  // A new instance that has been called once and has written into its page.
  Result<std::unique_ptr<Instance>> start() const;

 private:
  CompiledGuest(ArtifactPtr artifact, CodePtr code, std::uint32_t number)
      : artifact_(std::move(artifact)), code_(std::move(code)), number_(number) {}

  ArtifactPtr artifact_;
  CodePtr code_;
  std::uint32_t number_;  // of the export it calls
};

}  // namespace petri::bench
