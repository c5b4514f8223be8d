# petri_module(<name> [SOURCES ...] [TESTS ...] [DEPENDS modules...] [LIBRARIES targets...])
#
# Makes the library petri_<name> of the folder it is called in, and from TESTS one test binary whose tests ctest runs
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

# petri_tests(<label> SOURCES ... LIBRARIES ...): one GoogleTest binary, <label>_tests, its tests known to ctest.
# Tests find the guests and transcripts of the tree under PETRI_TESTS_FOLDER.
function(petri_tests label)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "" "SOURCES;LIBRARIES")
  add_executable(${label}_tests ${tests_SOURCES})
  target_link_libraries(${label}_tests PRIVATE petri_flags ${tests_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${label}_tests PRIVATE PETRI_TESTS_FOLDER="${PROJECT_SOURCE_DIR}/tests")
  set_target_properties(${label}_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${label}_tests
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    TEST_PREFIX ${label}.
    PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()
