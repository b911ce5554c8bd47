# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# How others find the library's parts: files for find_package and pkg-config, of the build tree and
# of an installation. Paths in them are relative to where they lie.

include(GNUInstallDirs)

# For a tree with those folders.
function(nacre_packages folder NACRE_BINDIR NACRE_LIBDIR NACRE_INCLUDEDIR)
    file(RELATIVE_PATH NACRE_PC_UP "/prefix/${NACRE_LIBDIR}" "/prefix")
    file(RELATIVE_PATH NACRE_UP "/prefix/${NACRE_LIBDIR}/cmake/nacre" "/prefix")
    configure_file(cmake/nacre-rt.pc.in "${folder}/pkgconfig/nacre-rt.pc" @ONLY)
    configure_file(cmake/nacreConfig.cmake.in "${folder}/cmake/nacre/nacreConfig.cmake" @ONLY)
endfunction()

nacre_packages("${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" bin lib include)
nacre_packages("${NACRE_GENERATED}/packages" ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}
               ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(include/nacre/rt.h include/nacre/rt.h COPYONLY)
install(DIRECTORY "${NACRE_GENERATED}/packages/" DESTINATION ${CMAKE_INSTALL_LIBDIR})
