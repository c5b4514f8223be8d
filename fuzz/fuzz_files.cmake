# Runs the targets for files from outside, each for so many seconds and from a seed of its own.
#   cmake -DFOLDER=bin -DSECONDS=600 -P fuzz_files.cmake
string(RANDOM LENGTH 9 ALPHABET 123456789 seed)
foreach(target IN ITEMS audit_file json_documents records_file snapshot_file)
  message(STATUS "fuzz_${target} --seconds ${SECONDS} --seed ${seed}")
  execute_process(COMMAND ${FOLDER}/fuzz_${target} --seconds ${SECONDS} --seed ${seed} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
