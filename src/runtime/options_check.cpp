#include "runtime/options_check.h"

#include "petri/limits.h"
#include "sandbox/spec/spec_check.h"
#include "security/containment_check.h"

namespace petri {

void check_options(const RuntimeOptions& options, Complaints& complaints) {
  if (auto limits = with_changes({}, options.limits); !limits) {
    for (const ErrorDetail& detail : limits.error().details) complaints.add_sentence(detail.key, detail.value);
  }
  check_quarantine(options.quarantine, "quarantine", complaints);
  check_breaker(options.breaker, "breaker", complaints);
  constexpr auto kNone = std::chrono::nanoseconds(0);
  if (options.gc_interval < kNone) complaints.add("gc_interval", "is below 0");
  if (options.dead_keep < kNone) complaints.add("dead_keep", "is below 0");
  check_defaults(options.defaults, "defaults", complaints);
}

}  // namespace petri
