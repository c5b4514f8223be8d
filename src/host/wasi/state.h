// The descriptors that a WASI program has open.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/folder.h"
#include "host/files/held_descriptor.h"
#include "host/guest/held_bytes.h"
#include "host/wasi/errno.h"

namespace petri {

class FileCall;

// The flags of an open descriptor that petri knows, as WASI numbers them.
inline constexpr std::uint16_t kFlagAppend = 1;
inline constexpr std::uint16_t kFlagNonblock = 4;

enum class DescriptorKind : std::uint8_t { standard_input, standard_output, standard_error, folder, file };

struct WasiDescriptor {
  DescriptorKind kind = DescriptorKind::file;
  bool granted = false;  // the folder the host has granted, open from the start
  bool readable = false;
  bool writable = false;
  bool append = false;
  std::uint64_t position = 0;        // petri keeps it: the host's descriptor is only ever used with an offset
  OpenedFile file;                   // of a file or folder; the granted folder uses Folder::root()
  std::vector<FolderEntry> listing;  // of a folder that is being read: names do not move under its reader
  HeldBytes listing_bytes;
  HeldDescriptor held;  // of a file or folder that was opened
};

// Descriptors 0, 1 and 2 are the standard streams, 3 is the granted folder if there is one.
class WasiState {
 public:
  static constexpr std::size_t kDescriptorsMax = 64;

  explicit WasiState(std::shared_ptr<Folder> folder);
  ~WasiState();
  WasiState(const WasiState&) = delete;
  WasiState& operator=(const WasiState&) = delete;

  // None for a number that is not open. Valid until the next open() or close().
  WasiDescriptor* find(std::uint32_t number);
  // The lowest free number from 3 on, or mfile.
  WasiResult<std::uint32_t> open(WasiDescriptor descriptor);
  bool close(std::uint32_t number);
  // Closes `to` and gives its number to `from`; false unless both are open.
  bool renumber(std::uint32_t from, std::uint32_t to);
  bool is_full() const;

  // For a FileCall, and through it: a call that asks the kernel looks at the clock afterwards.
  Folder& folder(FileCall&) { return *folder_; }
  int host_descriptor(FileCall&, const WasiDescriptor& descriptor) const;

  // Standard input is read from the start.
  void rewind_input();
  // The bytes written to standard error since its last line ended.
  std::string& error_line() { return error_line_; }
  // It waits for its end, on the guest's account. Where that has no room the line is gone, and its length the answer.
  std::size_t keep_error_line(HostContext& context);

 private:
  std::shared_ptr<Folder> folder_;
  std::vector<std::optional<WasiDescriptor>> descriptors_;
  std::string error_line_;
  HeldBytes error_line_bytes_;
};

}  // namespace petri
