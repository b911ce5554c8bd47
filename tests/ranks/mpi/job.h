// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The environment of processes that a test starts with mpirun.

#ifndef NACRE_TESTS_RANKS_MPI_JOB_H
#define NACRE_TESTS_RANKS_MPI_JOB_H

#include <stdio.h>
#include <stdlib.h>

// MPI's libraries, and those that they close before the end, keep memory that the leak check cannot tell from ours.
static inline void ignore_leaks(void) {
    const char *options = getenv("ASAN_OPTIONS");
    char text[1024];
    snprintf(text, sizeof text, "%s:detect_leaks=0", options ? options : "");
    setenv("ASAN_OPTIONS", text, 1);
}

// As many processes as are wanted on one machine, whoever starts them.
static inline void set_up_job(void) {
    ignore_leaks();
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

#endif
