// Loaded into the compiler's own executable before its main() runs: from then on the process, with its libraries loaded
// and initialised, is a server that forks, and main() runs in its children. So any clang and lld of the machine can be
// warm, without being linked into petri.
#include <dlfcn.h>

#include "compile_server/job_loop.h"

namespace {

petri::Main compiler_main = nullptr;

int serve(int /*count*/, char** /*texts*/, char** environment) {
  return petri::serve_jobs(compiler_main, environment, petri::Programs::compiler);
}

using Start = int (*)(petri::Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

}  // namespace

// The C library's start, which every program calls with its main().
extern "C" __attribute__((visibility("default"))) int __libc_start_main(petri::Main main, int count, char** texts,
                                                                        void (*start)(), void (*end)(),
                                                                        void (*loader)(), void* stack) {
  compiler_main = main;
  const auto next = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(serve, count, texts, start, end, loader, stack);
}
