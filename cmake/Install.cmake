# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# `cmake --install build/release --prefix DIR`: program, libraries, headers.

include(GNUInstallDirs)

# Libraries that lie beside an installation are found by what it opens, too (cmake/Bundle.cmake): the old kind
# of RPATH is asked for what a library needs that was opened by path.
foreach(pair "nacre:$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/nacre/bundled" "nacre_shared:$ORIGIN/nacre/bundled")
    string(REGEX MATCH "^([^:]*):(.*)$" _ "${pair}")
    set(target "${CMAKE_MATCH_1}")
    set(path "${CMAKE_MATCH_2}")
    if(TARGET ${target})
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "${path}")
        target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    endif()
endforeach()
if(TARGET nacre)
    install(TARGETS nacre)
endif()
if(NACRE_LOOP_TARGETS OR NACRE_MODULES_TARGET OR NACRE_PICTURES_TARGET OR NACRE_SPARSE_TARGETS)
    install(TARGETS ${NACRE_LOOP_TARGETS} ${NACRE_MODULES_TARGET} ${NACRE_PICTURES_TARGET} ${NACRE_SPARSE_TARGETS}
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nacre")
endif()
foreach(device cuda opencl)
    if(TARGET nacre_${device})
        install(TARGETS nacre_${device} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nacre")
    endif()
endforeach()
if(TARGET nacre_lua_inside)
    set_target_properties(nacre_lua_inside PROPERTIES INSTALL_RPATH "$ORIGIN/bundled")
    install(TARGETS nacre_lua_inside LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nacre")
endif()
if(TARGET nacre_jupyter)
    install(TARGETS nacre_jupyter LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nacre")
endif()
if(TARGET nacre_lua_files)
    # Where Lua 5.4 and LuaJIT (whose version of Lua is 5.1) look by themselves.
    foreach(version 5.1 5.4)
        install(FILES "${PROJECT_SOURCE_DIR}/hosts/lua/nacre.lua"
                DESTINATION "${CMAKE_INSTALL_DATADIR}/lua/${version}")
        install(FILES "${PROJECT_SOURCE_DIR}/hosts/lua/nacre/core.lua" "${PROJECT_SOURCE_DIR}/hosts/lua/nacre/pass.lua"
                DESTINATION "${CMAKE_INSTALL_DATADIR}/lua/${version}/nacre")
    endforeach()
    install(FILES "${PROJECT_SOURCE_DIR}/hosts/lua/nacre/ffi.lua" "${NACRE_LUA_FOLDER}/nacre/cdef.lua"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/lua/5.1/nacre")
endif()
if(TARGET nacre_lua)
    set_target_properties(nacre_lua PROPERTIES INSTALL_RPATH "$ORIGIN/../../..")
    install(TARGETS nacre_lua LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/lua/5.4/nacre")
endif()
if(TARGET nacre_static)
    install(TARGETS nacre_static nacre_shared nacre_rt_static nacre_rt_shared)
    install(DIRECTORY include/nacre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

# `cpack -G DEB` in the build folder: a package of Debian's kind, which asks for the libraries it uses.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nacre)
set(CPACK_PACKAGE_CONTACT "The Nacre Authors <nacre@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Opened at first use: it does without them.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libblis-openmp4 | libblis4, liblapack3, libsleef3, libfftw3-double3, libfftw3-single3, libpcre2-8-0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc | c-compiler, lua5.4, luajit, libedit2, libgvc6, openmpi-bin")
include(CPack)
