// Primitives of f64 arithmetic, with the protections that are customary in genetic programming.
#pragma once

#include "evolve/tree.h"

namespace evolve::arithmetic {

Primitive add();
Primitive subtract();
Primitive multiply();
Primitive divide();  // 1 when the divisor is 0
Primitive minimum();
Primitive maximum();
Primitive negate();
Primitive invert();       // 1/x; 1 for 0
Primitive square_root();  // of the absolute value
Primitive sine();
Primitive cosine();
Primitive exponential();
Primitive logarithm();  // of the absolute value; 0 for 0
Primitive constant(std::function<double(Random&)> draw);

}  // namespace evolve::arithmetic
