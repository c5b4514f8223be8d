// petri-compile-server PROGRAM: becomes PROGRAM, a clang or lld, that serves jobs over descriptor 0. The library that
// makes it do so is part of this executable.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compile_server/job_loop.h"
#include "compiler/job_protocol.h"

extern "C" const char petri_preload_start[];
extern "C" const char petri_preload_end[];

namespace {

bool write_all(int file, const char* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(file, bytes + done, size - done);
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

// A file of memory, where /proc can name it; else a file of the jail's own /tmp.
bool put_library(char* path, std::size_t path_bytes) {
  int file = ::memfd_create("petri-preload", 0);
  std::snprintf(path, path_bytes, "/proc/self/fd/%d", file);
  if (file < 0 || ::access(path, R_OK) != 0) {
    std::snprintf(path, path_bytes, "/tmp/petri-preload.so");
    file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
  }
  return file >= 0 &&
         write_all(file, petri_preload_start, static_cast<std::size_t>(petri_preload_end - petri_preload_start));
}

int stop(const char* what) {
  std::fprintf(stderr, "petri-compile-server: %s\n", what);
  return 1;
}

int start_program(int /*count*/, char** texts, char** environment) {
  ::execve(texts[0], texts, environment);
  return petri::kJobNotStarted;
}

}  // namespace

int main(int count, char** texts) {
  if (count != 2) return stop("usage: petri-compile-server PROGRAM; petri starts it itself");
  if (std::strcmp(texts[1], petri::kAnyProgram) == 0) {
    return petri::serve_jobs(start_program, environ, petri::Programs::any);
  }
  char library[64];
  if (!put_library(library, sizeof(library))) return stop("its library cannot be written");
  ::setenv("LD_PRELOAD", library, 1);
  ::setenv("LD_BIND_NOW", "1", 1);
  ::execv(texts[1], texts + 1);
  return stop("the program cannot be started");
}
