/* Correct and slow: tries every number. */
__attribute__((export_name("gcd"))) int gcd(int a, int b) {
  if (a == 0 || b == 0) return a + b;
  int best = 1;
  for (int i = 1; i <= a && i <= b; ++i) {
    if (a % i == 0 && b % i == 0) best = i;
  }
  return best;
}
