# petri_crate_data(<target> <file> <crate> <path>): writes into the file where cargo keeps this path of a crate, for tests that
# read data of it.
#
# Cargo is asked in every build, not only in the first: its folder can be another one now, or gone (.ci/run removes its own).
# The file is written only if the answer is another one.
set(petri_crate_folder ${CMAKE_CURRENT_LIST_DIR}/../tools/crate_folder)

function(petri_crate_data target file crate path)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} -E env CARGO=${CARGO_PROGRAM} ${Python3_EXECUTABLE} ${petri_crate_folder} --to ${file} ${crate} ${path}
    BYPRODUCTS ${file}
    COMMENT "Asking cargo for the files of ${crate}" VERBATIM)
endfunction()
