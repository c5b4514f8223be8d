// Opens what lies inside a folder, and nothing else: no "..", no absolute path, no symbolic link.
#pragma once

#include <string>

#include "base/files/owned_descriptor.h"
#include "host/wasi/errno.h"

namespace petri {

// `flags` as for open(2); O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK and O_NOCTTY are added. Never blocks on a FIFO or device.
WasiResult<OwnedDescriptor> open_beneath(int folder, const std::string& path, int flags);

// The folder an entry stands in, and its name there, which is neither "." nor "..".
struct EntryPlace {
  OwnedDescriptor folder;
  std::string name;
};
// For what is to be made, renamed or removed: the entry itself is not looked at. Slashes at the end are ignored.
WasiResult<EntryPlace> find_entry(int folder, const std::string& path);

}  // namespace petri
