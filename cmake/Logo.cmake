# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes a header with the kernel's logos as arrays of bytes: cmake -DFOLDER=… -DOUT=… -P Logo.cmake

set(text "// Made from logo.svg and logo-*.png.\n")
foreach(pair "logo_svg;logo.svg" "logo_32;logo-32x32.png" "logo_64;logo-64x64.png")
    list(GET pair 0 name)
    list(GET pair 1 file)
    file(READ "${FOLDER}/${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const unsigned char ${name}[] = {${bytes}};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
