// A folder that is being read, entry by entry.
#pragma once

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <string>

#include "host/files/beneath.h"

namespace petri {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

// None when it cannot be opened.
inline OpenFolder open_folder(int at, const std::string& path) {
  auto descriptor = open_beneath(at, path, O_RDONLY | O_DIRECTORY);
  if (!descriptor) return nullptr;
  OpenFolder folder(::fdopendir(descriptor->get()));
  if (folder != nullptr) descriptor->release();
  return folder;
}

}  // namespace petri
