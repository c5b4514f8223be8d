# Makes bench/files/ordinary.wasm, an ordinary program as clang makes it, and bench/files/five_lines, a user's program.
set(bench_files ${CMAKE_CURRENT_BINARY_DIR}/files)

add_executable(bench_five_lines ${PROJECT_SOURCE_DIR}/tests/package/consumer/five_lines.cpp)
set_target_properties(bench_five_lines PROPERTIES OUTPUT_NAME five_lines RUNTIME_OUTPUT_DIRECTORY ${bench_files})
target_link_libraries(bench_five_lines PRIVATE petri)
target_link_options(bench_five_lines PRIVATE -s)

# wasi_platform(<variable>): the name clang knows the WASI platform by here, or nothing. It was renamed once.
function(wasi_platform variable)
  find_program(WASM_CLANG_PROGRAM clang++-22)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe)
  file(WRITE ${probe}.cpp "#include <vector>\nint main() { return std::vector<int>(1).at(0); }\n")
  foreach(platform IN ITEMS wasm32-wasip1 wasm32-wasi)
    execute_process(COMMAND ${WASM_CLANG_PROGRAM} --target=${platform} -Wno-deprecated -fno-exceptions ${probe}.cpp -o ${probe}.wasm
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(WASM_CLANG_PROGRAM AND failed EQUAL 0)
      set(${variable} ${platform} CACHE STRING "How clang calls WASI; empty: it cannot build for it")
      return()
    endif()
  endforeach()
  set(${variable} "" CACHE STRING "How clang calls WASI; empty: it cannot build for it")
endfunction()

if(NOT DEFINED CACHE{PETRI_WASI_PLATFORM})
  wasi_platform(PETRI_WASI_PLATFORM)
endif()
if(NOT PETRI_WASI_PLATFORM)
  message(STATUS "No clang-22 that builds C++ for WASI: the benchmarks of loading ordinary modules will say so.")
  return()
endif()

# Without names and debugging information: what is measured is code.
add_custom_command(
  OUTPUT ${bench_files}/ordinary.wasm
  COMMAND ${CMAKE_COMMAND} -E make_directory ${bench_files}
  COMMAND ${WASM_CLANG_PROGRAM} --target=${PETRI_WASI_PLATFORM} -Wno-deprecated -mexec-model=reactor -std=c++20 -O2
          -fno-exceptions -Wl,-s ${CMAKE_CURRENT_SOURCE_DIR}/sources/ordinary.cpp -o ${bench_files}/ordinary.wasm
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sources/ordinary.cpp
  COMMENT "Building an ordinary module to measure" VERBATIM)
add_custom_target(bench_ordinary_module ALL DEPENDS ${bench_files}/ordinary.wasm)
