#include "sandbox/sandbox_traits.h"

#include <utility>

namespace petri {

SandboxTraits take_traits(SandboxSpec& spec, SandboxPolicy policy) {
  EndingLimits ending;
  for (const auto& [limit, action] : spec.on_limit) {
    if (action == OnLimit::kill) ending.insert(limit);
  }
  return {.profile = profile_of(spec),
          .on_limit = std::move(spec.on_limit),
          .imports = std::move(spec.imports),
          .recovery = std::move(spec.recovery).value_or(Recovery{}),
          .reload = spec.reload ? std::make_shared<const ReloadPolicy>(std::move(*spec.reload)) : nullptr,
          .breaker = spec.breaker.value_or(BreakerOptions{}),
          .folder = std::move(spec.folder),
          .arguments = std::move(spec.arguments),
          .environment = std::move(spec.environment),
          .idle_keep = spec.idle_keep,
          .dead_keep = spec.dead_keep.value_or(std::chrono::nanoseconds(0)),
          .policy = std::move(policy),
          .ending_limits = std::move(ending)};
}

SandboxTraitsPtr SharedTraits::share(SandboxTraits traits) {
  MutexLock lock(mutex_);
  if (last_ == nullptr || *last_ != traits) last_ = std::make_shared<const SandboxTraits>(std::move(traits));
  return last_;
}

}  // namespace petri
