# Makes bench/files/ordinary.wasm, an ordinary program as clang makes it, and bench/files/five_lines, a user's program.
set(bench_files ${CMAKE_CURRENT_BINARY_DIR}/files)

add_executable(bench_five_lines ${PROJECT_SOURCE_DIR}/tests/package/consumer/five_lines.cpp)
set_target_properties(bench_five_lines PROPERTIES OUTPUT_NAME five_lines RUNTIME_OUTPUT_DIRECTORY ${bench_files})
target_link_libraries(bench_five_lines PRIVATE petri)
target_link_options(bench_five_lines PRIVATE -s)

petri_need_guest_clang("the benchmarks of ordinary modules")

# Without names and debugging information: what is measured is code.
add_custom_command(
  OUTPUT ${bench_files}/ordinary.wasm
  COMMAND ${CMAKE_COMMAND} -E make_directory ${bench_files}
  COMMAND ${PETRI_GUEST_CLANGXX} --target=${PETRI_WASI_PLATFORM} -Wno-deprecated -mexec-model=reactor -std=c++20 -O2
          -fno-exceptions -Wl,-s ${CMAKE_CURRENT_SOURCE_DIR}/sources/ordinary.cpp -o ${bench_files}/ordinary.wasm
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sources/ordinary.cpp
  COMMENT "Building an ordinary module to measure" VERBATIM)
add_custom_target(bench_ordinary_module DEPENDS ${bench_files}/ordinary.wasm)
