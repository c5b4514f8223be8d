// A value that most of its owners never need.
#pragma once

#include <memory>

namespace petri {

// Takes one word until somebody writes to it, and reads as an empty T until then: a sandbox has many containers that
// stay empty, and a runtime a million sandboxes. Not for several threads at once.
template <typename T>
class OnDemand {
 public:
  const T& operator*() const {
    static const T nothing{};
    return value_ == nullptr ? nothing : *value_;
  }
  const T* operator->() const { return &**this; }
  T& write() {
    if (value_ == nullptr) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace petri
