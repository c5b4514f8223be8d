// A C++ program with a switch of 600 cases, which nests more blocks than the bounds of candidates allow, and with the
// standard library.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#define ONE(n) \
  case n: return (x ^ (n * 2654435761u)) + (n % 7);
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n) \
  TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)

unsigned step(unsigned choice, unsigned x) {
  switch (choice % 600) {
    HUNDRED(0)
    HUNDRED(100)
    HUNDRED(200)
    HUNDRED(300)
    HUNDRED(400)
    HUNDRED(500)
  }
  return x;
}

int main() {
  std::map<std::string, std::vector<unsigned>> steps;
  unsigned x = 1;
  for (unsigned i = 0; i < 6'000; ++i) {
    x = step(i, x);
    steps[i % 2 == 0 ? "even" : "odd"].push_back(x);
  }
  std::printf("%zu even, %zu odd, the last is %u\n", steps["even"].size(), steps["odd"].size(), x);
}
