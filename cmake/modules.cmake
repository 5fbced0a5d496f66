# One module = one folder under src/ = one target tieline_<name> = one namespace.

add_library(tieline_options INTERFACE)
target_compile_options(tieline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Werror -ffp-contract=off)
if(TIELINE_SANITIZE)
  target_compile_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE})
endif()

# tieline_module(name [USES module...] [LINK library...])
function(tieline_module name)
  cmake_parse_arguments(ARG "" "" "USES;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  list(TRANSFORM ARG_USES PREPEND tieline_)
  if(NOT sources)
    add_library(tieline_${name} INTERFACE)
    target_include_directories(tieline_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(tieline_${name} INTERFACE ${ARG_USES})
    return()
  endif()
  add_library(tieline_${name} STATIC ${sources})
  target_include_directories(tieline_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(tieline_${name} PUBLIC ${ARG_USES} PRIVATE $<BUILD_INTERFACE:tieline_options> ${ARG_LINK})
endfunction()
