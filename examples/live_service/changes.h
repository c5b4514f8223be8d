// The changes that are made to the service while it is called, one after another.
#pragma once

#include <petri/reload.h>

#include <string>
#include <vector>

#include "live_service/service.h"

namespace live_service {

// The fate of a change.
enum class Ending { stays, rolled_back, refused };

struct Change {
  std::string what;  // for the table
  Version version;
  petri::ReloadOptions options;
  Ending expected = Ending::stays;
};

// The version it starts with, and what is to come: ten changes that stay, one that is rolled back by itself and one
// that is refused.
Version first_version();
std::vector<Change> all_changes();

}  // namespace live_service
