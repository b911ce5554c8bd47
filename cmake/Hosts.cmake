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
    target_link_libraries(${name} PRIVATE ${library} ${CMAKE_DL_LIBS} m) # logarithms of `nacre plan`
    # `nacre build` finds libraries beside the program's folder, here as where it is installed.
    target_compile_definitions(${name} PRIVATE NACRE_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
    if(NACRE_HAVE_EDIT)
        target_include_directories(${name} SYSTEM PRIVATE "${EDIT_INCLUDE_DIR}")
    endif()
endfunction()

# What the machine can do is measured with fused operations.
set_source_files_properties("${PROJECT_SOURCE_DIR}/hosts/cli/roof.c" PROPERTIES
                            COMPILE_OPTIONS "-O3;-ffp-contract=fast")

# The Lua module: a folder that LUA_PATH and LUA_CPATH can name, here and where it is installed. LuaJIT
# needs no more than the files in Lua.
if(TARGET nacre_shared)
    set(NACRE_LUA_FOLDER "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lua")
    set(lua "${PROJECT_SOURCE_DIR}/hosts/lua")
    set(NACRE_LUA_FILES "${NACRE_LUA_FOLDER}/nacre/cdef.lua")
    add_custom_command(
        OUTPUT "${NACRE_LUA_FOLDER}/nacre/cdef.lua"
        COMMAND "${CMAKE_COMMAND}" "-DHEADER=${PROJECT_SOURCE_DIR}/include/nacre/nacre.h"
                "-DOUTPUT=${NACRE_LUA_FOLDER}/nacre/cdef.lua" -P "${lua}/cdef.cmake"
        DEPENDS "${lua}/cdef.cmake" "${PROJECT_SOURCE_DIR}/include/nacre/nacre.h")
    foreach(file nacre.lua nacre/core.lua nacre/pass.lua nacre/ffi.lua)
        add_custom_command(OUTPUT "${NACRE_LUA_FOLDER}/${file}"
                           COMMAND "${CMAKE_COMMAND}" -E copy "${lua}/${file}" "${NACRE_LUA_FOLDER}/${file}"
                           DEPENDS "${lua}/${file}")
        list(APPEND NACRE_LUA_FILES "${NACRE_LUA_FOLDER}/${file}")
    endforeach()
    add_custom_target(nacre_lua_files ALL DEPENDS ${NACRE_LUA_FILES})
    add_dependencies(nacre_lua_files nacre_shared)
endif()
if(NACRE_HAVE_LUA AND NACRE_LUA_SOURCES AND TARGET nacre_shared)
    add_library(nacre_lua MODULE ${NACRE_LUA_SOURCES})
    set_target_properties(nacre_lua PROPERTIES PREFIX "" OUTPUT_NAME raw
                          LIBRARY_OUTPUT_DIRECTORY "${NACRE_LUA_FOLDER}/nacre")
    target_include_directories(nacre_lua SYSTEM PRIVATE "${LUA_INCLUDE_DIR}")
    target_link_libraries(nacre_lua PRIVATE nacre_shared)
    add_dependencies(nacre_lua nacre_lua_files)
endif()

# Lua inside the command: a library that the command opens, and that takes what it needs of the engine from it.
if(NACRE_HAVE_LUA_LIBRARY AND NACRE_LUA_INSIDE_SOURCES)
    set(texts "")
    foreach(file core pass inside)
        string(TOUPPER "${file}" upper)
        add_custom_command(OUTPUT "${NACRE_GENERATED}/lua_${file}.h"
                           COMMAND "${CMAKE_COMMAND}" "-DIN=${PROJECT_SOURCE_DIR}/hosts/lua/nacre/${file}.lua"
                                   "-DOUT=${NACRE_GENERATED}/lua_${file}.h" "-DNAME=LUA_${upper}"
                                   -P "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
                           DEPENDS "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
                                   "${PROJECT_SOURCE_DIR}/hosts/lua/nacre/${file}.lua" VERBATIM)
        list(APPEND texts "${NACRE_GENERATED}/lua_${file}.h")
    endforeach()
    add_library(nacre_lua_inside MODULE ${NACRE_LUA_INSIDE_SOURCES} ${NACRE_LUA_SOURCES} ${texts})
    set_target_properties(nacre_lua_inside PROPERTIES PREFIX "" OUTPUT_NAME nacre-lua
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_lua_inside PRIVATE "${PROJECT_SOURCE_DIR}/include"
                               "${NACRE_GENERATED}")
    target_include_directories(nacre_lua_inside SYSTEM PRIVATE "${LUA_INCLUDE_DIR}")
    target_link_libraries(nacre_lua_inside PRIVATE "${LUA_LIBRARY}")
endif()

# The Jupyter kernel, likewise.
if(NACRE_HAVE_JUPYTER AND NACRE_JUPYTER_SOURCES)
    set(logo "${PROJECT_SOURCE_DIR}/hosts/jupyter")
    set(logos "${logo}/logo.svg" "${logo}/logo-32x32.png" "${logo}/logo-64x64.png")
    add_custom_command(OUTPUT "${NACRE_GENERATED}/logo.h"
                       COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${logo}" "-DOUT=${NACRE_GENERATED}/logo.h"
                               -P "${PROJECT_SOURCE_DIR}/cmake/Logo.cmake"
                       DEPENDS ${logos} "${PROJECT_SOURCE_DIR}/cmake/Logo.cmake" VERBATIM)
    add_library(nacre_jupyter MODULE ${NACRE_JUPYTER_SOURCES} "${NACRE_GENERATED}/logo.h")
    set_target_properties(nacre_jupyter PROPERTIES PREFIX "" OUTPUT_NAME nacre-jupyter
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_jupyter PRIVATE "${PROJECT_SOURCE_DIR}/include" "${NACRE_GENERATED}")
    target_include_directories(nacre_jupyter SYSTEM PRIVATE "${ZMQ_INCLUDE_DIR}" "${JANSSON_INCLUDE_DIR}"
                               "${SODIUM_INCLUDE_DIR}")
    target_link_libraries(nacre_jupyter PRIVATE "${ZMQ_LIBRARY}" "${JANSSON_LIBRARY}" "${SODIUM_LIBRARY}"
                          Threads::Threads m ${CMAKE_DL_LIBS})
endif()

if(NACRE_CLI_SOURCES AND TARGET nacre_static)
    # All of nacre.h, for what the command opens.
    nacre_host(nacre "$<LINK_LIBRARY:WHOLE_ARCHIVE,nacre_static>" ${NACRE_CLI_SOURCES})
    set_target_properties(nacre PROPERTIES ENABLE_EXPORTS ON)
    # What it opens when a script asks for it: who builds the command alone has these, too.
    foreach(plugin nacre_cuda nacre_jupyter nacre_lua_inside nacre_mpi nacre_opencl nacre_pictures nacre_sparse nacre_suitesparse)
        if(TARGET ${plugin})
            add_dependencies(nacre ${plugin})
        endif()
    endforeach()
    add_dependencies(nacre nacre_rt_shared)
endif()
