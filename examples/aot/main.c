// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls functions of kernels.ncr. main.ncr does the same in the language.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

// A status is 0, or what went wrong is told by the runtime.
static void check(nacre_rt *rt, int status) {
    if (status == NACRE_RT_OK) return;
    fprintf(stderr, "%s:%d: %s\n", nacre_rt_error_file(rt), nacre_rt_error_line(rt),
            nacre_rt_error(rt));
    exit(1);
}

static void heat(nacre_rt *rt) {
    enum { ROWS = 16, COLS = 24 };
    static double plate[ROWS][COLS];
    const int64_t shape[] = {ROWS, COLS};
    nacre_rt_array result;
    for (int i = 0; i < COLS; i++) plate[0][i] = 100;
    check(rt, kernels_heat(rt, &plate[0][0], shape, NULL, 0.2, 50, &result)); // NULL: in C order
    const double(*v)[COLS] = result.data;
    printf("plate: %.17g %.17g\n", v[1][12], v[8][12]);
    nacre_rt_array_free(&result);
}

static void escape(nacre_rt *rt) {
    int64_t inside, outside;
    check(rt, kernels_escape(rt, -0.5, 0.5, 1000, &inside));
    check(rt, kernels_escape(rt, 0.4, 0.4, 1000, &outside));
    printf("escape: %" PRId64 " %" PRId64 "\n", inside, outside);
}

static void statistics(nacre_rt *rt) {
    double x[10], mean, variance;
    const int64_t shape[] = {10}, half[] = {5}, every_other[] = {2 * sizeof *x};
    for (int i = 0; i < 10; i++) x[i] = (double)i * i;
    check(rt, kernels_statistics(rt, x, shape, NULL, &mean, &variance));
    printf("mean %.17g, variance %.17g\n", mean, variance);
    check(rt, kernels_smooth(rt, x, half, every_other, 1));
    printf("smooth:");
    for (int i = 0; i < 10; i++) printf(" %.17g", x[i]);
    printf("\n");
}

static void gradient(nacre_rt *rt) {
    double a[4][3], x[] = {1, 2, 3}, b[] = {1, 1, 1, 1};
    nacre_rt_array result;
    for (int i = 0; i < 12; i++) a[i / 3][i % 3] = i / 7.0;
    check(rt, kernels_solve_least(rt, &a[0][0], (int64_t[]){4, 3}, NULL, x, (int64_t[]){3}, NULL, b,
                                  (int64_t[]){4}, NULL, &result));
    const double *g = result.data;
    printf("gradient: %.17g %.17g %.17g\n", g[0], g[1], g[2]);
    nacre_rt_array_free(&result);
}

int main(void) {
    nacre_rt *rt = nacre_rt_open(0);
    double mean, variance;
    if (!rt) return 1;
    heat(rt);
    escape(rt);
    statistics(rt);
    gradient(rt);
    if (kernels_statistics(rt, NULL, (int64_t[]){0}, NULL, &mean, &variance) ==
        NACRE_RT_VALUE_ERROR)
        printf("%s\n", nacre_rt_error(rt));
    nacre_rt_close(rt);
}
