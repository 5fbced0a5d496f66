# The rooms: one folder under src/ = one target tieline_<name> = one namespace. Which there are, what each may use and
# what it links is read from the table in docs/architecture.md, which tests/architecture reads, too.

add_library(tieline_options INTERFACE)
target_compile_options(tieline_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
                       -Werror -ffp-contract=off
                       -Wno-restrict) # gcc 12 reports std::string's operator+ falsely
if(TIELINE_QUICK_BUILD)
  # Sources that are compiled together see each other's file-local names.
  target_compile_options(tieline_options INTERFACE -Wshadow=local
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
else()
  target_compile_options(tieline_options INTERFACE -Wshadow)
endif()
if(TIELINE_SANITIZE)
  # gcc's manual: sanitizers make -Wmaybe-uninitialized warn falsely, even inside the standard library.
  # Lines of the source are all that their reports need. gcc's points-to analysis takes four fifths of the time
  # to compile what the undefined-behaviour sanitizer adds, and is left out.
  target_compile_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE} -fno-omit-frame-pointer -g1
                         -fno-sanitize-recover=all -Wno-maybe-uninitialized
                         $<$<CXX_COMPILER_ID:GNU>:-fno-tree-pta>)
  target_link_options(tieline_options INTERFACE -fsanitize=${TIELINE_SANITIZE})
endif()
if(TIELINE_FUZZ)
  # clang builds the fuzzers only; its warnings do not decide.
  target_compile_options(tieline_options INTERFACE -Wno-error -Wno-unknown-warning-option)
endif()

# Names of libraries in the table, and what they are to CMake (cmake/dependencies.cmake).
set(library_fmt fmt::fmt)
set(library_eigen Eigen3::Eigen)
set(library_pugixml PkgConfig::pugixml)
set(library_muparser PkgConfig::muparser)
set(library_sundials ${SUNDIALS_LIBRARIES})
set(library_klu SuiteSparse::klu)
set(library_threads Threads::Threads)
set(library_json nlohmann_json::nlohmann_json)
set(library_hdf5 hdf5::hdf5)
set(library_matio PkgConfig::matio)
set(library_libzip PkgConfig::libzip)
set(library_dl ${CMAKE_DL_LIBS})
set(library_openssl OpenSSL::of_program)
set(library_cairo PkgConfig::cairo)
set(library_cli11 CLI11::CLI11)

# tieline_words(text variable): the words in `backquotes`.
function(tieline_words text variable)
  string(REGEX MATCHALL "`[a-z0-9_]+`" words "${text}")
  string(REPLACE "`" "" words "${words}")
  set(${variable} ${words} PARENT_SCOPE)
endfunction()

