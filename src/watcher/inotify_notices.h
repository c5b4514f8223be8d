// Notices of the Linux kernel.
#pragma once

#include <memory>

#include "base/files/owned_descriptor.h"
#include "watcher/file_notices.h"

namespace petri {

class InotifyNotices final : public FileNotices {
 public:
  // limit_exceeded names the bound of the machine that is met.
  static Result<std::unique_ptr<FileNotices>> create();

  Result<int> add(const std::string& path) override;
  void remove(int watch) override;
  int descriptor() const override { return descriptor_.get(); }
  void read(std::vector<FileNotice>& notices) override;
  bool waiting() const override;

 private:
  explicit InotifyNotices(OwnedDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  const OwnedDescriptor descriptor_;
};

}  // namespace petri
