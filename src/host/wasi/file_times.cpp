// WASI: setting when a file or folder was last read and last written.
#include <sys/stat.h>

#include "host/functions/families.h"
#include "host/wasi/memory.h"
#include "host/wasi/path_place.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

enum TimeFlags : std::uint32_t { access_given = 1, access_now = 2, written_given = 4, written_now = 8, all_times = 15 };

struct TimesAsked {
  std::uint64_t access_ns = 0;
  std::uint64_t written_ns = 0;
  std::uint32_t flags = 0;
};

timespec time_of(std::uint64_t ns, bool given, bool now) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  if (now) return {.tv_sec = 0, .tv_nsec = UTIME_NOW};
  if (!given) return {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  return {.tv_sec = static_cast<time_t>(ns / kSecondNs), .tv_nsec = static_cast<long>(ns % kSecondNs)};
}

// inval when a time is given and is to be the present one, too.
WasiResult<Folder::FileTimes> times_of(const TimesAsked& asked) {
  const auto has = [&](std::uint32_t flag) { return (asked.flags & flag) != 0; };
  const bool both = (has(access_given) && has(access_now)) || (has(written_given) && has(written_now));
  if (both || (asked.flags & ~std::uint32_t{all_times}) != 0) return std::unexpected(WasiErrno::inval);
  return Folder::FileTimes{time_of(asked.access_ns, has(access_given), has(access_now)),
                           time_of(asked.written_ns, has(written_given), has(written_now))};
}

WasiErrno fd_filestat_set_times(FileCall& call, std::uint32_t number, std::uint64_t access, std::uint64_t written,
                                std::uint32_t flags) {
  const WasiDescriptor* descriptor = call.context.wasi().find(number);
  if (descriptor == nullptr) return refuse(call, WasiErrno::badf);
  const bool is_folder = descriptor->kind == DescriptorKind::folder;
  if (!is_folder && descriptor->kind != DescriptorKind::file) return refuse(call, WasiErrno::inval);
  if (!is_folder && !descriptor->writable) return refuse(call, WasiErrno::badf);
  const auto times = times_of({.access_ns = access, .written_ns = written, .flags = flags});
  if (!times) return refuse(call, times.error());
  const WasiErrno end = Folder::set_times(call.host_descriptor(*descriptor), *times);
  return end == WasiErrno::success ? end : refuse(call, end);
}

WasiErrno path_filestat_set_times(FileCall& call, std::uint32_t number, std::uint32_t, std::uint32_t path,
                                  std::uint32_t length, std::uint64_t access, std::uint64_t written,
                                  std::uint32_t flags) {
  const auto place = find_place(call, number, path, length);
  if (!place) return refuse(call, place.error());
  const auto times = times_of({.access_ns = access, .written_ns = written, .flags = flags});
  if (!times) return refuse(call, times.error());
  return answer_change(call, call.folder().set_times(place->at, place->path, *times));
}

}  // namespace

HostFamily wasi_time_functions() {
  constexpr auto write = Permission::file_write;
  HostFunctionRow of_path = path_row("path_filestat_set_times", write);
  of_path.version = 1;
  return {
      host_function<&fd_filestat_set_times>({.module = kWasi,
                                             .name = "fd_filestat_set_times",
                                             .fuel = 1'024,
                                             .permission = write,
                                             .deterministic = false}),
      host_function<&path_filestat_set_times>(of_path),
  };
}

}  // namespace petri
