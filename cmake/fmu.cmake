# The library that exported FMUs contain: the objects of the room fmu_wrapper and those below, with all libraries that
# have archives linked in. The few that come as shared libraries only are copied beside it, and found there ($ORIGIN). What
# an FMU never does (results in HDF5 and MAT files, zip archives, runs on several hosts) is left out (docs/decisions/0054-exported-fmus.md).
tieline_rooms_below(fmu_wrapper TIELINE_FMU_ROOMS)
set(fmu_objects)
list(REMOVE_ITEM TIELINE_FMU_ROOMS secure)
foreach(room IN LISTS TIELINE_FMU_ROOMS)
  list(APPEND fmu_objects $<TARGET_OBJECTS:tieline_${room}>)
endforeach()
set(TIELINE_FMU_FOLDER ${CMAKE_BINARY_DIR}/share/tieline/fmu)
add_library(tieline_fmu MODULE ${fmu_objects} ${PROJECT_SOURCE_DIR}/cmake/fmu/absent.c
            ${PROJECT_SOURCE_DIR}/cmake/fmu/format.cpp ${PROJECT_SOURCE_DIR}/cmake/fmu/one_machine.cpp)
set_target_properties(tieline_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${TIELINE_FMU_FOLDER}
                      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" UNITY_BUILD OFF)
target_include_directories(tieline_fmu PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(tieline_fmu PRIVATE tieline_options Threads::Threads)
find_library(PUGIXML_ARCHIVE libpugixml.a REQUIRED)
set(fmu_archives ${PUGIXML_ARCHIVE})
foreach(part cvode ida nvecserial)
  find_library(SUNDIALS_ARCHIVE_${part} libsundials_${part}.a REQUIRED)
  list(APPEND fmu_archives ${SUNDIALS_ARCHIVE_${part}})
endforeach()
list(APPEND fmu_archives ${KLU_ARCHIVES})
target_link_options(tieline_fmu PRIVATE -Wl,--exclude-libs,ALL
                    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/fmu.map)
target_link_libraries(tieline_fmu PRIVATE ${fmu_archives} PkgConfig::muparser dl m)
if(NOT TIELINE_SANITIZE)
  target_sources(tieline_fmu PRIVATE ${PROJECT_SOURCE_DIR}/cmake/fmu/unload.cpp)
  # One unwinder for all libraries, the host's: exceptions of muParser pass through it.
  target_link_options(tieline_fmu PRIVATE -static-libstdc++ -shared-libgcc -Wl,--gc-sections -Wl,-z,defs -Wl,--as-needed
                      -Wl,--disable-new-dtags -s)
endif()

# What it needs and other machines may not have.
set(fmu_companions)
foreach(name libmuparser.so.2 libgomp.so.1 libstdc++.so.6 libgcc_s.so.1)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE found
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${found}")
    message(FATAL_ERROR "${name}, which exported FMUs bring along, is not found")
  endif()
  file(REAL_PATH ${found} found)
  list(APPEND fmu_companions ${TIELINE_FMU_FOLDER}/${name})
  add_custom_command(OUTPUT ${TIELINE_FMU_FOLDER}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${found}
                     ${TIELINE_FMU_FOLDER}/${name} DEPENDS ${found} VERBATIM)
endforeach()
# The sources of the wrapper go with it.
file(GLOB fmu_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fmu_wrapper/*.?pp)
set(copied_sources)
foreach(source IN LISTS fmu_sources)
  get_filename_component(name ${source} NAME)
  list(APPEND copied_sources ${TIELINE_FMU_FOLDER}/sources/${name})
  add_custom_command(OUTPUT ${TIELINE_FMU_FOLDER}/sources/${name} COMMAND ${CMAKE_COMMAND} -E copy ${source}
                     ${TIELINE_FMU_FOLDER}/sources/${name} DEPENDS ${source} VERBATIM)
endforeach()
add_custom_target(tieline_fmu_files ALL DEPENDS ${fmu_companions} ${copied_sources})
add_dependencies(tieline_fmu tieline_fmu_files)
if(TARGET tieline_cli)
  add_dependencies(tieline_cli tieline_fmu)
endif()
install(DIRECTORY ${TIELINE_FMU_FOLDER} DESTINATION ${CMAKE_INSTALL_DATADIR}/tieline USE_SOURCE_PERMISSIONS)
