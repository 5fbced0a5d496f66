# The page that `tieline animate` writes: TypeScript in web/, bundled with three.js into one C++ source by npm and Vite.
# Everything happens in the build folder; the packages are fetched again only where package-lock.json has changed.

find_program(NPM npm)
if(NOT NPM)
  message(FATAL_ERROR "npm is missing, which bundles the animation page (web/): run scripts/install-packages.sh")
endif()

set(web_source ${PROJECT_SOURCE_DIR}/web)
set(web_build ${CMAKE_BINARY_DIR}/web)
set(TIELINE_ANIMATION_PAGE ${web_build}/animation_page.cpp)

add_custom_command(
  OUTPUT ${web_build}/installed.stamp
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DSOURCE=${web_source} -DBUILD=${web_build} -DSTEP=install
          -P ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  DEPENDS ${web_source}/package.json ${web_source}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  COMMENT "Fetching the packages of web/" VERBATIM)

file(GLOB web_files CONFIGURE_DEPENDS ${web_source}/src/*.ts ${web_source}/index.html ${web_source}/style.css
     ${web_source}/*.js ${web_source}/*.mjs ${web_source}/tsconfig.json)
add_custom_command(
  OUTPUT ${TIELINE_ANIMATION_PAGE}
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DSOURCE=${web_source} -DBUILD=${web_build} -DSTEP=build
          -P ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  DEPENDS ${web_build}/installed.stamp ${web_files}
  COMMENT "Bundling web/" VERBATIM)
# The source is named in another folder than the command that makes it.
add_custom_target(tieline_web DEPENDS ${TIELINE_ANIMATION_PAGE})
