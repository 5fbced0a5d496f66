# One module = one folder under src/ = one target tieline_<name> = one namespace.

add_library(tieline_options INTERFACE)
target_compile_options(tieline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Werror -ffp-contract=off
                       -Wno-restrict) # gcc 12 reports std::string's operator+ falsely
if(TIELINE_SANITIZE)
  # gcc's manual: sanitizers make -Wmaybe-uninitialized warn falsely, even inside the standard library.
  target_compile_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE})
endif()

if(TIELINE_FUZZ)
  # clang builds the fuzzers only; its warnings do not decide.
  target_compile_options(tieline_options INTERFACE -Wno-error -Wno-unknown-warning-option)
endif()

# The shared library is made of the objects of all modules (cmake/library.cmake); these collect them.
define_property(GLOBAL PROPERTY TIELINE_MODULES BRIEF_DOCS "Modules that have sources")
define_property(GLOBAL PROPERTY TIELINE_MODULE_LIBRARIES BRIEF_DOCS "Third-party libraries that modules link")

# tieline_module(name [USES module...] [LINK library...])
# A module without sources (all in headers, or not there yet) becomes an interface library.
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
  target_include_directories(tieline_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(tieline_${name} PUBLIC ${ARG_USES} PRIVATE tieline_options ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY TIELINE_MODULES ${name})
  set_property(GLOBAL APPEND PROPERTY TIELINE_MODULE_LIBRARIES ${ARG_LINK})
endfunction()
