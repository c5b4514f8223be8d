/* Does not compile. */
__attribute__((export_name("gcd"))) int gcd(int a, int b) {
  return result;
}
