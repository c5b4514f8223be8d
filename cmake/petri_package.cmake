# petri_library(modules...): libpetri.a out of the modules that exist, and its installation as the package `petri`.
# petri_beside(<name> <description> [<library>...]): a library of its own beside it, of the one module of that name, as petri::<name>,
# and the libraries of the machine that it needs, by the names that the linker and pkg-config know.
#
# The package has libpetri.a, the libraries beside it, libpetri_engine.a, the headers of include/petri, the header of guests, the
# documentation, and what find_package(petri) and pkg-config read. The command installs itself (src/cli). tests/package looks at all of it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(petri_guest_folder ${CMAKE_INSTALL_DATADIR}/petri/guest/c)

# petri_install_stripped(<archive>): takes the debugging information out of an installed archive of CMAKE_INSTALL_LIBDIR.
function(petri_install_stripped archive)
  install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${archive}\" COMMAND_ERROR_IS_FATAL ANY)")
endfunction()

# petri_objects(<variable> modules...): the objects of those modules that exist.
function(petri_objects variable)
  set(objects)
  foreach(module IN LISTS ARGN)
    if(TARGET petri_${module})
      get_target_property(type petri_${module} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND objects $<TARGET_OBJECTS:petri_${module}>)
      endif()
    endif()
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

function(petri_library)
  petri_objects(objects ${ARGN})
  add_library(petri STATIC ${objects})
  add_library(petri::petri ALIAS petri)
  set_target_properties(petri PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(petri INTERFACE cxx_std_23)
  target_include_directories(petri INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    # Headers that have moved; each says where to.
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/petri/compat> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/petri/compat>)
  target_link_libraries(petri INTERFACE fmt::fmt Threads::Threads)
  if(PETRI_SANITIZE)
    target_link_options(petri INTERFACE -fsanitize=${PETRI_SANITIZE})
  endif()
  if(TARGET petri_engine)
    target_link_libraries(petri INTERFACE $<BUILD_INTERFACE:petri_crate> $<INSTALL_INTERFACE:petri::crate>)
    add_dependencies(petri petri_crate_build)
    install(FILES ${petri_crate_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    # Two thirds of the archive are line tables of the engines' own sources.
    petri_install_stripped(libpetri_engine.a)
  endif()
  petri_install()
  foreach(name IN ITEMS prefix includedir libdir)
    set(petri_pc_${name} "${petri_pc_${name}}" PARENT_SCOPE)
  endforeach()
endfunction()

function(petri_beside name description)
  petri_objects(objects ${name})
  if(NOT objects)
    return()
  endif()
  add_library(petri_beside_${name} STATIC ${objects})
  add_library(petri::${name} ALIAS petri_beside_${name})
  set_target_properties(petri_beside_${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME petri_${name} EXPORT_NAME ${name})
  target_link_libraries(petri_beside_${name} INTERFACE petri ${ARGN})
  list(TRANSFORM ARGN PREPEND " -l" OUTPUT_VARIABLE petri_pc_libraries)
  list(JOIN petri_pc_libraries "" petri_pc_libraries)
  install(TARGETS petri_beside_${name} EXPORT petriTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  petri_install_stripped(libpetri_${name}.a)
  set(petri_pc_description "${description}")
  set(petri_pc_name ${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/petri_beside.pc.in ${PROJECT_BINARY_DIR}/petri_${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/petri_${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# petri::logging: petri/logging/event_logger.h, a header alone, and spdlog, which nothing else needs.
function(petri_logging)
  if(TARGET spdlog::spdlog)
    add_library(petri_logging INTERFACE)
    add_library(petri::logging ALIAS petri_logging)
    target_link_libraries(petri_logging INTERFACE petri spdlog::spdlog)
  endif()
endfunction()

function(petri_install)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/petri)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/petriConfig.cmake.in ${PROJECT_BINARY_DIR}/petriConfig.cmake
    INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_LIBDIR petri_guest_folder)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/petriConfigVersion.cmake COMPATIBILITY SameMinorVersion)

  install(TARGETS petri EXPORT petriTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  petri_install_stripped(libpetri.a)
  install(EXPORT petriTargets NAMESPACE petri:: DESTINATION ${folder})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/petri DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  install(FILES ${PROJECT_BINARY_DIR}/petriConfig.cmake ${PROJECT_BINARY_DIR}/petriConfigVersion.cmake DESTINATION ${folder})
  install(FILES ${PROJECT_SOURCE_DIR}/guest/c/petri.h ${PROJECT_SOURCE_DIR}/guest/c/petri_cpp.h DESTINATION ${petri_guest_folder})
  foreach(file IN ITEMS rust/Cargo.toml rust/src/lib.rs assemblyscript/petri.ts)
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/guest/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/petri/guest/${folder})
  endforeach()
  petri_install_pkg_config()
  petri_install_documentation()
  foreach(name IN ITEMS prefix includedir libdir)
    set(petri_pc_${name} "${petri_pc_${name}}" PARENT_SCOPE)
  endforeach()
endfunction()

# petri.pc finds its prefix from where it is, so that the installed tree can be moved.
function(petri_install_pkg_config)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" petri_pc_prefix "\${pcfiledir}/${up}")
  foreach(name IN ITEMS includedir libdir)
    string(TOUPPER ${name} upper)
    cmake_path(APPEND petri_pc_${name} "\${prefix}" "${CMAKE_INSTALL_${upper}}")
    set(petri_pc_${name} "${petri_pc_${name}}" PARENT_SCOPE)
  endforeach()
  set(petri_pc_prefix "${petri_pc_prefix}" PARENT_SCOPE)
  cmake_path(APPEND petri_pc_guest_includedir "\${prefix}" "${petri_guest_folder}")
  list(TRANSFORM petri_crate_system_libraries PREPEND -l OUTPUT_VARIABLE libraries)
  list(JOIN libraries " " petri_pc_libraries)
  string(PREPEND petri_pc_libraries "-lpetri_engine ")
  if(PETRI_SANITIZE)
    string(APPEND petri_pc_libraries " -fsanitize=${PETRI_SANITIZE}")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/petri.pc.in ${PROJECT_BINARY_DIR}/petri.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/petri.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# In the folders of the source tree, and with everything that one of the pages links to, so that the links hold.
function(petri_install_documentation)
  foreach(file IN ITEMS LICENSE README.md CHANGELOG.md SECURITY.md ARCHITECTURE.md CONTRIBUTING.md fuzz/README.md
      tests/hostile/README.md guest/abi/abi.json guest/c/petri.h guest/c/petri_cpp.h guest/rust/src/lib.rs
      guest/assemblyscript/petri.ts)
    cmake_path(GET file PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.py" PATTERN "*.yml" PATTERN "*.json")
  # Their permissions are not those of the source tree, which may be for one user alone.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.sh" PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()
