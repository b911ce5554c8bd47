// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Prints how many seconds nacre_new takes: the first call in the process, and the median of those that
// follow. With an argument, the first one only.

#include <nacre/nacre.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 201 };

static double creation(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    NacreVm *vm = nacre_new(NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (!vm) exit(1);
    nacre_free(vm);
    return (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv) {
    double spent[TURNS];
    (void)argv;
    printf("first %.9f\n", creation());
    if (argc > 1) return 0;
    for (int i = 0; i < TURNS; i++) spent[i] = creation();
    qsort(spent, TURNS, sizeof *spent, ascending);
    printf("another %.9f\n", spent[TURNS / 2]);
    return 0;
}
