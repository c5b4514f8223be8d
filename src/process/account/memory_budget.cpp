#include "process/account/memory_budget.h"

#include <fmt/format.h>

namespace petri {

Result<void> check_budget(const MemoryBudget* budget) {
  if (budget == nullptr || !budget->spent()) return {};
  return fail(
      ErrorCode::busy,
      fmt::format("the sandboxes of this runtime use {} bytes and its memory budget is {}: destroy some, or wait",
                  budget->used(), budget->allowed()));
}

}  // namespace petri
