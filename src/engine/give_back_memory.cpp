#include "engine/give_back_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <mutex>

// mimalloc's, which the crate links and has no header for.
extern "C" void mi_collect(bool force);

namespace petri {
namespace {

constexpr int kKeptBytesMax = 256 << 10;
constexpr int kLargeBytes = 1 << 20;

bool is_malloc_set_by_environment() {
  for (const char* name :
       {"GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_MAX_"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace

void bound_kept_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (is_malloc_set_by_environment()) return;
    // Either of them also ends the rule that raises both whenever a large block is freed, which is why a guest's one
    // large message would keep tens of MiB in each arena from then on.
    ::mallopt(M_TRIM_THRESHOLD, kKeptBytesMax);
    ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
    // Small blocks are joined as they are freed. Else they are joined by malloc_trim(), which leaves them at the end of
    // their arena: it gives back what lies between blocks, and only the next large block that is freed there gives
    // back the end. Where 24,000 sandboxes had lived, 90 MiB stayed.
    ::mallopt(M_MXFAST, 0);
  });
}

void give_back_memory() {
  ::malloc_trim(0);
  mi_collect(true);
}

}  // namespace petri
