#include "bench/wasm_writer.h"

#include <gtest/gtest.h>

namespace petri::bench {
namespace {

TEST(WasmWriter, WritesSectionsInTheirOrderWhateverTheOrderOfTheItems) {
  ModuleWriter module;
  module.add_export("f", 0);
  module.add(ModuleWriter::data, {1, 0});
  module.add(ModuleWriter::data_count, {1});
  module.add_function(module.add_type({code_i32}, {code_i32}), {{2, code_i64}}, {0x20, 0});
  EXPECT_EQ(module.finish(), (Bytes{0,  'a', 's', 'm',  1,   0,    0,    0,              //
                                    1,  6,   1,   0x60, 1,   0x7f, 1,    0x7f,           // type
                                    3,  2,   1,   0,                                     // function
                                    7,  5,   1,   1,    'f', 0,    0,                    // export
                                    12, 1,   1,                                          // data count
                                    10, 8,   1,   6,    1,   2,    0x7e, 0x20, 0, 0x0b,  // code
                                    11, 3,   1,   1,    0}));                            // data
}

}  // namespace
}  // namespace petri::bench
