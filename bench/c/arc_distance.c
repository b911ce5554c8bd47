// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distances along great circles, with the vector functions of the C library. What limits it is the
// arithmetic of six functions, some 150 flops for each point.
//
// Floor: bytes = 40 * n; flops = 150 * n; span = 40 * n.
#include "kernel.h"
#include "vectors.h"

static double squared(double x) {
    return x * x;
}

void arc_distance(int64_t n, const double theta1[restrict n], const double phi1[restrict n],
                  const double theta2[restrict n], const double phi2[restrict n],
                  double out[restrict n]) {
#pragma omp parallel for simd schedule(static) if (n > LARGE)
    for (int64_t i = 0; i < n; i++) {
        double half = squared(sin((theta2[i] - theta1[i]) / 2)) +
                      cos(theta1[i]) * cos(theta2[i]) * squared(sin((phi2[i] - phi1[i]) / 2));
        out[i] = 2 * atan2(sqrt(half), sqrt(1 - half));
    }
}
