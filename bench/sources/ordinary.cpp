// An ordinary program as clang makes it: containers, strings, streams of numbers, templates used with many types.
// Nothing is computed for its own sake; what matters is the code this becomes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <typename T>
T parse(std::string_view word) {
  return static_cast<T>(std::strtod(std::string(word).c_str(), nullptr));
}

std::vector<std::string> split(std::string_view text, char between) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

template <typename T>
std::string show(const T& value) {
  char line[64];
  std::snprintf(line, sizeof(line), "%.6g", static_cast<double>(value));
  return line;
}

template <typename T>
struct Summary {
  T least{};
  T most{};
  double mean = 0;
  double deviation = 0;
};

template <typename T>
Summary<T> summarise(std::vector<T> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const T& value : values) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return {values.front(), values.back(), mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

template <typename T>
std::map<T, std::vector<std::string>> group(const std::vector<std::string>& words) {
  std::map<T, std::vector<std::string>> groups;
  for (const std::string& word : words) groups[parse<T>(word)].push_back(word);
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }
  return groups;
}

template <typename T>
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), cells_(rows * columns) {}
  T& at(std::size_t row, std::size_t column) { return cells_[row * columns_ + column]; }
  const T& at(std::size_t row, std::size_t column) const { return cells_[row * columns_ + column]; }
  std::size_t rows() const { return cells_.size() / columns_; }
  std::size_t columns() const { return columns_; }

  Matrix times(const Matrix& other) const {
    Matrix product(rows(), other.columns());
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t column = 0; column < other.columns(); ++column) {
        for (std::size_t k = 0; k < columns_; ++k) product.at(row, column) += at(row, k) * other.at(k, column);
      }
    }
    return product;
  }

 private:
  std::size_t columns_;
  std::vector<T> cells_;
};

template <typename T>
struct Node {
  T value;
  std::unique_ptr<Node> left, right;
};

template <typename T>
class Tree {
 public:
  void insert(T value) {
    auto* place = &root_;
    while (*place) place = value < (*place)->value ? &(*place)->left : &(*place)->right;
    *place = std::make_unique<Node<T>>(Node<T>{std::move(value), nullptr, nullptr});
  }
  template <typename Visit>
  void each(const Visit& visit) const {
    walk(root_.get(), visit);
  }

 private:
  template <typename Visit>
  static void walk(const Node<T>* node, const Visit& visit) {
    if (node == nullptr) return;
    walk(node->left.get(), visit);
    visit(node->value);
    walk(node->right.get(), visit);
  }
  std::unique_ptr<Node<T>> root_;
};

template <typename T>
std::string histogram(const std::vector<T>& values, std::size_t bars) {
  const Summary<T> summary = summarise(values);
  const double width =
      (static_cast<double>(summary.most) - static_cast<double>(summary.least)) / static_cast<double>(bars);
  std::vector<unsigned> counts(bars + 1);
  for (const T& value : values) {
    const double place = width > 0 ? (static_cast<double>(value) - static_cast<double>(summary.least)) / width : 0;
    ++counts[std::min(static_cast<std::size_t>(place), bars)];
  }
  std::string text;
  for (unsigned count : counts) text += std::string(count, '#') + "\n";
  return text;
}

template <typename T>
std::string shortest_paths(const std::vector<std::string>& words) {
  std::unordered_map<std::string, std::vector<std::pair<std::string, T>>> edges;
  for (std::size_t i = 0; i + 2 < words.size(); i += 3)
    edges[words[i]].emplace_back(words[i + 1], parse<T>(words[i + 2]));
  std::map<std::string, T> distance;
  std::set<std::pair<T, std::string>> open;
  if (!words.empty()) open.insert({T{}, words.front()});
  while (!open.empty()) {
    const auto [cost, place] = *open.begin();
    open.erase(open.begin());
    if (!distance.emplace(place, cost).second) continue;
    for (const auto& [next, step] : edges[place]) {
      if (step > T{}) open.insert({static_cast<T>(cost + step), next});
    }
  }
  std::string text;
  for (const auto& [place, cost] : distance) text += place + "=" + show(cost) + " ";
  return text;
}

template <typename T>
std::string evaluate(std::string_view expression) {
  std::vector<T> stack;
  const std::map<std::string, std::function<T(T, T)>> operators{
      {"+", [](T a, T b) -> T { return a + b; }},
      {"-", [](T a, T b) -> T { return a - b; }},
      {"*", [](T a, T b) -> T { return a * b; }},
      {"/", [](T a, T b) -> T { return b == T{} ? T{} : static_cast<T>(a / b); }},
      {"max", [](T a, T b) -> T { return std::max(a, b); }},
      {"pow", [](T a, T b) -> T { return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b))); }}};
  for (const std::string& word : split(expression, ' ')) {
    const auto found = operators.find(word);
    if (found == operators.end()) {
      stack.push_back(parse<T>(word));
    } else if (stack.size() >= 2) {
      const T right = stack.back();
      stack.pop_back();
      stack.back() = found->second(stack.back(), right);
    }
  }
  return stack.empty() ? "nothing" : show(stack.back());
}

