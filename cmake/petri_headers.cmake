# Other people's headers that nearly every source includes, parsed once for all libraries and once for all tests. A source
# still includes what it uses: the preset `tidy` compiles each alone, without these.

set(petri_common_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
  <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)

# What is to be precompiled needs a target that has it, and a target needs a source.
set(petri_headers_source ${PROJECT_BINARY_DIR}/petri_headers.cpp)
file(CONFIGURE OUTPUT ${petri_headers_source} CONTENT "int main() {}\n")

add_library(petri_library_headers OBJECT ${petri_headers_source})
target_link_libraries(petri_library_headers PRIVATE petri_flags fmt::fmt)
target_precompile_headers(petri_library_headers PRIVATE ${petri_common_headers})

if(PETRI_TESTS)
  add_executable(petri_test_headers EXCLUDE_FROM_ALL ${petri_headers_source})
  petri_test_flags(petri_test_headers)
  target_link_libraries(petri_test_headers PRIVATE fmt::fmt)
  target_precompile_headers(petri_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${petri_common_headers})
endif()
