#include <algorithm>

#include "petri/audit.h"

namespace petri {

const AuditValue* AuditEntry::detail(std::string_view key) const {
  const auto found = std::ranges::find(details, key, &AuditDetail::key);
  return found == details.end() ? nullptr : &found->value;
}

}  // namespace petri
