#include "watcher/notice_table.h"

#include <algorithm>

namespace petri {

void NoticeTable::remove(Owner owner, int watch, const std::string& path) {
  const auto found = places_.find(watch);
  if (found == places_.end()) return;
  std::erase_if(found->second, [&](const Place& place) { return place.owner == owner && place.path == path; });
  if (!found->second.empty()) return;
  notices_.remove(watch);
  places_.erase(found);
}

}  // namespace petri
