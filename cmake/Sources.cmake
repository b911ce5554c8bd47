# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Which folders make up which part of the engine.

# Sets `out` to the C files of the given folders (not of the folders below them).
function(nacre_sources out)
    set(patterns)
    foreach(folder IN LISTS ARGN)
        list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.c")
    endforeach()
    file(GLOB found CONFIGURE_DEPENDS ${patterns})
    set(${out} "${found}" PARENT_SCOPE)
endfunction()

nacre_sources(NACRE_LANG_SOURCES lang lang/*)
nacre_sources(NACRE_VM_SOURCES vm vm/*)
nacre_sources(NACRE_BACKEND_SOURCES backends backends/emit backends/cpu backends/cpu/* backends/mirror)
nacre_sources(NACRE_DIST_SOURCES dist dist/dry dist/loopback)
# loops_linked.c in programs, opened.c in libnacre.so (cmake/Library.cmake).
set(NACRE_LOOPS_OPENED "${PROJECT_SOURCE_DIR}/backends/loops/opened.c")
set(NACRE_LOOPS_PLUGIN "${PROJECT_SOURCE_DIR}/backends/loops/plugin.c")
# Plug-ins for devices, and what they share.
nacre_sources(NACRE_GRID_SOURCES backends/grid backends/grid/library)
nacre_sources(NACRE_OPENCL_SOURCES backends/opencl)
nacre_sources(NACRE_CUDA_SOURCES backends/cuda)
nacre_sources(NACRE_RT_SOURCES rt)
nacre_sources(NACRE_STDLIB_SOURCES stdlib stdlib/* stdlib/*/*)
# linked.c in programs, opened.c in libnacre.so (cmake/Library.cmake).
list(FILTER NACRE_STDLIB_SOURCES EXCLUDE REGEX "/stdlib/(opened|pictures|sparse|suitesparse)/")
set(NACRE_MODULES_OPENED "${PROJECT_SOURCE_DIR}/stdlib/opened/opened.c")
set(NACRE_MODULES_PLUGIN "${PROJECT_SOURCE_DIR}/stdlib/opened/plugin.c")
nacre_sources(NACRE_PICTURES_SOURCES stdlib/pictures)
nacre_sources(NACRE_SPARSE_SOURCES stdlib/sparse)
# Numbers in files are read and written as the engine does: plain arithmetic, which each has a copy of.
foreach(file decimal digits nearest shortest)
    list(APPEND NACRE_SPARSE_SOURCES "${PROJECT_SOURCE_DIR}/vm/value/float_${file}.c")
endforeach()
nacre_sources(NACRE_SUITESPARSE_SOURCES stdlib/suitesparse)
set(NACRE_SUITESPARSE_KERNELS ${NACRE_SUITESPARSE_SOURCES})
list(FILTER NACRE_SUITESPARSE_KERNELS INCLUDE REGEX "/(kernels|blas_real|blas_complex|reflect|guard|tree_loops)[.]c$")
nacre_sources(NACRE_CLI_SOURCES hosts/cli)
nacre_sources(NACRE_JUPYTER_SOURCES hosts/jupyter)
# Reports are the command's.
foreach(file text record explain profile_report roof source plans draw region svg)
    list(APPEND NACRE_JUPYTER_SOURCES "${PROJECT_SOURCE_DIR}/hosts/cli/${file}.c")
endforeach()
nacre_sources(NACRE_LUA_SOURCES hosts/lua)
nacre_sources(NACRE_LUA_INSIDE_SOURCES hosts/lua/inside)

# Modules written in the language itself. stdlib/python/ is for CPython: not part of the engine.
file(GLOB_RECURSE NACRE_STDLIB_MODULES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/stdlib"
     "${PROJECT_SOURCE_DIR}/stdlib/*.ncr" "${PROJECT_SOURCE_DIR}/stdlib/*.py")
list(FILTER NACRE_STDLIB_MODULES EXCLUDE REGEX "^python/|__pycache__")
list(SORT NACRE_STDLIB_MODULES)
# Those that libnacre.so has itself: the prelude, numpy but for its larger annexes, and what these import. The others
# are in a plug-in.
set(NACRE_CORE_MODULES ${NACRE_STDLIB_MODULES})
list(FILTER NACRE_CORE_MODULES INCLUDE REGEX
     "^(numpy/.*|nacre|_prelude.*|_frame|_sys|_bytesio|_collections_abc|abc|collections|contextlib|copy|functools|io|linecache|numbers|operator|os|posixpath|traceback|types|warnings|time)[.]ncr$")
list(FILTER NACRE_CORE_MODULES EXCLUDE REGEX "^numpy/(ma|_masked.*|typing|testing|_testing.*|polynomial|polynomial/.*|_genfromtxt|_nditer|_einsum_path|_poly1d|_polyfit|_polynomials|_windows|_vector_products|_histograms|_histogram_grids|_averages|_memmap|_walking|_texts|_vectorizing|_float_texts|_padding|_quantiles|_files|_nan|_curves|_gradient|_bin_widths|_npz|_raw_files|_open_files|_einsum|_einsum_terms)[.]ncr$")
set(NACRE_MORE_MODULES ${NACRE_STDLIB_MODULES})
list(REMOVE_ITEM NACRE_MORE_MODULES ${NACRE_CORE_MODULES})
file(GLOB NACRE_NCC_SOURCE CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/ncc.c")
