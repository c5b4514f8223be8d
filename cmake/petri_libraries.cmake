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

  # Tests start it often: it is the interpreter itself, where what the path finds may be a script that chooses one.
  find_program(PYTHON_PROGRAM python3 REQUIRED)
  execute_process(COMMAND ${PYTHON_PROGRAM} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE python_itself OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(Python3_EXECUTABLE ${python_itself} CACHE FILEPATH "The Python that runs the tests")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
