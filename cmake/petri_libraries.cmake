# What Debian 12 gives us; tools/setup installs it.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED) # headers only: reading records

# The command, the benchmarks and later modules use these; libpetri itself does not need them to be there.
find_package(spdlog QUIET)
find_package(CLI11 QUIET)
find_package(benchmark QUIET)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(libedit QUIET IMPORTED_TARGET libedit) # lines typed at the shell
endif()

if(PETRI_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
