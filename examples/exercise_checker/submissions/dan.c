/* Never ends where the numbers differ. */
__attribute__((export_name("gcd"))) int gcd(int a, int b) {
  volatile int steps = 0;
  while (a != b) ++steps;
  return a;
}
