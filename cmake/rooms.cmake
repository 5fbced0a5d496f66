# The rooms: one folder under src/ = one target tieline_<name> = one namespace. Which there are, what each may use and
# what it links is read from the table in docs/architecture.md, which tests/architecture reads, too.

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

# Names of libraries in the table, and what they are to CMake (cmake/dependencies.cmake).
set(library_fmt fmt::fmt)
set(library_eigen Eigen3::Eigen)
set(library_pugixml PkgConfig::pugixml)
set(library_muparser PkgConfig::muparser)
set(library_sundials SUNDIALS::cvode SUNDIALS::ida SUNDIALS::nvecserial)
set(library_klu SuiteSparse::klu)
set(library_threads Threads::Threads)
set(library_json nlohmann_json::nlohmann_json)
set(library_hdf5 hdf5::hdf5)
set(library_matio PkgConfig::matio)
set(library_libzip PkgConfig::libzip)
set(library_dl ${CMAKE_DL_LIBS})
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

# tieline_quick_build(target): compiles several sources at once, and headers that most of them need once for all
# (cmake/quick_build.hpp), if TIELINE_QUICK_BUILD.
function(tieline_quick_build target)
  if(NOT TIELINE_QUICK_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # Sources that are compiled together see each other's file-local names: what the debug preset still warns of.
  target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
endfunction()

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
  target_link_libraries(tieline_${name} PUBLIC ${uses} PRIVATE tieline_options ${libraries})
  if("eigen" IN_LIST ${name}_links)
    # Positions and rotations in space are Eigen's, in headers too.
    target_link_libraries(tieline_${name} PUBLIC Eigen3::Eigen)
  endif()
  # The shared libraries show what their public headers declare, and are rid of what they do not use.
  target_compile_options(tieline_${name} PRIVATE -ffunction-sections -fdata-sections)
  set_target_properties(tieline_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  tieline_quick_build(tieline_${name})
  set_property(GLOBAL APPEND PROPERTY TIELINE_LIBRARIES ${libraries})
endfunction()
