# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# The transport between ranks over MPI: a plug-in, the only part that is linked with MPI. It holds what it needs
# of the engine itself. Read by cmake/Library.cmake.

if(NOT NACRE_HAVE_MPI OR NOT TARGET nacre_lang)
    return()
endif()
nacre_sources(mpi_sources dist/mpi)
add_library(nacre_mpi MODULE ${mpi_sources} "$<FILTER:$<TARGET_OBJECTS:nacre_lang>,INCLUDE,support/(buf|mem|utf8)[.]c[.]>")
set_target_properties(nacre_mpi PROPERTIES PREFIX "" OUTPUT_NAME nacre-mpi
                      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
target_include_directories(nacre_mpi PRIVATE ${NACRE_INTERNAL_INCLUDES})
target_link_libraries(nacre_mpi PRIVATE Threads::Threads MPI::MPI_C)
target_link_options(nacre_mpi PRIVATE -Wl,--gc-sections)
install(TARGETS nacre_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nacre")
