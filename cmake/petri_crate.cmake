# petri_crate: the Rust crate in engine/ as a static library, libpetri_engine.a. Only src/engine links it.
#
# Cargo builds it once, in release mode, into one folder that all presets share; the sanitizer presets link the same
# archive. Nothing is built until a target that links petri_crate is.

set(PETRI_ENGINE_TARGET_DIR ${PROJECT_SOURCE_DIR}/build/engine CACHE PATH "Where cargo builds the Rust crate")

if(EXISTS ${PROJECT_SOURCE_DIR}/engine/Cargo.toml)
  if(NOT EXISTS "${CARGO_PROGRAM}") # it was found once, and has gone
    unset(CARGO_PROGRAM CACHE)
  endif()
  find_program(CARGO_PROGRAM cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin REQUIRED)
  set(petri_crate_archive ${PETRI_ENGINE_TARGET_DIR}/release/libpetri_engine.a)
  file(GLOB_RECURSE petri_crate_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engine/src/*.rs)

  # The archive is a by-product: cargo leaves it alone when nothing in it changes, and then nothing is linked again.
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/engine.stamp
    BYPRODUCTS ${petri_crate_archive}
    COMMAND ${CARGO_PROGRAM} build --release --lib --locked --manifest-path ${PROJECT_SOURCE_DIR}/engine/Cargo.toml
            --target-dir ${PETRI_ENGINE_TARGET_DIR}
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/engine.stamp
    DEPENDS ${petri_crate_sources} ${PROJECT_SOURCE_DIR}/engine/Cargo.toml ${PROJECT_SOURCE_DIR}/engine/Cargo.lock
    COMMENT "Building the Rust crate (the first time takes minutes)"
    USES_TERMINAL VERBATIM)
  add_custom_target(petri_crate_build DEPENDS ${PROJECT_BINARY_DIR}/engine.stamp)

  # Compiled beside the C++ sources, so that no processor waits; `make test` runs them, and fails if they do not compile.
  if(PETRI_TESTS)
    file(GLOB_RECURSE petri_crate_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engine/tests/*.rs)
    add_custom_command(
      OUTPUT ${PROJECT_BINARY_DIR}/engine_tests.stamp
      COMMAND ${CARGO_PROGRAM} test --lib --test engine --release --no-run --quiet --locked
              --manifest-path ${PROJECT_SOURCE_DIR}/engine/Cargo.toml --target-dir ${PETRI_ENGINE_TARGET_DIR}
      COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/engine_tests.stamp
      DEPENDS ${PROJECT_BINARY_DIR}/engine.stamp ${petri_crate_tests}
      COMMENT "Building the tests of the Rust crate" VERBATIM)
    add_custom_target(petri_crate_tests ALL DEPENDS ${PROJECT_BINARY_DIR}/engine_tests.stamp)
  endif()

  # The system libraries are those `cargo rustc -- --print native-static-libs` names.
  set(petri_crate_system_libraries gcc_s util rt pthread m dl c)
  add_library(petri_crate STATIC IMPORTED GLOBAL)
  set_target_properties(petri_crate PROPERTIES
    IMPORTED_LOCATION ${petri_crate_archive}
    INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/engine/include
    INTERFACE_LINK_LIBRARIES "${petri_crate_system_libraries}")
  add_dependencies(petri_crate petri_crate_build)
endif()
