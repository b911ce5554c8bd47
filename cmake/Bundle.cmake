# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# cmake -DBUILD=build/release -DOUTPUT=nacre.tar.gz -P cmake/Bundle.cmake: an archive of an installation with
# the libraries that it uses, but for the C library: to be unpacked and run anywhere. Libraries whose licence
# asks for more than Nacre's own (FFTW) are not in it.

cmake_minimum_required(VERSION 3.25)
get_filename_component(BUILD "${BUILD}" ABSOLUTE)
get_filename_component(OUTPUT "${OUTPUT}" ABSOLUTE)
load_cache("${BUILD}" READ_WITH_PREFIX "" CMAKE_PROJECT_VERSION CMAKE_SYSTEM_PROCESSOR
           BLIS_LIBRARY LAPACK_LIBRARY SLEEF_LIBRARY PCRE2_LIBRARY)
set(name "nacre-${CMAKE_PROJECT_VERSION}")
set(stage "${BUILD}/bundle")
set(prefix "${stage}/${name}")

file(REMOVE_RECURSE "${stage}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --strip
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

# Where the program looks for them (lang/support/libraries.c).
file(GLOB_RECURSE shared "${prefix}/lib*/libnacre.so")
get_filename_component(lib "${shared}" DIRECTORY)
set(bundled "${lib}/nacre/bundled")
set(own "${BLIS_LIBRARY}" "${LAPACK_LIBRARY}" "${SLEEF_LIBRARY}" "${PCRE2_LIBRARY}")
list(FILTER own EXCLUDE REGEX "NOTFOUND|^$")
# BLIS is opened by the name that LAPACK asks for, where it has that.
get_filename_component(dir "${BLIS_LIBRARY}" DIRECTORY)
if(EXISTS "${dir}/libblas.so.3")
    list(APPEND own "${dir}/libblas.so.3")
endif()
# Lua inside the command.
file(GLOB opened "${lib}/nacre/nacre-lua.so")
file(GET_RUNTIME_DEPENDENCIES
     EXECUTABLES "${prefix}/bin/nacre" LIBRARIES "${shared}" ${opened} ${own}
     RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
     CONFLICTING_DEPENDENCIES_PREFIX conflicts
     DIRECTORIES "${dir}"
     PRE_EXCLUDE_REGEXES "^libnacre" "^lib(c|m|dl|rt|pthread|mvec)\\.so" "^ld-linux" "^libblas\\.so")
if(missing)
    message(FATAL_ERROR "not found: ${missing}")
endif()
foreach(file IN LISTS own found)
    get_filename_component(base "${file}" NAME)
    file(REAL_PATH "${file}" real)
    file(MAKE_DIRECTORY "${bundled}")
    file(COPY_FILE "${real}" "${bundled}/${base}")
endforeach()

execute_process(COMMAND "${CMAKE_COMMAND}" -E tar czf "${OUTPUT}" "${name}"
                WORKING_DIRECTORY "${stage}" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE "${stage}")
message(STATUS "${OUTPUT}")
