# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes OUTPUT, a Lua file that declares what HEADER (nacre.h) does to LuaJIT: the same text without
# what is the preprocessor's.

file(READ "${HEADER}" text)
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX REPLACE "#ifdef __cplusplus[^#]*#endif" "" text "${text}")
string(REGEX REPLACE "#[^\n]*" "" text "${text}")
string(REGEX REPLACE "NACRE_API " "" text "${text}")
string(REGEX REPLACE "[ \t]*\n([ \t]*\n)+" "\n" text "${text}")
file(WRITE "${OUTPUT}" "-- Made from nacre.h.\nrequire(\"ffi\").cdef [[${text}]]\n")
