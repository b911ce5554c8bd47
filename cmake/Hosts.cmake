# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Programs that use the library as any other program would: they see include/ and nothing else of
# the engine.

include(GNUInstallDirs)

# A host program from `sources`, linked with one form of the library.
function(nacre_host name library)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE "${NACRE_GENERATED}")
    target_link_libraries(${name} PRIVATE ${library} ${CMAKE_DL_LIBS})
    # `nacre build` finds libraries beside the program's folder, here as where it is installed.
    target_compile_definitions(${name} PRIVATE NACRE_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
    if(NACRE_HAVE_EDIT)
        target_include_directories(${name} SYSTEM PRIVATE "${EDIT_INCLUDE_DIR}")
    endif()
endfunction()

# What the machine can do is measured with fused operations.
set_source_files_properties("${PROJECT_SOURCE_DIR}/hosts/cli/roof.c" PROPERTIES
                            COMPILE_OPTIONS "-O3;-ffp-contract=fast")

if(NACRE_CLI_SOURCES AND TARGET nacre_static)
    nacre_host(nacre nacre_static ${NACRE_CLI_SOURCES})
    add_dependencies(nacre nacre_rt_shared)
endif()
