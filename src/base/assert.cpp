#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace petri {

void assertion_failed(const char* what, const char* file, int line) noexcept {
  std::fprintf(stderr, "petri: a bug in petri: %s does not hold (%s:%d)\n", what, file, line);
  std::abort();
}

}  // namespace petri
