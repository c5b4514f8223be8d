#include "compiler/toolbox.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace petri {

Toolbox::Toolbox() : threads_({.name = "petri-compile", .idle_max = 8}) {}

void Toolbox::for_each(std::size_t count, unsigned jobs, const std::function<void(std::size_t index)>& work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts = std::min(count, jobs == 0 ? cores : std::size_t{jobs});
  std::atomic<std::size_t> next{0};
  const auto part = [&](unsigned /*number*/) {
    for (std::size_t index = next++; index < count; index = next++) work(index);
  };
  if (parts <= 1 || !threads_.run(static_cast<unsigned>(parts), part)) part(0);
}

Toolbox& shared_toolbox() {
  static Toolbox* const kShared = new Toolbox();
  return *kShared;
}

}  // namespace petri
