# petri_flags: the language, the warnings and the sanitizers every target of ours is compiled with.

# An older compiler would be found out minutes later, by a missing header; and once a configuration has succeeded, CMake keeps it.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -std=c++23)
check_cxx_source_compiles("#include <expected>\nint main() { return std::expected<int, int>(0).value(); }" petri_has_expected)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT petri_has_expected)
  message(FATAL_ERROR "petri needs a C++ compiler with the header <expected> of C++23 (GCC 12, Clang 19 or later) and found "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} at ${CMAKE_CXX_COMPILER}; install it with tools/setup demo, or name another one "
    "in the environment variable CXX")
endif()

add_library(petri_flags INTERFACE)

# C++23 as GCC 12 has it.
target_compile_features(petri_flags INTERFACE cxx_std_23)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

target_compile_options(petri_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2 -Wundef
  # Leaving fields of a spec at their defaults is how specs are meant to be written.
  -Wno-missing-field-initializers
  # Newer compilers than petri is developed with warn of more, which is no reason to refuse to build.
  $<$<AND:$<BOOL:${PETRI_WERROR}>,$<OR:$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>,$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,23>>>>:-Werror>
  # GCC 12 sees these where there are none, once it optimises its own vector::insert and string::operator+.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread$<SEMICOLON>-Wno-restrict>
  # A unity build includes the sources, and GCC then takes them for headers that leak their anonymous namespaces.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  # Clang proves that members are only touched under the lock they name.
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # GCC tidies its memory as if it had little; with this it takes an eighth less time and a quarter more memory.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>
  # Code that can go into a shared library may otherwise not inline a function of its own file: somebody could put another in its
  # place when the program is loaded. Nobody does, and Clang never expects it.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-fno-semantic-interposition>
  # A program takes from libpetri.a only the functions it uses.
  -ffunction-sections -fdata-sections
  # No binary contains the path where it was built.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(PETRI_SANITIZE)
  target_compile_options(petri_flags INTERFACE -fsanitize=${PETRI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(petri_flags INTERFACE -fsanitize=${PETRI_SANITIZE})
endif()
