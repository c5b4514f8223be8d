// Each line that ends in "warns" drops a failure, and the compiler says so; the others are used, or dropped on purpose.
#include <memory>

#include "petri/result.h"

namespace {

petri::Result<int> number() { return 7; }
petri::Result<void> nothing() { return {}; }
petri::Result<std::unique_ptr<int>> pointer() { return std::make_unique<int>(7); }
petri::Error error() { return {.code = petri::ErrorCode::busy}; }

petri::Result<void> used() {
  PETRI_TRY(nothing());
  PETRI_TRY(const int seven, number());
  static_cast<void>(number());
  return seven == 7 ? nothing() : petri::fail(error());
}

}  // namespace

int main() {
  number();                                        // warns
  nothing();                                       // warns
  pointer();                                       // warns
  error();                                         // warns
  petri::fail(petri::ErrorCode::busy, "dropped");  // warns
  return used() ? 0 : 1;
}
