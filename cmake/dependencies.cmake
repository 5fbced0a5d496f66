# Third-party libraries, all from Debian 12 (scripts/install-packages.sh names the packages).

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(SUNDIALS REQUIRED COMPONENTS cvode ida nvecserial)
# KLU comes without CMake or pkg-config files; its headers are in a folder of their own.
find_path(KLU_INCLUDE_FOLDER klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
set(KLU_ARCHIVES)
foreach(part klu btf amd colamd suitesparseconfig)
  find_library(KLU_ARCHIVE_${part} lib${part}.a REQUIRED)
  list(APPEND KLU_ARCHIVES ${KLU_ARCHIVE_${part}})
endforeach()
# Programs load third-party code, which may bring libraries of these names: solvers are linked into them, and no symbol
# of these is seen from outside (docs/decisions/0034-symbols-of-fmus.md).
set(in_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
add_library(SuiteSparse::klu INTERFACE IMPORTED)
target_include_directories(SuiteSparse::klu INTERFACE ${KLU_INCLUDE_FOLDER})
target_link_libraries(SuiteSparse::klu INTERFACE "$<IF:${in_program},${KLU_ARCHIVES},${KLU_LIBRARY}>")
set(SUNDIALS_LIBRARIES)
foreach(part cvode ida nvecserial)
  list(APPEND SUNDIALS_LIBRARIES $<IF:${in_program},SUNDIALS::${part}_static,SUNDIALS::${part}_shared>)
endforeach()
# An FMU may bring another version of this library, too.
find_package(OpenSSL 3.0 REQUIRED)
find_library(OPENSSL_SSL_ARCHIVE libssl.a REQUIRED)
find_library(OPENSSL_CRYPTO_ARCHIVE libcrypto.a REQUIRED)
add_library(OpenSSL::of_program INTERFACE IMPORTED)
target_include_directories(OpenSSL::of_program INTERFACE ${OPENSSL_INCLUDE_DIR})
target_link_libraries(OpenSSL::of_program INTERFACE
  "$<IF:${in_program},${OPENSSL_SSL_ARCHIVE};${OPENSSL_CRYPTO_ARCHIVE};${CMAKE_DL_LIBS},OpenSSL::SSL;OpenSSL::Crypto>")
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Debian ships a serial and an MPI build side by side; Tieline writes from one process.
set(HDF5_PREFER_PARALLEL FALSE)
find_package(HDF5 REQUIRED COMPONENTS C)
# These come with pkg-config files only, or with CMake files that ask for more than is installed.
find_package(PkgConfig REQUIRED)
pkg_check_modules(pugixml REQUIRED IMPORTED_TARGET pugixml)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(matio REQUIRED IMPORTED_TARGET matio)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

if(TIELINE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK rapidcheck REQUIRED)
endif()
