// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What device texts share. KERNEL, GLOBAL, LOCAL, ITEM, ROW, LANE, GROUP, BARRIER are the dialect's.

// A pointer to memory of the group points NEAR. A function with barriers is TOGETHER: compilers of OpenCL C may find those in
// kernels only, so it has to become part of one. Arguments of kernels are passed on by CONST_REF where the language has
// references: each work item would copy them to its stack, to index them by numbers that are not constant.
#ifdef __OPENCL_VERSION__
#define NEAR __local
#define CONST_REF(T) const T
#define TOGETHER static inline __attribute__((always_inline))
#else
#define NEAR
#define CONST_REF(T) const T &
#define TOGETHER static inline
#endif

// Where element number i of a view is, in bytes from the memory's beginning.
static inline int64_t place_of(CONST_REF(GridView) v, int64_t i) {
    int64_t at = v.offset;
    for (int d = (int)v.ndim - 1; d > 0; d--) {
        at += i % v.extent[d] * v.stride[d];
        i /= v.extent[d];
    }
    return v.ndim > 0 ? at + i * v.stride[0] : at;
}
