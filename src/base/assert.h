// petri's own invariants: when one does not hold, the assertion says which and ends the process. On in every build.
#pragma once

namespace petri {

// Writes one line to standard error and aborts. Takes no lock and allocates nothing.
[[noreturn]] void assertion_failed(const char* what, const char* file, int line) noexcept;

}  // namespace petri

#define PETRI_ASSERT(condition)                               \
  (__builtin_expect(static_cast<bool>(condition), 1) ? void() \
                                                     : ::petri::assertion_failed(#condition, __FILE__, __LINE__))

// Stands after a switch over all enumerators, and wherever else control cannot come.
#define PETRI_UNREACHABLE() ::petri::assertion_failed("this line is never reached", __FILE__, __LINE__)
