// The symbols of an object file, as wasm-ld reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri {

struct ObjectSymbols {
  std::vector<std::string> functions;  // that the source defines for others, by names of C
  bool has_main = false;
};

// The bytes come from a compiler in a jail and may be anything: what cannot be read is left out.
ObjectSymbols symbols_of_object(std::string_view object);

}  // namespace petri
