// What is made of many samples.
#pragma once

#include <vector>

namespace petri::bench {

// All need at least one sample.
double median(std::vector<double> samples);
// The smallest sample that at least this share of them, from 0 to 1, do not exceed.
double percentile(std::vector<double> samples, double share);
// Of samples above zero.
double geometric_mean(const std::vector<double>& samples);

}  // namespace petri::bench
