# Two processes write the same records to the byte, and a third verifies them in the other tier.
#   cmake -DWRITER=... -DFOLDER=... -P records_process_check.cmake
foreach(run IN ITEMS "one;1;interpreted" "two;8;automatic")
  list(GET run 0 name)
  list(GET run 1 workers)
  list(GET run 2 tier)
  execute_process(COMMAND ${WRITER} write ${FOLDER}/${name}.jsonl ${workers} ${tier} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/one.jsonl ${FOLDER}/two.jsonl COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WRITER} verify ${FOLDER}/one.jsonl 2 compiled COMMAND_ERROR_IS_FATAL ANY)
