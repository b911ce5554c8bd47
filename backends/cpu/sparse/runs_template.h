// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of a run (row_runs.h) times a vector: a row per lane. Compiled with the loops, once per instruction set. A sum is
// added in the order of its row's entries, each product being rounded, so that results are the same bits as row by row.

// A vector of elements `step` apart.
#define FOUR_APART(p, step) (p)[0], (p)[(step)], (p)[2 * (step)], (p)[3 * (step)]
#define EIGHT_APART(p, step) FOUR_APART(p, step), FOUR_APART((p) + 4 * (step), step)
#if PRODUCT_BYTES == 64
#define APART_double(p, step) {EIGHT_APART(p, step)}
#define APART_float(p, step) {EIGHT_APART(p, step), EIGHT_APART((p) + 8 * (step), step)}
#elif PRODUCT_BYTES == 32
#define APART_double(p, step) {FOUR_APART(p, step)}
#define APART_float(p, step) {EIGHT_APART(p, step)}
#else
#define APART_double(p, step) {(p)[0], (p)[(step)]}
#define APART_float(p, step) {FOUR_APART(p, step)}
#endif

#define T float
#define NAME(f) f##_float
#define OF(x) float_##x
#include "backends/cpu/sparse/runs_type_template.h"
#define T double
#define NAME(f) f##_double
#define OF(x) double_##x
#include "backends/cpu/sparse/runs_type_template.h"
