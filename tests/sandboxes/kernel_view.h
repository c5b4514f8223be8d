// For tests: what the kernel says of this process, to be compared with what petri says of its guests.
#pragma once

#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace petri {

// How long a thread had a processor, and how long it wanted one and another thread had it.
struct ProcessorTime {
  std::chrono::nanoseconds ran{0}, waited{0};

  ProcessorTime operator-(const ProcessorTime& earlier) const { return {ran - earlier.ran, waited - earlier.waited}; }
};

inline ProcessorTime read_processor_time(const std::filesystem::path& thread) {
  std::int64_t ran = 0, waited = 0;
  std::ifstream(thread / "schedstat") >> ran >> waited;
  return {std::chrono::nanoseconds(ran), std::chrono::nanoseconds(waited)};
}

// The processor time of this thread, from here on. The thread's clock is exact and read innermost; the file takes its
// time.
class ThreadStopwatch {
 public:
  ProcessorTime elapsed() const {
    const std::chrono::nanoseconds ran = clock() - ran_;
    return {ran, read_processor_time("/proc/thread-self").waited - waited_};
  }

 private:
  static std::chrono::nanoseconds clock() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  std::chrono::nanoseconds waited_ = read_processor_time("/proc/thread-self").waited;
  std::chrono::nanoseconds ran_ = clock();
};

// The processor time of the threads alive now.
inline ProcessorTime processor_time_of_all_threads() {
  ProcessorTime sum;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const ProcessorTime one = read_processor_time(thread.path());
    sum.ran += one.ran;
    sum.waited += one.waited;
  }
  return sum;
}

// Memory that the allocator keeps for later does not count.
inline std::int64_t resident_bytes() {
  ::malloc_trim(0);
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

inline std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

}  // namespace petri
