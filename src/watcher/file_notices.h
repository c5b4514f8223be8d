// Where notices about folders come from.
#pragma once

#include <string>
#include <vector>

#include "petri/result.h"
#include "watcher/file_notice.h"

namespace petri {

// One thread at a time.
class FileNotices {
 public:
  virtual ~FileNotices() = default;
  // Watches a folder and returns its number, the same one for the same folder. limit_exceeded: this user may watch no
  // more folders; io_error for anything else. The path may be one in /proc/self/fd.
  virtual Result<int> add(const std::string& path) = 0;
  virtual void remove(int watch) = 0;
  // Readable when notices wait.
  virtual int descriptor() const = 0;
  // Appends some of those that wait; none if none do.
  virtual void read(std::vector<FileNotice>& notices) = 0;
  virtual bool waiting() const = 0;
};

}  // namespace petri
