#include "bench/resident_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace petri::bench {

Result<double> resident_mib() {
  ::malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  if (!(statm >> total >> resident)) return fail(ErrorCode::io_error, "/proc/self/statm cannot be read");
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace petri::bench
