#include "engine/give_back_memory.h"

#include <malloc.h>

// mimalloc's, which the crate links and has no header for.
extern "C" void mi_collect(bool force);

namespace petri {

void give_back_memory() {
  ::malloc_trim(0);
  mi_collect(true);
}

}  // namespace petri
