// A module with all its versions, apart from any sandbox.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

struct SavedModule;

// A value that is cheap to copy. As bytes it has one format with a version and a checksum, like a Snapshot.
class ModuleArchive {
 public:
  explicit ModuleArchive(std::shared_ptr<const SavedModule> data) : data_(std::move(data)) {}

  const std::string& name() const;
  const SavedModule& data() const { return *data_; }

  std::string to_bytes() const;
  static Result<ModuleArchive> from_bytes(std::string_view bytes);

 private:
  std::shared_ptr<const SavedModule> data_;
};

}  // namespace petri
