// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Names by which expressions of ops.def call complex arithmetic on devices, built into OpenCL C and CUDA C after
// complex_parts.h. Functions have one name for both types.

#ifndef NACRE_BACKENDS_EMIT_COMPLEX_NAMES_H
#define NACRE_BACKENDS_EMIT_COMPLEX_NAMES_H

#define nc_truth_c(x) (RE(x) != 0 || IM(x) != 0)
#define nc_eq_c(x, y) (RE(x) == RE(y) && IM(x) == IM(y))
#define nc_isnan_c(x) isnan_c(x)
#define nc_isinf_c(x) isinf_c(x)
#define nc_gt_c(x, y) gt_c(x, y)
#define nc_ge_c(x, y) ge_c(x, y)
#define nc_mul_c(x, y) mul_c(x, y)
#define nc_div_c(x, y) div_c(x, y)
#define nc_reciprocal_c(x) reciprocal_c(x)
#define nc_abs_c(x) abs_c(x)
#define nc_sign_c(x) sign_c(x)
#define nc_conjugate_c(x) conjugate_c(x)
#define nc_rint_c(x) rint_c(x)

#endif