# Sets TIELINE_ROOMS, lowest first, and for each <room>_uses and <room>_links.
macro(tieline_read_rooms)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/architecture.md)
  file(STRINGS ${PROJECT_SOURCE_DIR}/docs/architecture.md rows REGEX "^\\| `[a-z_]+` \\|")
  set(TIELINE_ROOMS)
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^\\| `([a-z_]+)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|$")
      message(FATAL_ERROR "docs/architecture.md: expected | `room` | holds | may use | links | in this row:\n${row}")
    endif()
    set(room ${CMAKE_MATCH_1})
    set(uses "${CMAKE_MATCH_2}")
    set(links "${CMAKE_MATCH_3}")
    tieline_words("${uses}" ${room}_uses)
    tieline_words("${links}" ${room}_links)
    foreach(used IN LISTS ${room}_uses)
      if(NOT used IN_LIST TIELINE_ROOMS)
        message(FATAL_ERROR "docs/architecture.md: room '${room}' may use '${used}', which is not a room above its row")
      endif()
    endforeach()
    foreach(link IN LISTS ${room}_links)
      if(NOT DEFINED library_${link})
        message(FATAL_ERROR "docs/architecture.md: room '${room}' links '${link}', which cmake/rooms.cmake does not know")
      endif()
    endforeach()
    list(APPEND TIELINE_ROOMS ${room})
  endforeach()
  if(NOT TIELINE_ROOMS)
    message(FATAL_ERROR "docs/architecture.md: the table of rooms is missing")
  endif()
endmacro()

# tieline_rooms_below(room variable): the room and all that it uses, directly or not.
function(tieline_rooms_below room variable)
  set(all ${room})
  foreach(used IN LISTS ${room}_uses)
    tieline_rooms_below(${used} below)
    list(APPEND all ${below})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# tieline_as_library(target): compiles a program with the flags of libraries, so that it can use what was precompiled
# with those.
function(tieline_as_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# tieline_quick_build(target [LIKE other]): compiles several sources at once, and what most of them include
# (cmake/quick_build.hpp) once for all that link fmt::fmt; with LIKE, as precompiled for another target of the same
# options.
function(tieline_quick_build target)
  if(NOT TIELINE_QUICK_BUILD)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LIKE" "" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  if(ARG_LIKE)
    tieline_as_library(${target})
    target_precompile_headers(${target} REUSE_FROM ${ARG_LIKE})
  endif()
endfunction()

# The shared libraries show what their public headers declare, and are rid of what they do not use.
function(tieline_room_options target)
  target_link_libraries(${target} PRIVATE tieline_options)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

if(TIELINE_QUICK_BUILD)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
  foreach(target tieline_precompiled tieline_precompiled_seldom_run)
    add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${target} PRIVATE fmt::fmt Eigen3::Eigen)
    tieline_room_options(${target})
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/quick_build.hpp)
  endforeach()
  target_compile_options(tieline_precompiled_seldom_run PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endif()

# Sources that are compiled alone, for the widest registers of several processors: no ABI is crossed, since everything
# in them is inlined, and square roots of whole registers set no errno.
set(TIELINE_WIDE_SOURCES bearings/contact_lanes.cpp)

# Rooms whose code runs a few times in a run: optimising them costs building time, and gains nothing.
set(TIELINE_SELDOM_RUN archive builder model interchange kinds checkpoints processes reporting studies simulation fmu_export fmu_wrapper report api cli)

# tieline_room(name): the library of a room, from its row in the table.
function(tieline_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(libraries)
  foreach(link IN LISTS ${name}_links)
    list(APPEND libraries ${library_${link}})
  endforeach()
  if(name IN_LIST TIELINE_PLUGIN_ROOMS)
    # The plug-in may need no library of others at run time.
    list(TRANSFORM libraries REPLACE "^fmt::fmt$" fmt::fmt-header-only)
  endif()
  set(uses ${${name}_uses})
  list(TRANSFORM uses PREPEND tieline_)
  add_library(tieline_${name} STATIC ${sources})
  target_include_directories(tieline_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(tieline_${name} PUBLIC ${uses} PRIVATE ${libraries})
  if("eigen" IN_LIST ${name}_links)
    # Positions and rotations in space are Eigen's, in headers too.
    target_link_libraries(tieline_${name} PUBLIC Eigen3::Eigen)
  endif()
  tieline_room_options(tieline_${name})
  if(name IN_LIST TIELINE_SELDOM_RUN)
    target_compile_options(tieline_${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
    tieline_quick_build(tieline_${name} LIKE tieline_precompiled_seldom_run)
  elseif("fmt" IN_LIST ${name}_links AND NOT name IN_LIST TIELINE_PLUGIN_ROOMS)
    tieline_quick_build(tieline_${name} LIKE tieline_precompiled)
  else()
    tieline_quick_build(tieline_${name})
  endif()
  foreach(source IN LISTS TIELINE_WIDE_SOURCES)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
                                COMPILE_OPTIONS "-fno-math-errno;-Wno-psabi")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY TIELINE_LIBRARIES ${libraries})
endfunction()
