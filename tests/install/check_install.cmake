# Run by ctest with BUILD_DIR, WORK_DIR, CONSUMER_DIR and SANITIZE set.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${prefix}/bin/tieline --version)

set(flags)
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER_DIR} -B ${WORK_DIR}/consumer -DCMAKE_PREFIX_PATH=${prefix} ${flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/consumer)
run(${WORK_DIR}/consumer/consumer ${CONSUMER_DIR}/model.xml)
message(STATUS "consumer says: ${output}")

# pkg-config finds the same library without CMake.
file(GLOB_RECURSE package_file ${prefix}/*/tieline.pc)
get_filename_component(package_dir ${package_file} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${package_dir})
run(pkg-config --exists --print-errors tieline)
