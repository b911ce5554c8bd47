# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# libnacre, shared and static, from one set of position-independent objects; and nacre_ncc, which
# compiles the modules of stdlib/ to bytecode while the library is built.

set(NACRE_INTERNAL_INCLUDES "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include"
    "${NACRE_GENERATED}")

# An object library with the engine's include folders; nothing when there is no source.
function(nacre_objects name)
    if(NOT ARGN)
        return()
    endif()
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_compile_definitions(${name} PRIVATE NACRE_BUILDING)
    target_link_libraries(${name} PRIVATE nacre_deps)
    # Nothing unwinds through the engine: its errors are return values, and a host's function may not throw
    # (nacre.h). What nobody calls is left out by the linker.
    target_compile_options(${name} PRIVATE
        $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables;-fno-unwind-tables;-ffunction-sections>)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # Gaps before places that are jumped to: a thirtieth of the code, and no difference to its speed.
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-fno-align-jumps;-fno-align-labels>)
    endif()
    set(NACRE_OBJECT_LIBRARIES ${NACRE_OBJECT_LIBRARIES} ${name} PARENT_SCOPE)
endfunction()

# What makes code, and is done once for each piece of it, is compiled for size, and so is what a host asks once, and
# what waits for other ranks. Not what runs when that code does: it stands in the same folders.
set(small ${NACRE_LANG_SOURCES} ${NACRE_VM_SOURCES} ${NACRE_BACKEND_SOURCES})
list(FILTER small INCLUDE REGEX "/(lang|vm/jit|vm/region|backends/emit)/[^/]*[.]c$")
list(FILTER small EXCLUDE REGEX "/(unpack|enter|jit|parallel_box|parallel_reach|parallel_folded|parallel_run)[.]c$|/region/depend[.]c$")
function(small_files folder)
    foreach(name ${ARGN})
        set(path "${PROJECT_SOURCE_DIR}/${folder}/${name}.c")
        if(NOT EXISTS "${path}")
            message(FATAL_ERROR "${path} is to be compiled for size, and is not there")
        endif()
        list(APPEND small "${path}")
    endforeach()
    set(small ${small} PARENT_SCOPE)
endfunction()
small_files(vm/sched apart bands batch blocks boxes collective defer detour dry dry_grid dry_kernel dry_traffic edit ghost grid
            ghost_overlap grid_class grid_move grid_share lazy_copy loop_parts memory overlap places residents reach rounds rule sharing split split_cost split_extreme split_finish
            split_grid split_lines split_mask split_places split_scan split_sort split_window skew traffic)
small_files(vm/api arrays build complete dlpack edit functions graph graph_check holds info inspect lifecycle make
            match objects operations passes program ranks run shown watch watch_names)
small_files(vm/value bytearray bytes_make bytes_split bytes_text class codec complex_text complex_type descr dict_views
            dict_intrinsics dunder error exc format format_number format_percent func int_bytes int_text iter_functions mro os_text
            seq_internals set_methods signature_error slots stepper stepper_make stepper_sort str_class str_format_method vm warnings weak)
small_files(vm/interp code host_func import instantiate state stored traceback unwind)
small_files(vm/array array_kind buffers contract convolve distinct dtype_kind flags float_word histogram interpolate mapped methods print reduce_output reshape resize retype scans selecting sort ufunc_kind)
small_files(vm/graph fill overlap row_runs)
small_files(vm/kernel algebra figures)
small_files(vm/plan pass_fusion pass_library pass_stores passes)
small_files(backends/cpu fft/fft fft/fft_long linalg/eigen linalg/factor linalg/lu linalg/svd native/code_store product/contract rows tile/draw)
small_files(stdlib binascii cmath csv devices file frames hash hashes imsave intrinsics json math_int posix posix_process posix_system
            re_match re_pattern sparse struct sys time zlib)
