# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# One line at the end of configuring that says what was found.

set(found)
set(missing)
foreach(name ZLIB SLEEF BLIS LAPACK FFTW OPENMP PCRE2 EDIT GVC PICTURES SUITESPARSE OPENCL MPI LUA)
    string(TOLOWER ${name} label)
    if(NACRE_HAVE_${name})
        list(APPEND found ${label})
    else()
        list(APPEND missing ${label})
    endif()
endforeach()
list(JOIN found " " found)
list(JOIN missing " " missing)
if(NOT missing)
    set(missing none)
endif()
message(STATUS "Nacre ${PROJECT_VERSION} (${CMAKE_BUILD_TYPE}): with ${found}; without: ${missing}")