template <typename T>
std::string longest_run(std::deque<T> values) {
  std::size_t longest = 0, here = 0;
  std::optional<T> before;
  while (!values.empty()) {
    here = before && *before == values.front() ? here + 1 : 1;
    longest = std::max(longest, here);
    before = values.front();
    values.pop_front();
    if (values.size() % 7 == 3) values.push_back(static_cast<T>(values.size()));
  }
  return show(longest);
}

using Cell = std::variant<std::int64_t, double, std::string, std::vector<double>>;

std::string show_cell(const Cell& cell) {
  struct Show {
    std::string operator()(std::int64_t value) const { return show(value); }
    std::string operator()(double value) const { return show(value); }
    std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
    std::string operator()(const std::vector<double>& values) const {
      std::string text = "[";
      for (double value : values) text += show(value) + ",";
      return text + "]";
    }
  };
  return std::visit(Show{}, cell);
}

std::string table(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, Cell>> cells;
  for (const std::string& word : words) {
    if (word.size() > 6)
      cells.emplace_back(word, word);
    else if (word.find('.') != std::string::npos)
      cells.emplace_back(word, parse<double>(word));
    else if (word.size() > 3)
      cells.emplace_back(word, std::vector<double>(word.size(), 0.5));
    else
      cells.emplace_back(word, parse<std::int64_t>(word));
  }
  std::sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text;
  for (const auto& [name, cell] : cells) text += name + ": " + show_cell(cell) + "\n";
  return text;
}

// Everything above for one type of number.
template <typename T>
std::string study(const std::vector<std::string>& words) {
  std::vector<T> values;
  for (const std::string& word : words) values.push_back(parse<T>(word));
  const Summary<T> summary = summarise(values);
  std::string text = show(summary.least) + show(summary.most) + show(summary.mean) + show(summary.deviation);
  for (const auto& [key, members] : group<T>(words)) text += show(key) + members.front();
  Matrix<T> matrix(4, 4);
  for (std::size_t i = 0; i < values.size() && i < 16; ++i) matrix.at(i / 4, i % 4) = values[i];
  text += show(matrix.times(matrix).at(1, 2));
  Tree<T> tree;
  for (const T& value : values) tree.insert(value);
  tree.each([&text](const T& value) { text += show(value); });
  std::unordered_map<T, std::size_t> counts;
  for (const T& value : values) ++counts[value];
  text += show(counts.size()) + histogram(values, 10) + shortest_paths<T>(words) + evaluate<T>("3 4 + 2 * 7 /");
  text += longest_run(std::deque<T>(values.begin(), values.end()));
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end(),
                    std::greater<T>());
  std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 3), values.end());
  if (std::next_permutation(values.begin(), values.end())) text += show(values.front());
  return text;
}

std::string transcendental(const std::vector<std::string>& words) {
  double sum = 0;
  for (const std::string& word : words) {
    const double x = parse<double>(word);
    sum += std::sin(x) * std::exp(-x * x) + std::log1p(std::fabs(x)) + std::atan2(x, sum + 1) +
           std::tgamma(std::fmod(x, 5));
    sum += std::cbrt(x) + std::hypot(x, 2.0) + std::erf(x) + std::lgamma(std::fabs(x) + 1) + std::tanh(x);
  }
  return show(sum);
}

}  // namespace

// libc would write to its streams through these imports. The bare engine links nothing, so they end here.
extern "C" {
int __imported_wasi_snapshot_preview1_fd_close(int) { return 8; }
int __imported_wasi_snapshot_preview1_fd_seek(int, long long, int, int) { return 8; }
int __imported_wasi_snapshot_preview1_fd_write(int, int, int, int) { return 8; }
}

extern "C" __attribute__((export_name("run"))) int run(int seed) {
  std::string text;
  auto state = static_cast<std::uint32_t>(seed);
  for (int i = 0; i < 64; ++i) {
    state = state * 1664525U + 1013904223U;
    text += show(state % 1000 * 0.125) + " ";
  }
  const std::vector<std::string> words = split(text, ' ');
  const std::string all = study<std::int16_t>(words) + study<std::int32_t>(words) + study<std::uint64_t>(words) +
                          study<double>(words) + table(words) + transcendental(words);
  return static_cast<int>(std::hash<std::string>{}(all));
}
