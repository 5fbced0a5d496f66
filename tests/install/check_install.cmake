# Run by ctest with BUILD_DIR, WORK_DIR, CONSUMER_DIR, EXAMPLES_DIR, OWN_COMPONENT_DIR and SANITIZE set.
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

# The example of a component in C++ is built as its users would, and finds what its closed form says.
run(${CMAKE_COMMAND} -G Ninja -S ${OWN_COMPONENT_DIR} -B ${WORK_DIR}/own-component -DCMAKE_PREFIX_PATH=${prefix} ${flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/own-component)
run(${WORK_DIR}/own-component/own_component ${OWN_COMPONENT_DIR}/model.xml)
message(STATUS "own-component says: ${output}")

# pkg-config finds the same library without CMake.
file(GLOB_RECURSE package_file ${prefix}/*/tieline.pc)
get_filename_component(package_dir ${package_file} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${package_dir})
run(pkg-config --exists --print-errors tieline)

# The library shows what its public headers declare: functions and classes of namespace tieline, none of a room.
if(NOT SANITIZE)
  file(GLOB library_file ${package_dir}/../libtieline.so)
  run(nm -D --defined-only ${library_file})
  string(REGEX MATCHALL " T [^\n]+" shown "${output}")
  foreach(symbol IN LISTS shown)
    if(NOT symbol MATCHES " T _ZNK?7tieline[0-9]" OR symbol MATCHES " T _ZNK?7tieline[0-9]+[a-z][a-z_]*[0-9]")
      message(FATAL_ERROR "the library shows what is not public:${symbol}")
    endif()
  endforeach()
endif()

# The plug-in: the example simulators are built as their users would, against what is installed.
if(NOT SANITIZE)
  execute_process(COMMAND pkg-config --cflags --libs tieline-plugin OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute_process(COMMAND pkg-config --static --libs tieline-plugin OUTPUT_VARIABLE private COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(private UNIX_COMMAND "${private}")
  list(FILTER private INCLUDE REGEX "^-l(stdc|m$)")
  get_filename_component(library_dir ${package_dir} DIRECTORY)
  run(cc -std=c99 -Wall -Wextra -pedantic -Werror ${EXAMPLES_DIR}/mass_on_spring.c ${flags} -o ${WORK_DIR}/mass_on_spring)
  run(c++ -std=c++17 -Wall -Wextra -Werror ${EXAMPLES_DIR}/pendulum_arm.cpp ${flags} -o ${WORK_DIR}/pendulum_arm)
  set(includes ${flags})
  list(FILTER includes INCLUDE REGEX "^-I")
  run(cc -std=c99 ${EXAMPLES_DIR}/mass_on_spring.c ${includes} ${library_dir}/libtieline_plugin.a ${private}
      -o ${WORK_DIR}/mass_on_spring_static)

  # Without a master they say so, and end.
  set(ENV{LD_LIBRARY_PATH} ${library_dir})
  foreach(program mass_on_spring pendulum_arm mass_on_spring_static)
    execute_process(COMMAND ${WORK_DIR}/${program} RESULT_VARIABLE code ERROR_VARIABLE complaint)
    if(NOT code EQUAL 2 OR NOT complaint MATCHES "TIELINE_MASTER")
      message(FATAL_ERROR "${program} ended with ${code}: ${complaint}")
    endif()
  endforeach()

  # A tool brings its own libraries: the plug-in needs none but the C library's own two, and shows none of its inside.
  run(readelf -d ${library_dir}/libtieline_plugin.so)
  string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" needed "${output}")
  foreach(entry IN LISTS needed)
    if(NOT entry MATCHES "\\[(lib[cm]\\.so\\.6|ld-linux[^]]*)\\]")
      message(FATAL_ERROR "the plug-in needs more than the C library: ${entry}")
    endif()
  endforeach()
  run(nm -D --defined-only ${library_dir}/libtieline_plugin.so)
  string(REGEX REPLACE "[^\n]* [TtVvWBDR] (tieline_[a-z_0-9]+|tieline_plugin)?\n" "" foreign "${output}\n")
  string(STRIP "${foreign}" foreign)
  if(foreign)
    message(FATAL_ERROR "the plug-in shows what is not its own: ${foreign}")
  endif()
endif()
