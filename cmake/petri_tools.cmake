# Tools that make building quicker when they are there, and where the results go.

foreach(found IN ITEMS CCACHE_PROGRAM MOLD_PROGRAM)
  if(NOT EXISTS "${${found}}") # it was found once, and has gone
    unset(${found} CACHE)
  endif()
endforeach()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It must be set to accept that precompiled headers are the same when what they are made of is.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# The Rust archive is large: mold links it in a fraction of the time.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND PROJECT_IS_TOP_LEVEL)
  add_link_options(-fuse-ld=mold)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
