# What Debian gives us. What is missing ends the configuration with a sentence that names what installs it.

# petri_library_from_debian(<name> <level of tools/setup> [find_package options...])
macro(petri_library_from_debian name level)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "the library ${name} is missing; install it with tools/setup ${level}")
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
petri_library_from_debian(fmt demo)
petri_library_from_debian(nlohmann_json demo) # headers only: reading records

# The command and the examples; lower layers alone (PETRI_FOLDERS) do without.
if(NOT PETRI_FOLDERS OR "src/cli" IN_LIST PETRI_FOLDERS)
  petri_library_from_debian(CLI11 demo)
  petri_library_from_debian(PkgConfig demo)
  pkg_check_modules(libedit QUIET IMPORTED_TARGET libedit) # lines typed at the shell
  if(NOT libedit_FOUND)
    message(FATAL_ERROR "the library libedit is missing; install it with tools/setup demo")
  endif()
endif()

# Populations in a file.
if(NOT PETRI_FOLDERS OR "src/population_file" IN_LIST PETRI_FOLDERS)
  petri_library_from_debian(SQLite3 demo)
endif()

if(PETRI_TESTS)
  petri_library_from_debian(GTest test)
  petri_library_from_debian(spdlog test) # petri/logging/event_logger.h, which libpetri itself does not include

  # Tests start it often: it is the interpreter itself, where what the path finds may be a script that chooses one.
  find_program(PYTHON_PROGRAM python3)
  if(NOT PYTHON_PROGRAM)
    message(FATAL_ERROR "the program python3 is missing, which runs the tests; install it with tools/setup test")
  endif()
  execute_process(COMMAND ${PYTHON_PROGRAM} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE python_itself OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(Python3_EXECUTABLE ${python_itself} CACHE FILEPATH "The Python that runs the tests")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
