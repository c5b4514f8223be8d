// The worst cost of a host function for the host: time for its fuel, memory, and how long the guest's clock is not
// looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/host_costs/host_cost_case.h"
#include "petri/result.h"

namespace petri::bench {

// Bytes that the program has taken from its heap: now, and at most since begin(). Only a program that counts can say.
struct HeapMeter {
  std::function<void()> begin;
  std::function<std::uint64_t()> grown_bytes;
};

struct HostCost {
  double ns_per_fuel = 0;
  double look_ms = 0;  // how late a deadline was seen, at worst: the longest time between two looks
  std::optional<double> host_bytes_per_byte;  // of guest memory that it was given
};

struct HostCostOptions {
  std::string folder;  // granted to the guest
  int runs = 10;
  HeapMeter heap = {};
};

Result<HostCost> measure_host_cost(const HostCostCase& one, const HostCostOptions& options);

// Makes a folder with many files, which is removed with this.
class CrowdedFolder {
 public:
  CrowdedFolder();
  ~CrowdedFolder();
  CrowdedFolder(const CrowdedFolder&) = delete;
  CrowdedFolder& operator=(const CrowdedFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace petri::bench
