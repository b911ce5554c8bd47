# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# How others find the library's parts: files for find_package and pkg-config, of the build tree and
# of an installation. Paths in them are relative to where they lie.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a program that links the archive has to name: the system's libraries, and the optional ones.
set(NACRE_STATIC_LIBS m ${CMAKE_DL_LIBS} pthread)
foreach(pair ZLIB:z OPENMP:gomp)
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 library)
    if(NACRE_HAVE_${name})
        list(APPEND NACRE_STATIC_LIBS ${library})
    endif()
endforeach()
list(TRANSFORM NACRE_STATIC_LIBS PREPEND "-l" OUTPUT_VARIABLE NACRE_STATIC_FLAGS)
list(JOIN NACRE_STATIC_FLAGS " " NACRE_STATIC_FLAGS)

# For a tree with those folders.
function(nacre_packages folder NACRE_BINDIR NACRE_LIBDIR NACRE_INCLUDEDIR)
    file(RELATIVE_PATH NACRE_PC_UP "/prefix/${NACRE_LIBDIR}" "/prefix")
    file(RELATIVE_PATH NACRE_UP "/prefix/${NACRE_LIBDIR}/cmake/Nacre" "/prefix")
    configure_file(cmake/nacre.pc.in "${folder}/pkgconfig/nacre.pc" @ONLY)
    configure_file(cmake/nacre-rt.pc.in "${folder}/pkgconfig/nacre-rt.pc" @ONLY)
    configure_file(cmake/NacreConfig.cmake.in "${folder}/cmake/Nacre/NacreConfig.cmake" @ONLY)
    write_basic_package_version_file("${folder}/cmake/Nacre/NacreConfigVersion.cmake"
                                     COMPATIBILITY SameMinorVersion)
endfunction()

nacre_packages("${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" bin lib include)
nacre_packages("${NACRE_GENERATED}/packages" ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}
               ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(include/nacre/rt.h include/nacre/rt.h COPYONLY)
configure_file(include/nacre/nacre.h include/nacre/nacre.h COPYONLY)
install(DIRECTORY "${NACRE_GENERATED}/packages/" DESTINATION ${CMAKE_INSTALL_LIBDIR})
