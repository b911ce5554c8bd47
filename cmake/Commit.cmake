# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Sets NACRE_COMMIT to the checked-out commit ("unknown" outside a git checkout) and has CMake run
# again when it changes.

set(NACRE_COMMIT unknown)
find_package(Git QUIET)
if(Git_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --verify --quiet HEAD
                    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                    RESULT_VARIABLE status ERROR_QUIET)
    if(status EQUAL 0 AND commit)
        set(NACRE_COMMIT ${commit})
        execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --git-path logs/HEAD
                        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                        OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE)
        get_filename_component(head_log "${head_log}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
        if(EXISTS "${head_log}")
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${head_log}")
        endif()
    endif()
endif()
