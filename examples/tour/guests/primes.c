// An ordinary C program, compiled by clang for WASI: counts the primes below its argument.
#include <stdio.h>
#include <stdlib.h>

static int is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return 0;
  }
  return n > 1;
}

int main(int argc, char** argv) {
  const int below = argc > 1 ? atoi(argv[1]) : 1000;
  int count = 0;
  for (int n = 0; n < below; ++n) count += is_prime(n);
  printf("%d primes below %d\n", count, below);
  return 0;
}
