// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What all device texts share. KERNEL, GLOBAL, LOCAL, ITEM, ROW, LANE, GROUP, BARRIER are macros of the dialect.

// NEAR qualifies pointers to LOCAL memory. TOGETHER qualifies functions with barriers: compilers of OpenCL C may accept
// barriers in kernels only, so the function has to be inlined. CONST_REF passes arguments of kernels on by reference,
// if the language has references: a copy that is indexed by variables would be on each work item's stack.
#ifdef __OPENCL_VERSION__
#define NEAR __local
#define CONST_REF(T) const T
#define TOGETHER static inline __attribute__((always_inline))
#else
#define NEAR
#define CONST_REF(T) const T &
#define TOGETHER static inline
#endif

// Returns the offset of element number i of a view, in bytes from the memory's beginning.
static inline int64_t place_of(CONST_REF(GridView) v, int64_t i) {
    int64_t at = v.offset;
    for (int d = (int)v.ndim - 1; d > 0; d--) {
        at += i % v.extent[d] * v.stride[d];
        i /= v.extent[d];
    }
    return v.ndim > 0 ? at + i * v.stride[0] : at;
}
