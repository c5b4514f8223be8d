# petri_module(<name> [SOURCES ...] [TESTS ...] [DEPENDS modules...] [LIBRARIES targets...])
#
# Makes the library petri_<name> of the folder it is called in, and from TESTS one test binary whose suites ctest runs
# one by one, in parallel, labelled <name>. DEPENDS names the modules below whose headers its files may include;
# tools/check/includes.py holds the files to it. LIBRARIES are targets from outside. The
# module `engine`, and no other, gets the Rust crate and its header.
function(petri_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "SOURCES;TESTS;DEPENDS;LIBRARIES")
  if(module_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "petri_module(${name}): I do not know what to do with '${module_UNPARSED_ARGUMENTS}'.")
  endif()
  list(TRANSFORM module_DEPENDS PREPEND petri_)

  if(module_SOURCES)
    add_library(petri_${name} STATIC ${module_SOURCES})
    # Not petri_engine: that is the crate's archive.
    set_target_properties(petri_${name} PROPERTIES OUTPUT_NAME petri_module_${name})
    target_precompile_headers(petri_${name} REUSE_FROM petri_library_headers)
    set(visibility PUBLIC)
  else()
    add_library(petri_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(petri_${name} ${visibility} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(petri_${name} ${visibility} petri_flags ${module_DEPENDS} ${module_LIBRARIES})
  if(name STREQUAL "engine")
    target_link_libraries(petri_engine PRIVATE petri_crate)
  endif()

  if(PETRI_TESTS AND module_TESTS)
    petri_tests(${name} SOURCES ${module_TESTS} LIBRARIES petri_${name})
  endif()
endfunction()

# petri_tests(<label> SOURCES ... LIBRARIES ...): one GoogleTest binary, <label>_tests, its suites known to ctest.
function(petri_tests label)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "" "SOURCES;LIBRARIES")
  petri_tidy_without_analyzer()
  add_executable(${label}_tests ${tests_SOURCES})
  petri_test_flags(${label}_tests)
  target_link_libraries(${label}_tests PRIVATE ${tests_LIBRARIES} GTest::gtest_main)
  target_precompile_headers(${label}_tests REUSE_FROM petri_test_headers)
  set_target_properties(${label}_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  petri_compiles(${label}_tests)
  petri_add_suites(${label} ${label} ${label}_tests)
endfunction()

# petri_test_flags(<target>): compiled as tests are. They find the guests and transcripts of the tree under
# PETRI_TESTS_FOLDER.
function(petri_test_flags target)
  target_link_libraries(${target} PRIVATE petri_flags GTest::gmock GTest::gtest)
  target_compile_definitions(${target} PRIVATE PETRI_TESTS_FOLDER="${PROJECT_SOURCE_DIR}/tests")
  # Both for the time tests take to compile: -O0 is a fifth of it, and a section for each function, which is for libraries, a
  # twelfth.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0> -fno-function-sections -fno-data-sections)
endfunction()

# petri_compiles(<target>): a program that may load compiled code, and finds the worker for it in ../bin or beside itself.
function(petri_compiles target)
  get_property(has_worker GLOBAL PROPERTY petri_has_worker)
  if(has_worker)
    add_dependencies(${target} petri_worker_command)
  endif()
endfunction()

# petri_add_suites(<name> <label> <target> [variable=value...]): ctest runs each suite of this GoogleTest binary as
# <name>.<suite>, with this environment. Which suites there are it finds out itself: petri_suites.cmake.
function(petri_add_suites name label target)
  set_property(GLOBAL APPEND_STRING PROPERTY petri_suites
    "petri_add_suites(${name} ${label} \"$<TARGET_FILE:${target}>\" \"${CMAKE_CURRENT_BINARY_DIR}\" \"${ARGN}\")\n")
endfunction()

# petri_tidy_without_analyzer(): targets made from here on, in this scope, are tests: clang-tidy, where it runs, leaves out
# the static analyzer, which takes half a minute for a file of GoogleTest's macros. tools/tidy does the same.
macro(petri_tidy_without_analyzer)
  if(CMAKE_CXX_CLANG_TIDY)
    list(APPEND CMAKE_CXX_CLANG_TIDY --checks=-clang-analyzer-*)
  endif()
endmacro()

# petri_suites(): registers with ctest all binaries petri_tests() has made. ctest counts suites; how many tests they have it
# says before it starts.
function(petri_suites)
  get_property(calls GLOBAL PROPERTY petri_suites)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/petri_suites.cmake CONTENT "include(\"${PROJECT_SOURCE_DIR}/cmake/petri_suites.cmake\")
set(petri_suites_count 0)
set(petri_tests_count 0)
${calls}
message(\"Suites of GoogleTest: \${petri_suites_count}, with \${petri_tests_count} tests in all\")
")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/petri_suites.cmake)
endfunction()
