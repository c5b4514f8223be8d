# Needs petri_build, work, consumer, compiler and the flag for its linker; fails with what the failing step said.
function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
step("installing" ${CMAKE_COMMAND} --install ${petri_build} --prefix ${work}/prefix)
step("configuring the consumer" ${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G Ninja
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/prefix
  "-DCMAKE_EXE_LINKER_FLAGS=${linker} -Wl,--strip-debug") # symbols of a hundred megabytes, which nobody looks at here
step("building the consumer" ${CMAKE_COMMAND} --build ${work}/build)
step("running the consumer" ${work}/build/five_lines)
if(NOT said STREQUAL "5\n")
  message(FATAL_ERROR "the consumer said '${said}' instead of 5")
endif()

# The package can be moved: nothing it says points back into the build it came from.
file(GLOB_RECURSE scripts ${work}/prefix/*.cmake)
foreach(script IN LISTS scripts)
  file(READ ${script} text)
  string(FIND "${text}" "${petri_build}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${script} names the build folder")
  endif()
endforeach()
file(REMOVE_RECURSE ${work})
