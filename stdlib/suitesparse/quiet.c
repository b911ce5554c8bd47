// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions that SuiteSparse's archives call, defined here so that the linker does not take the usual ones. Errors only
// set a status, and nothing is printed. OpenMP loops run on the calling thread. They only copy blocks, and would use
// four threads on any processor, which is slower.

#include <suitesparse/cholmod.h>

int cholmod_error(int status, const char *file, int line, const char *message, cholmod_common *common) {
    (void)file, (void)line, (void)message;
    if (common) common->status = status;
    return common != NULL;
}

int cholmod_l_error(int status, const char *file, int line, const char *message, cholmod_common *common) {
    return cholmod_error(status, file, line, message, common);
}

void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads, (void)flags;
    run(data);
}
int omp_get_num_threads(void);
int omp_get_num_threads(void) {
    return 1;
}
int omp_get_thread_num(void);
int omp_get_thread_num(void) {
    return 0;
}
