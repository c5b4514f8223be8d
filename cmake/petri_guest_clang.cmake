# petri_guest_clang(): finds the newest clang that builds C++ for WASI, by trying, and sets PETRI_GUEST_CLANG,
# PETRI_GUEST_CLANGXX, PETRI_GUEST_LINKER, which that clang starts, and PETRI_WASI_PLATFORM, the name it knows the platform by, which
# was renamed once. Where there is none, or one of them has gone since, all are empty, and the next configuration looks again.
# tools/setup test installs one; both take none older than this:
set(petri_guest_clang_min 19)

function(petri_guest_clang)
  if(EXISTS "${PETRI_GUEST_CLANG}" AND EXISTS "${PETRI_GUEST_CLANGXX}" AND EXISTS "${PETRI_GUEST_LINKER}")
    return()
  endif()
  foreach(found IN ITEMS PETRI_GUEST_CLANG PETRI_GUEST_CLANGXX PETRI_GUEST_LINKER PETRI_WASI_PLATFORM)
    unset(${found} CACHE)
  endforeach()
  foreach(older RANGE 0 40)
    math(EXPR version "${petri_guest_clang_min} + 40 - ${older}")
    petri_try_guest_clang(clang-${version} clang++-${version})
  endforeach()
  petri_try_guest_clang(clang clang++) # where packages have no version in their names
endfunction()

# Keeps this clang if it is there, can build for WASI, and none before it could.
function(petri_try_guest_clang c cxx)
  find_program(found_clang ${c} NO_CACHE)
  find_program(found_clangxx ${cxx} NO_CACHE)
  if(PETRI_GUEST_CLANGXX OR NOT found_clang OR NOT found_clangxx)
    return()
  endif()
  set(probe ${PROJECT_BINARY_DIR}/guest_clang_probe)
  file(WRITE ${probe}.cpp "#include <vector>\nint main() { return std::vector<int>(1).at(0); }\n")
  foreach(platform IN ITEMS wasm32-wasip1 wasm32-wasi)
    execute_process(COMMAND ${found_clangxx} --target=${platform} -Wno-deprecated -fno-exceptions ${probe}.cpp -o ${probe}.wasm
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      execute_process(COMMAND ${found_clangxx} --target=${platform} -Wno-deprecated -print-prog-name=wasm-ld
        OUTPUT_VARIABLE linker OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      set(PETRI_GUEST_LINKER "${linker}" CACHE INTERNAL "The linker that this clang starts")
      set(PETRI_GUEST_CLANG ${found_clang} CACHE INTERNAL "The clang that guests in C are built with")
      set(PETRI_GUEST_CLANGXX ${found_clangxx} CACHE INTERNAL "The clang that guests in C++ are built with")
      set(PETRI_WASI_PLATFORM ${platform} CACHE INTERNAL "What that clang calls WASI")
      return()
    endif()
  endforeach()
endfunction()

# petri_need_guest_clang(<who>): the same, but the configuration ends where there is none.
function(petri_need_guest_clang who)
  petri_guest_clang()
  if(NOT PETRI_GUEST_CLANGXX)
    message(FATAL_ERROR "${who} need a clang that builds C++ for WASI (clang, lld, wasi-libc, and compiler-rt and libc++ for wasm32, "
      "version ${petri_guest_clang_min} or later); install it with tools/setup test")
  endif()
endfunction()
