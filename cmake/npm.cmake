# cmake -DNPM=... -DSOURCE=... -DBUILD=... -DSTEP=install|build -P npm.cmake
# Runs one step of npm on a copy of web/ in the build folder, and says what to do where it fails.

file(MAKE_DIRECTORY ${BUILD})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${BUILD})
if(STEP STREQUAL install)
  # No package needs scripts of its own to be installed, so none may run any.
  set(command ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error)
  set(advice "It fetches the packages that web/package-lock.json names from the npm registry or from npm's cache: is there a network?")
else()
  file(REMOVE_RECURSE ${BUILD}/src)
  file(GLOB files ${SOURCE}/*.html ${SOURCE}/*.css ${SOURCE}/*.js ${SOURCE}/*.mjs ${SOURCE}/tsconfig.json)
  file(COPY ${files} ${SOURCE}/src DESTINATION ${BUILD})
  set(command run build --silent --loglevel=error)
  set(advice "It checks and bundles the sources in web/.")
endif()

execute_process(COMMAND ${NPM} ${command} WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  string(JOIN " " command ${command})
  message(FATAL_ERROR "npm ${command} failed in ${BUILD}. ${advice}\n${output}")
endif()
if(STEP STREQUAL install)
  file(TOUCH ${BUILD}/installed.stamp)
endif()
