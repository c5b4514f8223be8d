#include "sandbox/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/text/escape.h"

namespace petri {

Result<void> Labels::add(std::string_view label) {
  PETRI_TRY(check_label(label));
  MutexLock lock(mutex_);
  if (std::ranges::find(labels_, label) == labels_.end()) labels_.emplace_back(label);
  return {};
}

Result<void> Labels::remove(std::string_view label) {
  MutexLock lock(mutex_);
  if (std::erase(labels_, label) > 0) return {};
  return fail(ErrorCode::not_found,
              fmt::format("the sandbox {} has no label {}", sandbox_, escape_text(label, kSandboxIdBytesMax)));
}

bool Labels::contains(std::string_view label) const {
  MutexLock lock(mutex_);
  return std::ranges::find(labels_, label) != labels_.end();
}

std::vector<std::string> Labels::all() const {
  MutexLock lock(mutex_);
  return labels_;
}

}  // namespace petri
