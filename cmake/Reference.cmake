# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# `cmake --build build/release --target docs`: pages about the public headers, if doxygen is here. A symbol of
# which nothing is said is an error (tests/docs/reference_test.py).

find_program(NACRE_DOXYGEN doxygen)
find_package(Python3 QUIET COMPONENTS Interpreter)
mark_as_advanced(NACRE_DOXYGEN)
if(NACRE_DOXYGEN AND Python3_FOUND)
    set(NACRE_REFERENCE "${PROJECT_BINARY_DIR}/reference")
    configure_file(cmake/Doxyfile.in generated/Doxyfile @ONLY)
    add_custom_target(docs
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${NACRE_REFERENCE}"
        COMMAND "${NACRE_DOXYGEN}" "${NACRE_GENERATED}/Doxyfile"
        COMMENT "Writing ${NACRE_REFERENCE}/html/index.html" VERBATIM)
endif()
