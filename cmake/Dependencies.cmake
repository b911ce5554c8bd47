# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Optional libraries. Each sets NACRE_HAVE_<NAME> (reported in nacre_config.h and by `nacre info`);
# nothing here is required but the C library.
#
# Start-up decides how each is used. Small ones are linked from their static archives, so that the
# dynamic loader never sees them; large ones (BLIS) and terminal ones (libedit) are only located
# here and opened at first use.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Everything the engine links with. nacre_deps_pic is for libnacre.so, nacre_deps for programs.
add_library(nacre_deps INTERFACE)
add_library(nacre_deps_pic INTERFACE)
foreach(deps nacre_deps nacre_deps_pic)
    target_link_libraries(${deps} INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
endforeach()

# True when a static archive can be part of a shared library (it was compiled with -fPIC).
function(nacre_archive_is_pic out archives)
    if(NOT DEFINED ${out})
        set(dir "${PROJECT_BINARY_DIR}/CMakeFiles/pic")
        set(object "${dir}/${out}.so")
        file(MAKE_DIRECTORY "${dir}")
        execute_process(
            COMMAND "${CMAKE_C_COMPILER}" -shared -o "${object}" -Wl,--exclude-libs,ALL
                    -Wl,--whole-archive ${archives} -Wl,--no-whole-archive -lm
            RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        if(status EQUAL 0)
            set(${out} ON CACHE INTERNAL "")
        else()
            set(${out} OFF CACHE INTERNAL "")
        endif()
    endif()
    set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# Links `archives` statically where that works, else the shared `libraries`.
function(nacre_link_small name archives libraries)
    if(archives MATCHES "NOTFOUND")
        target_link_libraries(nacre_deps INTERFACE ${libraries})
        target_link_libraries(nacre_deps_pic INTERFACE ${libraries})
        return()
    endif()
    target_link_libraries(nacre_deps INTERFACE ${archives})
    nacre_archive_is_pic(NACRE_${name}_PIC "${archives}")
    if(NACRE_${name}_PIC)
        target_link_libraries(nacre_deps_pic INTERFACE ${archives})
    else()
        target_link_libraries(nacre_deps_pic INTERFACE ${libraries})
    endif()
endfunction()

# OpenMP: says how many threads a call of BLIS takes (backends/cpu/product/blis.c). The engine's own threads
# are not OpenMP's, and clang's run-time is not the one of BLIS.
find_package(OpenMP QUIET COMPONENTS C)
set(NACRE_HAVE_OPENMP ${OpenMP_C_FOUND})
if(NACRE_HAVE_OPENMP)
    target_link_libraries(nacre_deps INTERFACE OpenMP::OpenMP_C)
    target_link_libraries(nacre_deps_pic INTERFACE OpenMP::OpenMP_C)
endif()

# zlib: compressed archives of arrays.
find_path(ZLIB_INCLUDE_DIR zlib.h)
find_library(ZLIB_LIBRARY z)
find_library(ZLIB_ARCHIVE libz.a)
if(ZLIB_INCLUDE_DIR AND ZLIB_LIBRARY)
    set(NACRE_HAVE_ZLIB ON)
    nacre_link_small(ZLIB "${ZLIB_ARCHIVE}" "${ZLIB_LIBRARY}")
endif()

# SLEEF: vector math, opened at first use, as are its functions by name.
find_library(SLEEF_LIBRARY NAMES libsleef.so.3 sleef)
if(SLEEF_LIBRARY)
    set(NACRE_HAVE_SLEEF ON)
    set(NACRE_SLEEF_PATH "${SLEEF_LIBRARY}")
endif()

# BLIS: opened at first use (it costs 0.3 ms to load, and must be told the CPU before its first
# call). The path goes into nacre_config.h.
find_path(BLIS_INCLUDE_DIR blis.h
          PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/blis-openmp blis-openmp
                        ${CMAKE_LIBRARY_ARCHITECTURE}/blis blis)
find_library(BLIS_LIBRARY NAMES libblis.so.4
             PATH_SUFFIXES blis-openmp ${CMAKE_LIBRARY_ARCHITECTURE}/blis-openmp)
if(BLIS_INCLUDE_DIR AND BLIS_LIBRARY)
    set(NACRE_HAVE_BLIS ON)
    # The form of it that LAPACK asks for by name, where there is one: then the two share it.
    get_filename_component(dir "${BLIS_LIBRARY}" DIRECTORY)
    if(EXISTS "${dir}/libblas.so.3")
        set(NACRE_BLIS_PATH "${dir}/libblas.so.3")
    else()
        set(NACRE_BLIS_PATH "${BLIS_LIBRARY}")
    endif()
endif()

# LAPACK: opened at first use, behind BLIS. In a folder of its own Debian keeps the reference LAPACK,
# which takes whatever libblas.so.3 is there already.
find_library(LAPACK_LIBRARY NAMES liblapack.so.3
             PATH_SUFFIXES lapack ${CMAKE_LIBRARY_ARCHITECTURE}/lapack)
if(LAPACK_LIBRARY AND NACRE_HAVE_BLIS)
    set(NACRE_HAVE_LAPACK ON)
    set(NACRE_LAPACK_PATH "${LAPACK_LIBRARY}")
endif()

# FFTW: Fourier transforms, opened at first use, in both precisions.
find_library(FFTW_LIBRARY NAMES libfftw3.so.3 fftw3)
find_library(FFTW_SINGLE_LIBRARY NAMES libfftw3f.so.3 fftw3f)
if(FFTW_LIBRARY AND FFTW_SINGLE_LIBRARY)
    set(NACRE_HAVE_FFTW ON)
    set(NACRE_FFTW_PATH "${FFTW_LIBRARY}")
    set(NACRE_FFTW_SINGLE_PATH "${FFTW_SINGLE_LIBRARY}")
endif()

# PCRE2: regular expressions, opened when `re` is first imported.
find_library(PCRE2_LIBRARY NAMES libpcre2-8.so.0 pcre2-8)
if(PCRE2_LIBRARY)
    set(NACRE_HAVE_PCRE2 ON)
    set(NACRE_PCRE2_PATH "${PCRE2_LIBRARY}")
endif()

# libedit: line editing in the REPL, opened when a REPL starts.
find_path(EDIT_INCLUDE_DIR histedit.h)
find_library(EDIT_LIBRARY NAMES libedit.so.2 edit)
if(EDIT_INCLUDE_DIR AND EDIT_LIBRARY)
    set(NACRE_HAVE_EDIT ON)
    get_filename_component(NACRE_EDIT_SONAME "${EDIT_LIBRARY}" NAME)
endif()

# Graphviz: pictures of plans, opened when one is drawn.
find_library(GVC_LIBRARY NAMES libgvc.so.6 gvc)
if(GVC_LIBRARY)
    set(NACRE_HAVE_GVC ON)
    get_filename_component(NACRE_GVC_SONAME "${GVC_LIBRARY}" NAME)
endif()

# Lua 5.4: headers for the module, where the program that requires it has the library; the library for Lua inside
# the command.
find_path(LUA_INCLUDE_DIR lua.h PATH_SUFFIXES lua5.4 lua-5.4 lua54)
if(LUA_INCLUDE_DIR)
    file(STRINGS "${LUA_INCLUDE_DIR}/lua.h" version REGEX "LUA_VERSION_MINOR[ \t]+\"4\"")
    if(version)
        set(NACRE_HAVE_LUA ON)
        find_library(LUA_LIBRARY NAMES lua5.4 lua-5.4 lua54)
        if(LUA_LIBRARY)
            set(NACRE_HAVE_LUA_LIBRARY ON)
        endif()
    endif()
endif()

# The Jupyter kernel: messages, JSON, signatures. Its library is opened when the kernel starts.
find_path(ZMQ_INCLUDE_DIR zmq.h)
find_library(ZMQ_LIBRARY NAMES zmq)
find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY NAMES jansson)
find_path(SODIUM_INCLUDE_DIR sodium.h)
find_library(SODIUM_LIBRARY NAMES sodium)
if(ZMQ_INCLUDE_DIR AND ZMQ_LIBRARY AND JANSSON_INCLUDE_DIR AND JANSSON_LIBRARY AND SODIUM_INCLUDE_DIR AND SODIUM_LIBRARY)
    set(NACRE_HAVE_JUPYTER ON)
endif()

mark_as_advanced(GVC_LIBRARY ZMQ_INCLUDE_DIR ZMQ_LIBRARY JANSSON_INCLUDE_DIR JANSSON_LIBRARY SODIUM_INCLUDE_DIR SODIUM_LIBRARY)
mark_as_advanced(CAIRO_SVG_INCLUDE_DIR CAIRO_PDF_INCLUDE_DIR CAIRO_LIBRARY NACRE_FONT_FOLDER GVC_LIBRARY LUA_INCLUDE_DIR LUA_LIBRARY
                 ZLIB_INCLUDE_DIR ZLIB_LIBRARY ZLIB_ARCHIVE SLEEF_LIBRARY PCRE2_LIBRARY
                 BLIS_INCLUDE_DIR BLIS_LIBRARY LAPACK_LIBRARY FFTW_LIBRARY FFTW_SINGLE_LIBRARY
                 EDIT_INCLUDE_DIR EDIT_LIBRARY)
foreach(name ZLIB)
    if(NACRE_HAVE_${name})
        target_include_directories(nacre_deps SYSTEM INTERFACE "${${name}_INCLUDE_DIR}")
    endif()
endforeach()

# Cairo (with its SVG and PDF), FreeType and DejaVu's fonts: of the plug-in that draws alone (stdlib/pictures).
find_package(Freetype QUIET)
find_path(CAIRO_SVG_INCLUDE_DIR cairo-svg.h PATH_SUFFIXES cairo)
find_path(CAIRO_PDF_INCLUDE_DIR cairo-pdf.h PATH_SUFFIXES cairo)
find_library(CAIRO_LIBRARY cairo)
find_path(NACRE_FONT_FOLDER DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/dejavu
          /usr/share/fonts/TTF /usr/share/fonts/dejavu-sans-fonts NO_DEFAULT_PATH)
if(FREETYPE_FOUND AND CAIRO_SVG_INCLUDE_DIR AND CAIRO_PDF_INCLUDE_DIR AND CAIRO_LIBRARY AND NACRE_FONT_FOLDER)
    set(NACRE_HAVE_PICTURES ON)
endif()

# SuiteSparse: of the plug-in with direct solvers alone (stdlib/suitesparse). Archives of what calls dense kernels; they
# leave the rest to shared libraries.
find_path(SUITESPARSE_INCLUDE_DIR suitesparse/umfpack.h)
set(NACRE_SUITESPARSE_LIBRARIES)
foreach(name libumfpack.a libklu.a libspqr.a libcholmod.a libamd.a libsuitesparseconfig.a camd ccolamd colamd btf libmetis.so.5)
    string(MAKE_C_IDENTIFIER "SUITESPARSE_${name}" found)
    find_library(${found} NAMES ${name})
    mark_as_advanced(${found})
    list(APPEND NACRE_SUITESPARSE_LIBRARIES "${${found}}")
endforeach()
mark_as_advanced(SUITESPARSE_INCLUDE_DIR)
if(SUITESPARSE_INCLUDE_DIR AND NOT NACRE_SUITESPARSE_LIBRARIES MATCHES "NOTFOUND")
    include(CheckCSourceCompiles)
    # Archives that are made for programs alone cannot be part of a plug-in.
    set(CMAKE_REQUIRED_INCLUDES "${SUITESPARSE_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES ${NACRE_SUITESPARSE_LIBRARIES} m)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -fPIC -Wl,--exclude-libs,ALL)
    check_c_source_compiles("
        #include <suitesparse/cholmod.h>
        #include <suitesparse/klu.h>
        #include <suitesparse/umfpack.h>
        #include <suitesparse/SuiteSparseQR_C.h>
        int cholmod_error(int s, const char *f, int l, const char *m, cholmod_common *c) { return s + l + !f + !m + !c; }
        int cholmod_l_error(int s, const char *f, int l, const char *m, cholmod_common *c) { return s + l + !f + !m + !c; }
        void *used[] = {(void *)umfpack_di_numeric, (void *)umfpack_zl_numeric, (void *)cholmod_l_solve2, (void *)cholmod_solve2,
                        (void *)klu_factor, (void *)SuiteSparseQR_C};" NACRE_SUITESPARSE_LINKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    set(NACRE_HAVE_SUITESPARSE ${NACRE_SUITESPARSE_LINKS})
endif()

# OpenCL: of the plug-in alone (backends/opencl), which is opened when it is asked for by name.
find_package(OpenCL QUIET)
set(NACRE_HAVE_OPENCL ${OpenCL_FOUND})

# MPI: of the plug-in alone (dist/mpi), which is opened when ranks are asked for. Its mpirun is what the command
# starts; the path behind links that choose among several MPIs.
find_package(MPI QUIET COMPONENTS C)
set(NACRE_HAVE_MPI ${MPI_C_FOUND})
if(NACRE_HAVE_MPI AND MPIEXEC_EXECUTABLE)
    file(REAL_PATH "${MPIEXEC_EXECUTABLE}" NACRE_MPIRUN)
endif()
