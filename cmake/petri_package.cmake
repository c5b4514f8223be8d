# petri_library(modules...): libpetri.a out of the modules that exist, and its installation as the package `petri`.
#
# The package has libpetri.a, libpetri_engine.a, the headers of include/petri and what find_package(petri) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(petri_library)
  set(objects)
  foreach(module IN LISTS ARGN)
    if(TARGET petri_${module})
      get_target_property(type petri_${module} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND objects $<TARGET_OBJECTS:petri_${module}>)
      endif()
    endif()
  endforeach()

  add_library(petri STATIC ${objects})
  add_library(petri::petri ALIAS petri)
  set_target_properties(petri PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(petri INTERFACE cxx_std_23)
  target_include_directories(petri INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(petri INTERFACE fmt::fmt Threads::Threads)
  if(PETRI_SANITIZE)
    target_link_options(petri INTERFACE -fsanitize=${PETRI_SANITIZE})
  endif()
  if(TARGET petri_engine)
    target_link_libraries(petri INTERFACE $<BUILD_INTERFACE:petri_crate> $<INSTALL_INTERFACE:petri::crate>)
    add_dependencies(petri petri_crate_build)
    install(FILES ${petri_crate_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    # Two thirds of the archive are line tables of the engines' own sources.
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libpetri_engine.a\" COMMAND_ERROR_IS_FATAL ANY)")
  endif()
  petri_install()
endfunction()

function(petri_install)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/petri)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/petriConfig.cmake.in ${PROJECT_BINARY_DIR}/petriConfig.cmake
    INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/petriConfigVersion.cmake COMPATIBILITY SameMinorVersion)

  install(TARGETS petri EXPORT petriTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT petriTargets NAMESPACE petri:: DESTINATION ${folder})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/petri DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  install(FILES ${PROJECT_BINARY_DIR}/petriConfig.cmake ${PROJECT_BINARY_DIR}/petriConfigVersion.cmake DESTINATION ${folder})
endfunction()
