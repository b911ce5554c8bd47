# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# `cmake --install build/release --prefix DIR`: program, libraries, headers.

include(GNUInstallDirs)
if(TARGET nacre)
    install(TARGETS nacre)
endif()
if(TARGET nacre_static)
    install(TARGETS nacre_static nacre_shared nacre_rt_static nacre_rt_shared)
    install(DIRECTORY include/nacre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
