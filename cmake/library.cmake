# What is installed: the program, one shared library with its public headers, a CMake package, a pkg-config file, the
# schema of model files and a library of component types.

include(CMakePackageConfigHelpers)

set(rooms ${TIELINE_ROOMS})
# The plug-in and the library of exported FMUs are libraries of their own.
list(REMOVE_ITEM rooms plugin fmu_wrapper cli)
get_property(libraries GLOBAL PROPERTY TIELINE_LIBRARIES)
list(REMOVE_DUPLICATES libraries)
add_library(tieline SHARED)
foreach(room IN LISTS rooms)
  target_sources(tieline PRIVATE $<TARGET_OBJECTS:tieline_${room}>)
endforeach()
target_link_libraries(tieline PRIVATE $<BUILD_INTERFACE:tieline_options> ${libraries})
target_include_directories(tieline INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(tieline INTERFACE cxx_std_20)
# Until 1.0 every minor version may break the interface, so the minor version names it.
set_target_properties(tieline PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
add_library(tieline::tieline ALIAS tieline)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tieline)
install(TARGETS tieline EXPORT tieline_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tieline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tieline_targets NAMESPACE tieline:: FILE tieline-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tieline-config.cmake.in
                              ${CMAKE_BINARY_DIR}/tieline-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tieline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tieline-config.cmake ${CMAKE_BINARY_DIR}/tieline-config-version.cmake
        DESTINATION ${package_dir})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tieline.pc.in ${CMAKE_BINARY_DIR}/tieline.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tieline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS tieline_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/library/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tieline/library)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/start-script.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/tieline/tools)
# The program in the build tree finds the types where an installed one does: beside itself.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/tieline)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/library ${CMAKE_BINARY_DIR}/share/tieline/library SYMBOLIC)
install(FILES ${PROJECT_SOURCE_DIR}/docs/tieline.xsd DESTINATION ${CMAKE_INSTALL_DATADIR}/tieline OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
