// The frame of an example: its arguments, and the exit code of what it ends with.
#pragma once

#include <petri/result.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace example {

// Calls the body with the arguments. An error or an exception is printed and ends the program with 1.
inline int run(int count, char** words, petri::Result<void> (*body)(const std::vector<std::string>&)) {
  try {
    const auto ended = body({words + (count > 0 ? 1 : 0), words + count});
    if (ended) return 0;
    std::fprintf(stderr, "error: %s\n", ended.error().message.c_str());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "error: %s\n", exception.what());
  }
  return 1;
}

// The only argument: the folder that the example reads.
inline petri::Result<std::string> folder_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) return arguments.front();
  return petri::fail(petri::ErrorCode::validation_failed, "give the folder of the example as the only argument");
}

}  // namespace example
