#include "host/guest/pace.h"

#include "host/host_call.h"

namespace petri {

bool Pace::look() {
  done_ = 0;
  return call_ == nullptr || call_->look();
}

}  // namespace petri
