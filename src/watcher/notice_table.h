// The trees that watch each folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "watcher/file_notices.h"

namespace petri {

// The kernel has one watch for a folder, however many trees ask for it. One thread at a time.
class NoticeTable {
 public:
  using Owner = std::uint64_t;
  struct Place {
    Owner owner = 0;
    std::string path;    // as the owner calls the folder
    bool above = false;  // it is a folder above the owner's, where that one is waited for
  };

  explicit NoticeTable(FileNotices& notices) : notices_(notices) {}

  Result<int> add(const std::string& open_path, Place place) {
    PETRI_TRY(const int watch, notices_.add(open_path));
    std::vector<Place>& places = places_[watch];
    std::erase_if(places, [&](const Place& one) { return one.owner == place.owner && one.path == place.path; });
    places.push_back(std::move(place));
    return watch;
  }
  void remove(Owner owner, int watch, const std::string& path);
  // Ends it for all owners: the folder was removed or moved. The kernel keeps the watch of one that was moved.
  void end(int watch) {
    if (places_.erase(watch) > 0) notices_.remove(watch);
  }
  // A copy: handling a notice changes the table.
  std::vector<Place> places_of(int watch) const {
    const auto found = places_.find(watch);
    return found == places_.end() ? std::vector<Place>() : found->second;
  }
  std::size_t size() const { return places_.size(); }

 private:
  FileNotices& notices_;
  std::map<int, std::vector<Place>> places_;
};

}  // namespace petri
