/* Correct, and needs few steps: Euclid's algorithm. */
__attribute__((export_name("gcd"))) int gcd(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
