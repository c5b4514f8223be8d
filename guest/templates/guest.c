/* A guest of petri: its functions are called by name, and its state moves to the next version. */
#include "petri.h"

static petri_i32 count;
PETRI_STATE(PETRI_FIELD(count));

PETRI_EXPORT("add") petri_i32 add(petri_i32 a, petri_i32 b) { return a + b; }

PETRI_EXPORT("next") petri_i32 next(void) {
  count = count + 1;
  return count;
}