small_files(stdlib/numpy bits create einsum fft file linalg loadtxt npy numpy products random_count random_generators
            random_vectors raw select shape text ufunc zip)
small_files(dist/loopback group loopback mail parcels)
small_files(stdlib/ranks codec comm deliver grids outcome parts replicate)
set_source_files_properties(${small} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")

nacre_objects(nacre_lang ${NACRE_LANG_SOURCES})
nacre_objects(nacre_dist ${NACRE_DIST_SOURCES})
nacre_objects(nacre_vm ${NACRE_VM_SOURCES})
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Keep one indirect jump per instruction: merged, they share one branch predictor entry.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/vm/interp/dispatch.c" PROPERTIES
                                COMPILE_OPTIONS "-fno-gcse;-fno-crossjumping;-fno-tree-slp-vectorize;-falign-jumps;-falign-labels")
endif()

# Values are written by halves (v_store): read at once, they would wait for both halves to be in the cache.
if(TARGET nacre_vm AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(nacre_vm PRIVATE -fno-tree-slp-vectorize)
endif()

# What emitted code calls is what the engine's own loops call, and what devices have of their own.
set(emit_prelude "${NACRE_GENERATED}/emit_prelude.h")
set(emit_parts "")
set(emit_includes "")
foreach(part NACRE_OPS_MATH:backends/cpu/loops/ops_math.h NACRE_HALF:vm/graph/half.h
        NACRE_COMPLEX_PARTS:backends/cpu/loops/complex_parts.h NACRE_COMPLEX_MORE:backends/cpu/loops/complex_more.h
        NACRE_COMPLEX_NAMES:backends/emit/complex_names.h NACRE_COMPLEX_FUNCTIONS:backends/emit/complex_functions.h
        NACRE_COMPLEX_FLAGS:backends/emit/complex_flags.h)
    string(REPLACE ":" ";" part "${part}")
    list(GET part 0 name)
    list(GET part 1 file)
    string(TOLOWER "${name}.h" header)
    string(APPEND emit_includes "#include \"${header}\"\n")
    set(header "${NACRE_GENERATED}/${header}")
    add_custom_command(OUTPUT "${header}"
        COMMAND "${CMAKE_COMMAND}" "-DIN=${PROJECT_SOURCE_DIR}/${file}" "-DOUT=${header}" -DNAME=${name}
                -P "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
        DEPENDS "${PROJECT_SOURCE_DIR}/${file}" "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
        COMMENT "Making a string of ${file}" VERBATIM)
    list(APPEND emit_parts "${header}")
endforeach()
file(CONFIGURE OUTPUT "${emit_prelude}" CONTENT "${emit_includes}" @ONLY)
nacre_objects(nacre_backends ${NACRE_BACKEND_SOURCES} ${emit_parts})

# Tables of random numbers: made by a program, so that formulas are their only source.
add_executable(nacre_ziggurat "${PROJECT_SOURCE_DIR}/tools/ziggurat.c")
target_link_libraries(nacre_ziggurat PRIVATE m)
set(ziggurat_tables "${NACRE_GENERATED}/ziggurat_tables.c")
add_custom_command(OUTPUT "${ziggurat_tables}"
    COMMAND nacre_ziggurat > "${ziggurat_tables}"
    DEPENDS nacre_ziggurat
    COMMENT "Making the tables of the ziggurat method" VERBATIM)
nacre_objects(nacre_stdlib ${NACRE_STDLIB_SOURCES} "${ziggurat_tables}")
if(TARGET nacre_stdlib AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(nacre_stdlib PRIVATE -fno-tree-slp-vectorize)
endif()

if(TARGET nacre_backends)
    # Loops over tiles: vectorised, and math calls that need not set errno. None of these flags
    # changes a value.
    target_compile_options(nacre_backends PRIVATE -fno-math-errno
                           $<$<CONFIG:Release>:-O3>)
    # What decides about work, but has no loops over elements itself.
    set(without_loops ${NACRE_BACKEND_SOURCES})
    list(FILTER without_loops INCLUDE REGEX
         "/cpu/([a-z]+/)?(bands|blis|code_cache|code_store|direct|extreme|features|fft|fftw|gemm|lapack|library|native|pool|reduce|reduceat|scan|services|tile_layout)[.]c$")
    set_source_files_properties(${without_loops} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
    # The loops are compiled for several instruction sets; the processor chooses at run time.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        set(loops_dir "${PROJECT_SOURCE_DIR}/backends/cpu/loops")
        # Those for any processor are vectorised without copies of loops for every alignment and remainder, which
        # would be a quarter of them.
        set_source_files_properties("${loops_dir}/loops_baseline.c" PROPERTIES COMPILE_OPTIONS
            "$<$<AND:$<CONFIG:Release>,$<C_COMPILER_ID:GNU>>:-O2;-ftree-vectorize;-fvect-cost-model=dynamic>")
        set_source_files_properties("${loops_dir}/loops_avx2.c" PROPERTIES
                                    COMPILE_OPTIONS "-mavx2;-mfma;-mf16c;-mprefer-vector-width=256")
        set_source_files_properties("${loops_dir}/loops_avx512.c" PROPERTIES COMPILE_OPTIONS
            "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mf16c;-mprefer-vector-width=512")
        target_compile_definitions(nacre_backends PRIVATE NACRE_LOOPS_X86)
    endif()
    if(NACRE_HAVE_BLIS)
        target_include_directories(nacre_backends SYSTEM PRIVATE "${BLIS_INCLUDE_DIR}")
    endif()
endif()

if(NACRE_NCC_SOURCE AND TARGET nacre_lang)
    add_executable(nacre_ncc "${NACRE_NCC_SOURCE}")
    target_include_directories(nacre_ncc PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_link_libraries(nacre_ncc PRIVATE nacre_lang nacre_deps)

    list(TRANSFORM NACRE_STDLIB_MODULES PREPEND "${PROJECT_SOURCE_DIR}/stdlib/"
         OUTPUT_VARIABLE module_files)
    set(bytecode "${NACRE_GENERATED}/stdlib_bytecode.c")
    set(more_bytecode "${NACRE_GENERATED}/stdlib_more.c")
    add_custom_command(OUTPUT "${bytecode}" "${more_bytecode}"
        COMMAND nacre_ncc -o "${bytecode}" "${more_bytecode}" ${NACRE_CORE_MODULES} -- ${NACRE_MORE_MODULES}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/stdlib"
        DEPENDS nacre_ncc ${module_files}
        COMMENT "Compiling the standard library" VERBATIM)
    nacre_objects(nacre_stdlib_bytecode "${bytecode}")
    nacre_objects(nacre_more_bytecode "${more_bytecode}")
endif()

set(NACRE_OBJECTS)
foreach(objects IN LISTS NACRE_OBJECT_LIBRARIES)
    list(APPEND NACRE_OBJECTS $<TARGET_OBJECTS:${objects}>)
endforeach()
set(NACRE_SHARED_OBJECTS ${NACRE_OBJECTS})

# The shared library leaves the loops for AVX2 and AVX-512 to plug-ins; what is linked with the archive has them.
if(NACRE_LOOP_PLUGINS AND TARGET nacre_backends AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(backends $<TARGET_OBJECTS:nacre_backends>)
    nacre_objects(nacre_loops_opened "${NACRE_LOOPS_OPENED}")
    list(REMOVE_ITEM NACRE_SHARED_OBJECTS ${backends})
    list(APPEND NACRE_SHARED_OBJECTS "$<FILTER:${backends},EXCLUDE,cpu/loops/loops_(avx2|avx512|linked)[.]c[.]>"
         $<TARGET_OBJECTS:nacre_loops_opened>)
    set(NACRE_LOOP_TARGETS)
    foreach(set avx2 avx512)
        add_library(nacre_loops_${set} MODULE "${NACRE_LOOPS_PLUGIN}"
                    "$<FILTER:${backends},INCLUDE,cpu/loops/loops_${set}[.]c[.]>")
        set_target_properties(nacre_loops_${set} PROPERTIES PREFIX "" OUTPUT_NAME nacre-loops-${set}
                              LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
        target_include_directories(nacre_loops_${set} PRIVATE ${NACRE_INTERNAL_INCLUDES})
        target_compile_definitions(nacre_loops_${set} PRIVATE NACRE_LOOPS=loops_${set})
        target_link_libraries(nacre_loops_${set} PRIVATE m)
        list(APPEND NACRE_LOOP_TARGETS nacre_loops_${set})
    endforeach()
endif()

# The shared library leaves most of the standard library to a plug-in.
set(NACRE_MODULES_TARGET)
if(NACRE_LOOP_PLUGINS AND TARGET nacre_more_bytecode)
    nacre_objects(nacre_modules_opened "${NACRE_MODULES_OPENED}")
    list(REMOVE_ITEM NACRE_SHARED_OBJECTS $<TARGET_OBJECTS:nacre_stdlib> $<TARGET_OBJECTS:nacre_more_bytecode>)
    list(APPEND NACRE_SHARED_OBJECTS "$<FILTER:$<TARGET_OBJECTS:nacre_stdlib>,EXCLUDE,stdlib/linked[.]c[.]>"
         $<TARGET_OBJECTS:nacre_modules_opened>)
    set(NACRE_MODULES_TARGET nacre_modules)
    add_library(nacre_modules MODULE "${NACRE_MODULES_PLUGIN}" $<TARGET_OBJECTS:nacre_more_bytecode>)
    set_target_properties(nacre_modules PROPERTIES PREFIX "" OUTPUT_NAME nacre-modules
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_modules PRIVATE ${NACRE_INTERNAL_INCLUDES})
endif()

# The canvas of matplotlib is a plug-in, which has what it needs of the library itself.
set(NACRE_PICTURES_TARGET)
if(NACRE_HAVE_PICTURES AND TARGET nacre_stdlib)
    set(NACRE_PICTURES_TARGET nacre_pictures)
    add_library(nacre_pictures MODULE ${NACRE_PICTURES_SOURCES}
                "$<FILTER:$<TARGET_OBJECTS:nacre_lang>,INCLUDE,support/(buf|deflate|deflate_fast|mem|utf8)[.]c[.]>"
                "$<FILTER:$<TARGET_OBJECTS:nacre_stdlib>,INCLUDE,stdlib/png[.]c[.]>")
    set_target_properties(nacre_pictures PROPERTIES PREFIX "" OUTPUT_NAME nacre-pictures
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_pictures PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_include_directories(nacre_pictures SYSTEM PRIVATE "${CAIRO_SVG_INCLUDE_DIR}")
    target_compile_definitions(nacre_pictures PRIVATE "NACRE_FONTS=\"${NACRE_FONT_FOLDER}\"")
    target_link_libraries(nacre_pictures PRIVATE nacre_deps_pic "${CAIRO_LIBRARY}" Freetype::Freetype)
    target_link_options(nacre_pictures PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections)
    # Loops over pixels and points; nothing asks for errno.
    target_compile_options(nacre_pictures PRIVATE -fno-math-errno $<$<C_COMPILER_ID:GNU>:-fno-trapping-math> $<$<CONFIG:Release>:-O2>)
endif()
# Every pixel of a picture goes through this.
set_source_files_properties("${PROJECT_SOURCE_DIR}/stdlib/pictures/canvas.c" PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")

# Structural work on sparse matrices is a plug-in, which calls nothing but what it is handed.
set(NACRE_SPARSE_TARGETS)
if(TARGET nacre_stdlib)
    add_library(nacre_sparse MODULE ${NACRE_SPARSE_SOURCES})
    list(APPEND NACRE_SPARSE_TARGETS nacre_sparse)
    set_target_properties(nacre_sparse PROPERTIES PREFIX "" OUTPUT_NAME nacre-sparse
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_sparse PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_link_libraries(nacre_sparse PRIVATE m)
    target_compile_options(nacre_sparse PRIVATE -fno-math-errno $<$<CONFIG:Release>:-O2>)
endif()

# Direct solvers are one, too, with SuiteSparse's archives in it: those that call dense kernels, which are its own. The
# others are shared libraries.
if(NACRE_HAVE_SUITESPARSE AND TARGET nacre_stdlib)
    add_library(nacre_suitesparse MODULE ${NACRE_SUITESPARSE_SOURCES})
    list(APPEND NACRE_SPARSE_TARGETS nacre_suitesparse)
    set_target_properties(nacre_suitesparse PROPERTIES PREFIX "" OUTPUT_NAME nacre-suitesparse
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_suitesparse PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_include_directories(nacre_suitesparse SYSTEM PRIVATE "${SUITESPARSE_INCLUDE_DIR}")
    target_link_libraries(nacre_suitesparse PRIVATE ${NACRE_SUITESPARSE_LIBRARIES} m)
    target_link_options(nacre_suitesparse PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections)
    if(NOT NACRE_SANITIZE AND NOT NACRE_FUZZ)
        target_link_options(nacre_suitesparse PRIVATE -Wl,-z,defs)
    endif()
    target_compile_options(nacre_suitesparse PRIVATE -fno-math-errno $<$<CONFIG:Release>:-O2>)
    # No results of these have to agree with another backend's: sums are as the processor is fastest.
    set_source_files_properties(${NACRE_SUITESPARSE_KERNELS} PROPERTIES COMPILE_OPTIONS
        "-ffp-contract=fast;$<$<C_COMPILER_ID:GNU>:-fcx-limited-range>;$<$<CONFIG:Release>:-O3>")
endif()

# libnacre in one of its two forms.
function(nacre_library target kind deps)
    add_library(${target} ${kind} ${ARGN})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME nacre LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} PRIVATE ${deps})
endfunction()

if(NACRE_OBJECTS)
    nacre_library(nacre_static STATIC nacre_deps ${NACRE_OBJECTS})
    nacre_library(nacre_shared SHARED nacre_deps_pic ${NACRE_SHARED_OBJECTS})
    if(NACRE_LOOP_TARGETS OR NACRE_MODULES_TARGET OR NACRE_PICTURES_TARGET OR NACRE_SPARSE_TARGETS)
        add_dependencies(nacre_shared ${NACRE_LOOP_TARGETS} ${NACRE_MODULES_TARGET} ${NACRE_PICTURES_TARGET}
                         ${NACRE_SPARSE_TARGETS})
    endif()
    set_target_properties(nacre_shared PROPERTIES VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR})
    # The archives linked in stay private: a host may have its own zlib.
    target_link_options(nacre_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections
                        "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/nacre.map")
    set_property(TARGET nacre_shared PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/nacre.map")
    if(NOT NACRE_SANITIZE AND NOT NACRE_FUZZ)
        # Sanitizers leave symbols of theirs to the program.
        target_link_options(nacre_shared PRIVATE -Wl,-z,defs)
    endif()
endif()

# libnacre-rt: what libraries that `nacre build` writes call. It is made of the engine's own objects,
# of those that stand by themselves.
nacre_objects(nacre_rt_objects ${NACRE_RT_SOURCES})
set(rt_backend "(cpu/([a-z]+/)?(blis|deep|features|loops_[a-z0-9]+|matmul|matvec|move|pool|products_int|reduce_region|reduce_sums|rows|services|symmetric|vector))[.]c[.]")
set(rt_graph "graph/(buffers|dtype|op|row_runs|storage)[.]c[.]")
set(rt_support "support/(buf|libraries|mem)[.]c[.]")
set(NACRE_RT_OBJECTS
    $<TARGET_OBJECTS:nacre_rt_objects>
    "$<FILTER:$<TARGET_OBJECTS:nacre_backends>,INCLUDE,${rt_backend}>"
    "$<FILTER:$<TARGET_OBJECTS:nacre_vm>,INCLUDE,${rt_graph}>"
    "$<FILTER:$<TARGET_OBJECTS:nacre_lang>,INCLUDE,${rt_support}>")
function(nacre_runtime target kind)
    add_library(${target} ${kind} ${NACRE_RT_OBJECTS})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME nacre-rt LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
    if(NACRE_HAVE_OPENMP)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
    endif()
endfunction()
nacre_runtime(nacre_rt_static STATIC)
nacre_runtime(nacre_rt_shared SHARED)
set_target_properties(nacre_rt_shared PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT NACRE_SANITIZE AND NOT NACRE_FUZZ)
    target_link_options(nacre_rt_shared PRIVATE -Wl,-z,defs)
endif()

# Texts of library operations for devices, as string literals: text/take.cl is GRID_TEXT_TAKE in grid_text_take.h, and
# text/take.h, which the host's code reads too, GRID_TEXT_TAKE_H in grid_text_take_h.h.
file(GLOB grid_texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/grid/text/*")
set(NACRE_GRID_TEXTS)
foreach(text IN LISTS grid_texts)
    get_filename_component(name "${text}" NAME_WE)
    get_filename_component(kind "${text}" EXT)
    string(TOUPPER "${name}" upper)
    if(kind STREQUAL ".h")
        string(APPEND name "_h")
        string(APPEND upper "_H")
    endif()
    set(header "${NACRE_GENERATED}/grid_text_${name}.h")
    add_custom_command(OUTPUT "${header}"
        COMMAND "${CMAKE_COMMAND}" "-DIN=${text}" "-DOUT=${header}" "-DNAME=GRID_TEXT_${upper}"
                -P "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
        DEPENDS "${text}" "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
        COMMENT "Making a string of ${name}" VERBATIM)
    list(APPEND NACRE_GRID_TEXTS "${header}")
endforeach()
add_custom_target(nacre_grid_texts DEPENDS ${NACRE_GRID_TEXTS})

# Backends in plug-ins, opened by name: modules that hold what they need of the engine themselves. Usage:
# nacre_device(NAME SOURCES… [LIBRARIES…])
function(nacre_device name)
    cmake_parse_arguments(device "" "" "SOURCES;LIBRARIES" ${ARGN})
    add_library(nacre_${name} MODULE ${device_SOURCES} ${NACRE_GRID_SOURCES} ${NACRE_GRID_TEXTS})
    add_dependencies(nacre_${name} nacre_grid_texts)
    set_target_properties(nacre_${name} PROPERTIES PREFIX "" OUTPUT_NAME nacre-${name}
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nacre")
    target_include_directories(nacre_${name} PRIVATE ${NACRE_INTERNAL_INCLUDES})
    target_link_libraries(nacre_${name} PRIVATE nacre_static ${device_LIBRARIES})
    target_link_options(nacre_${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections)
endfunction()
if(TARGET nacre_static)
    nacre_device(cuda SOURCES ${NACRE_CUDA_SOURCES} LIBRARIES ${CMAKE_DL_LIBS}) # its driver is opened at run time
endif()
if(NACRE_HAVE_OPENCL AND TARGET nacre_static)
    nacre_device(opencl SOURCES ${NACRE_OPENCL_SOURCES} LIBRARIES OpenCL::OpenCL)
endif()

# Transports between ranks that are plug-ins: each folder says how it is built.
file(GLOB transports CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/dist/*/plugin.cmake")
foreach(file IN LISTS transports)
    include("${file}")
endforeach()
