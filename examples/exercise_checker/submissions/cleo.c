/* Forgets that a number may be 0. */
__attribute__((export_name("gcd"))) int gcd(int a, int b) {
  int rest = a % b;
  return rest == 0 ? b : gcd(b, rest);
}
