#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/assert.h"

namespace petri::bench {

double median(std::vector<double> samples) {
  PETRI_ASSERT(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

Sampled middle_of(std::vector<double> samples) {
  const double middle = median(samples);
  const double apart = percentile(samples, 0.75) - percentile(samples, 0.25);
  return {middle, middle == 0 ? std::nullopt : std::optional(std::abs(apart / middle) / 2)};
}

Sampled operator/(Sampled number, Sampled divisor) {
  if (!number.spread && !divisor.spread) return number.value / divisor.value;
  return {number.value / divisor.value, number.spread.value_or(0) + divisor.spread.value_or(0)};
}

double percentile(std::vector<double> samples, double share) {
  PETRI_ASSERT(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size())));
  return samples[std::clamp<std::size_t>(rank, 1, samples.size()) - 1];
}

double geometric_mean(const std::vector<double>& samples) {
  PETRI_ASSERT(!samples.empty());
  double logarithms = 0;
  for (double sample : samples) logarithms += std::log(sample);
  return std::exp(logarithms / static_cast<double>(samples.size()));
}

}  // namespace petri::bench
