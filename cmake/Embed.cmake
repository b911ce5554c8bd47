# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes a file as a string literal of C: cmake -DIN=FILE -DOUT=HEADER -DNAME=MACRO -P Embed.cmake

file(READ "${IN}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\" \\\n    \"" text "${text}")
file(WRITE "${OUT}" "#define ${NAME} \\\n    \"${text}\"\n")
