# The plug-in that tools link: a small shared library and an archive, made of the objects of its room and those below.
# Nothing but its own functions is seen from outside, and nothing but the C library is needed.

set(plugin_objects)
foreach(room IN LISTS TIELINE_PLUGIN_ROOMS)
  list(APPEND plugin_objects $<TARGET_OBJECTS:tieline_${room}>)
endforeach()
add_library(tieline_plugin_shared SHARED ${plugin_objects})
add_library(tieline_plugin_static STATIC ${plugin_objects})
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
