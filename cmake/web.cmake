# The page that `tieline animate` fills: TypeScript in web/, bundled with three.js into one HTML file by npm and Vite.
# The program reads it from share/tieline/ beside itself, so that it is built without npm; the target `tieline_page`
# makes the page. Everything happens in the build folder; packages are fetched again only where package-lock.json has
# changed.

set(TIELINE_PAGE ${CMAKE_BINARY_DIR}/share/tieline/animation.html)
install(FILES ${TIELINE_PAGE} DESTINATION ${CMAKE_INSTALL_DATADIR}/tieline OPTIONAL)
find_program(NPM npm)
if(NOT NPM)
  if(TIELINE_BUILD_TESTS)
    message(FATAL_ERROR "npm is missing, which bundles the animation page (web/): run scripts/install-packages.sh test")
  endif()
  message(STATUS "npm is missing: `tieline animate` has no page to fill until `make page` makes it")
  return()
endif()

set(web_source ${PROJECT_SOURCE_DIR}/web)
set(web_build ${CMAKE_BINARY_DIR}/web)
add_custom_command(
  OUTPUT ${web_build}/installed.stamp
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DSOURCE=${web_source} -DBUILD=${web_build} -DSTEP=install
          -P ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  DEPENDS ${web_source}/package.json ${web_source}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  COMMENT "Fetching the packages of web/" VERBATIM)

file(GLOB web_files CONFIGURE_DEPENDS ${web_source}/src/*.ts ${web_source}/index.html ${web_source}/style.css
     ${web_source}/*.js ${web_source}/*.mjs ${web_source}/tsconfig.json)
add_custom_command(
  OUTPUT ${TIELINE_PAGE}
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DSOURCE=${web_source} -DBUILD=${web_build} -DSTEP=build
          -P ${PROJECT_SOURCE_DIR}/cmake/npm.cmake
  COMMAND ${CMAKE_COMMAND} -E copy ${web_build}/animation.html ${TIELINE_PAGE}
  DEPENDS ${web_build}/installed.stamp ${web_files}
  COMMENT "Bundling web/" VERBATIM)
if(TIELINE_BUILD_TESTS)
  add_custom_target(tieline_page ALL DEPENDS ${TIELINE_PAGE})
else()
  add_custom_target(tieline_page DEPENDS ${TIELINE_PAGE})
endif()
