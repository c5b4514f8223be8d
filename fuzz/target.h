// The parts of a fuzz target. libFuzzer and the driver beside this file both run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Handles one input; aborts when something that must hold does not. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace petri::fuzz {

// Good inputs to start from.
std::vector<std::string> seeds();

}  // namespace petri::fuzz

// Ends the process, naming what did not hold; the driver then says which execution it was.
#define FUZZ_REQUIRE(condition) PETRI_ASSERT(condition)
