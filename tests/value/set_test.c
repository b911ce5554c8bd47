// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sets: programs whose output is CPython's.

#include "table_program.h"

static const TableProgram programs[] = {
#include "set_programs.def"
};

int main(void) {
    return table_programs_run(programs, sizeof programs / sizeof *programs) != 0;
}
