# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Language standard, warnings, sanitizers: what every translation unit is compiled with.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")

add_compile_options(-Wall -Wextra)
# Floating-point contraction is decided in the engine's IR, never by the compiler: the CPU tiers
# have to agree bit for bit.
add_compile_options(-ffp-contract=off)
# Floating-point conditions become warnings: no operation that may tell of one is done in vain.
# That is gcc's default.
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-ffp-exception-behavior=maytrap)
endif()
# gcc's string instructions take some 30 cycles to begin with a structure of a few hundred bytes.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign
                        -mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign)
endif()
# Only what is used becomes a dependency of the program; each library costs start-up time.
add_link_options(-Wl,--as-needed)
# Addresses in tables take 24 bytes each in the file, packed some 2 bits (DT_RELR; glibc 2.36, binutils 2.38).
include(CheckLinkerFlag)
check_linker_flag(C "-Wl,-z,pack-relative-relocs" NACRE_PACKS_RELOCATIONS)
if(NACRE_PACKS_RELOCATIONS)
    add_link_options(-Wl,-z,pack-relative-relocs)
endif()

if(NACRE_WERROR)
    add_compile_options(-Werror)
endif()
if(NACRE_LTO)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()
if(NACRE_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
if(NACRE_SANITIZE)
    add_compile_options(-O1 -g -fno-omit-frame-pointer -fsanitize=${NACRE_SANITIZE}
                        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${NACRE_SANITIZE})
    # Checks within a loop keep it from vector instructions; clang warns of that where `omp simd` asked for them.
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
        add_compile_options(-Wno-pass-failed)
    endif()
endif()
if(NACRE_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "NACRE_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
