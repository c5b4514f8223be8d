#include "bench/shapes/shape.h"

#include <gtest/gtest.h>

#include "petri/artifact.h"

namespace petri::bench {
namespace {

// Thinned out enough for most bounds: what is refused even then is refused for what it costs, and is a module.
TEST(Shapes, AreAllModulesThatTheGateAcceptsOrFindsTooExpensive) {
  for (const Shape& shape : all_shapes()) {
    bool accepted = false;
    std::string message;
    for (double dilution : {0.0, 4.0, 32.0, 128.0}) {
      const auto artifact =
          Artifact::from_wasm(shape.make({.bytes = 8 << 10, .body_bytes = 8 << 10, .dilution = dilution}), 16 << 20);
      accepted = accepted || artifact.has_value();
      if (!artifact) message = artifact.error().message;
      accepted = accepted || message.find("exceeds the bound load_points") != std::string::npos;
    }
    EXPECT_TRUE(accepted) << shape.name << ": " << message;
  }
}

TEST(Shapes, AreAboutAsLargeAsAskedFor) {
  for (const Shape& shape : all_shapes()) {
    const Bytes wasm = shape.make({.bytes = 160 << 10, .body_bytes = bound("body_bytes"), .dilution = 0});
    EXPECT_LE(wasm.size(), 256U << 10) << shape.name;
  }
}

}  // namespace
}  // namespace petri::bench
