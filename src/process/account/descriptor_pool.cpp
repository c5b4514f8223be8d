#include "process/account/descriptor_pool.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace petri {

std::uint64_t DescriptorPool::of_this_process(std::uint64_t reserve) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur > reserve ? limit.rlim_cur - reserve : 0;
}

Result<std::shared_ptr<void>> take_descriptor(const std::shared_ptr<DescriptorPool>& pool) {
  if (pool == nullptr) return nullptr;
  if (pool->try_take()) return std::shared_ptr<void>(pool.get(), [pool](void*) { pool->give_back(); });
  return fail(ErrorCode::busy, fmt::format("the sandboxes of this runtime have {} files open and may have no more: "
                                           "destroy some, or raise descriptors_max",
                                           pool->allowed()));
}

}  // namespace petri
