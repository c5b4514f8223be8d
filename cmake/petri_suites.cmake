# Read by ctest before it runs anything: asks each GoogleTest binary for its suites.

# petri_add_suites(<name> <label> <binary> <folder> <environment>): <name>.<suite> for each suite, run in the folder; its
# tests, in random order, share a process, and what starting one costs. Adds to petri_suites_count and petri_tests_count.
function(petri_add_suites name label binary folder environment)
  if(NOT EXISTS ${binary})
    add_test(${name}.is_not_built ${binary})
    return()
  endif()
  execute_process(COMMAND ${binary} --gtest_list_tests
    WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE listing TIMEOUT 240 COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[^ \n]+\\." suites "\n${listing}")
  string(REGEX MATCHALL "\n  [^ \n]" tests "\n${listing}")
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "^\n(.*)\\.$" "\\1" suite ${suite})
    add_test(${name}.${suite} ${binary} --gtest_filter=${suite}.* --gtest_shuffle)
    # A suite counts as skipped if one of its tests was and none failed: GoogleTest then lists those last.
    set_tests_properties(${name}.${suite} PROPERTIES
      WORKING_DIRECTORY ${folder} ENVIRONMENT "${environment}" LABELS ${label} TIMEOUT 300
      SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] [^\n]*\n$")
  endforeach()

  list(LENGTH suites suites)
  list(LENGTH tests tests)
  math(EXPR suites "${petri_suites_count} + ${suites}")
  math(EXPR tests "${petri_tests_count} + ${tests}")
  set(petri_suites_count ${suites} PARENT_SCOPE)
  set(petri_tests_count ${tests} PARENT_SCOPE)
endfunction()
