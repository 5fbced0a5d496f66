# The plug-in that tools link: a small shared library and an archive, made of the rooms below it, compiled again so that
# nothing but its own functions is seen from outside and nothing but the C library is needed.

set(plugin_sources)
foreach(room wave lines transport plugin)
  file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  list(APPEND plugin_sources ${found})
endforeach()
foreach(source core/interface_set core/interface_states core/spatial core/domain core/port core/signal_members
        core/nearest_name core/result core/time_grid coupling/line_audit coupling/line_parameters coupling/spatial_line)
  list(APPEND plugin_sources ${PROJECT_SOURCE_DIR}/src/${source}.cpp)
endforeach()

add_library(tieline_plugin_objects OBJECT ${plugin_sources})
target_include_directories(tieline_plugin_objects PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(tieline_plugin_objects PRIVATE tieline_options Eigen3::Eigen)
target_compile_definitions(tieline_plugin_objects PRIVATE TIELINE_PLUGIN_BUILD FMT_HEADER_ONLY)
target_compile_options(tieline_plugin_objects PRIVATE -ffunction-sections -fdata-sections)
set_target_properties(tieline_plugin_objects PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

add_library(tieline_plugin_shared SHARED $<TARGET_OBJECTS:tieline_plugin_objects>)
add_library(tieline_plugin_static STATIC $<TARGET_OBJECTS:tieline_plugin_objects>)
set_target_properties(tieline_plugin_shared PROPERTIES OUTPUT_NAME tieline_plugin EXPORT_NAME plugin
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set_target_properties(tieline_plugin_static PROPERTIES OUTPUT_NAME tieline_plugin EXPORT_NAME plugin_static
                      ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(TIELINE_SANITIZE)
  target_link_options(tieline_plugin_shared PRIVATE -fsanitize=${TIELINE_SANITIZE})
  target_link_options(tieline_plugin_static INTERFACE -fsanitize=${TIELINE_SANITIZE})
else()
  # A tool brings its own libraries, and no version of them may matter. (The C library's mathematics, libm.so.6, cannot
  # be linked in: its archive is for programs only.)
  target_link_options(tieline_plugin_shared PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-z,defs
                      -Wl,--exclude-libs,ALL -Wl,--as-needed
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map)
endif()
target_link_libraries(tieline_plugin_static INTERFACE stdc++ m)
foreach(kind shared static)
  target_include_directories(tieline_plugin_${kind} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
add_library(tieline::plugin ALIAS tieline_plugin_shared)
add_library(tieline::plugin_static ALIAS tieline_plugin_static)

install(TARGETS tieline_plugin_shared tieline_plugin_static EXPORT tieline_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tieline-plugin.pc.in ${CMAKE_BINARY_DIR}/tieline-plugin.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tieline-plugin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
