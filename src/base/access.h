// The way into the parts of public classes that petri's own modules need and users do not.
#pragma once

namespace petri::detail {

// A friend of the classes that hide something. What it returns lives as long as the object.
struct Access {
  static const auto& impl(const auto& object) { return *object.impl_; }
  static auto& impl(auto& object) { return *object.impl_; }
  static const auto& shared_impl(const auto& object) { return object.impl_; }
  static const auto& data(const auto& object) { return *object.data_; }
};

}  // namespace petri::detail
