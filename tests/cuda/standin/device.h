// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// CUDA C for the host's C++ compiler: what the stand-in NVRTC puts in front of the source that it is given. One
// thread runs at a time, so all state is plain static data. With STANDIN_FIBERS threads of a block wait for one
// another; without, they run one after the other in a loop.

#include "module.h"

#define STANDIN_INLINE __attribute__((always_inline)) inline
#define __launch_bounds__(items)
#define __global__ __attribute__((visibility("hidden")))
#define __device__
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("standin_shared")))
#define __CUDACC_RTC__ 1

struct uint3 {
    unsigned x, y, z;
};
typedef uint3 dim3;
static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const StandinServices *standin_services;
extern "C" __attribute__((visibility("hidden"))) char __start_standin_shared, __stop_standin_shared;
static __attribute__((section("standin_shared"), aligned(64), used)) char standin_anchor[64];

// --- Mathematics: overloads, as CUDA C++ has them ----------------------------------------------------

#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#define STANDIN_1(N)                                                  \
    STANDIN_INLINE double N(double x) { return __builtin_##N(x); }    \
    STANDIN_INLINE float N(float x) { return __builtin_##N##f(x); }   \
    STANDIN_INLINE float N##f(float x) { return __builtin_##N##f(x); }
#define STANDIN_2(N)                                                                  \
    STANDIN_INLINE double N(double x, double y) { return __builtin_##N(x, y); }       \
    STANDIN_INLINE float N(float x, float y) { return __builtin_##N##f(x, y); }       \
    STANDIN_INLINE float N##f(float x, float y) { return __builtin_##N##f(x, y); }
STANDIN_1(exp) STANDIN_1(exp2) STANDIN_1(expm1) STANDIN_1(log) STANDIN_1(log2) STANDIN_1(log10) STANDIN_1(log1p)
STANDIN_1(sin) STANDIN_1(cos) STANDIN_1(tan) STANDIN_1(asin) STANDIN_1(acos) STANDIN_1(atan)
STANDIN_1(sinh) STANDIN_1(cosh) STANDIN_1(tanh) STANDIN_1(asinh) STANDIN_1(acosh) STANDIN_1(atanh)
STANDIN_1(sqrt) STANDIN_1(cbrt) STANDIN_1(floor) STANDIN_1(ceil) STANDIN_1(trunc) STANDIN_1(rint) STANDIN_1(fabs)
STANDIN_2(pow) STANDIN_2(fmod) STANDIN_2(atan2) STANDIN_2(hypot) STANDIN_2(copysign) STANDIN_2(nextafter)
STANDIN_2(fmax) STANDIN_2(fmin)
STANDIN_INLINE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
#undef STANDIN_2
#undef STANDIN_1
STANDIN_INLINE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
STANDIN_INLINE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
STANDIN_INLINE double ldexp(double x, int e) { return __builtin_ldexp(x, e); }
STANDIN_INLINE float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
STANDIN_INLINE float ldexpf(float x, int e) { return __builtin_ldexpf(x, e); }
STANDIN_INLINE double modf(double x, double *whole) { return __builtin_modf(x, whole); }
STANDIN_INLINE float modff(float x, float *whole) { return __builtin_modff(x, whole); }
#define isnan(x) __builtin_isnan(x)
#define isinf(x) (__builtin_isinf(x) != 0)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) (__builtin_signbit(x) != 0)
STANDIN_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
STANDIN_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
STANDIN_INLINE float __int_as_float(int x) {
    float bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class T> struct standin_same {
    typedef T type;
};
template <class T> STANDIN_INLINE T atomicOr(T *p, typename standin_same<T>::type v) {
    T old = *p;
    *p = old | v;
    return old;
}
template <class T> STANDIN_INLINE T atomicAdd(T *p, typename standin_same<T>::type v) {
    T old = *p;
    *p = old + v;
    return old;
}
template <class T> STANDIN_INLINE T atomicMax(T *p, typename standin_same<T>::type v) {
    T old = *p;
    if (v > old) *p = v;
    return old;
}

// --- Threads that wait for one another ---------------------------------------------------------------

#ifdef STANDIN_FIBERS
STANDIN_INLINE void standin_wait(int line) {
    uint3 me = threadIdx;
    standin_services->barrier(line);
    threadIdx = me;
}
#define __syncthreads() standin_wait(__LINE__)
template <class F> static void standin_body(void *context, unsigned t) {
    threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
    (*(F *)context)();
}
#endif

// --- How the driver calls a kernel -------------------------------------------------------------------

template <class T> struct standin_sort {
    enum { is_pointer = 0 };
};
template <class T> struct standin_sort<T *> {
    enum { is_pointer = 1 };
};
template <class T> struct standin_bare {
    typedef T type;
};
template <class T> struct standin_bare<const T> {
    typedef T type;
};
template <int... I> struct standin_list {};
template <int N, int... I> struct standin_upto : standin_upto<N - 1, N - 1, I...> {};
template <int... I> struct standin_upto<0, I...> {
    typedef standin_list<I...> type;
};

// __shared__ memory holds what nobody wrote until somebody writes.
template <class F> static STANDIN_INLINE const char *standin_block(F &call) {
#ifdef STANDIN_FIBERS
    __builtin_memset(&__start_standin_shared, 0xff, (__SIZE_TYPE__)(&__stop_standin_shared - &__start_standin_shared));
    return standin_services->run_block(blockDim.x * blockDim.y * blockDim.z, standin_body<F>, &call);
#else
    for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++)
        for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
            for (unsigned x = 0; x < blockDim.x; x++) threadIdx.x = x, call();
    return 0;
#endif
}

template <class F>
static STANDIN_INLINE const char *standin_blocks(F call, StandinDim grid, StandinDim block, int backwards) {
    gridDim = {grid.x, grid.y, grid.z}, blockDim = {block.x, block.y, block.z};
    const StandinWide count = (StandinWide)grid.x * grid.y * grid.z;
    for (StandinWide i = 0; i < count; i++) {
        const StandinWide b = backwards ? count - 1 - i : i;
        blockIdx = {(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
        const char *wrong = standin_block(call);
        if (wrong) return wrong;
    }
    return 0;
}

template <auto K> struct standin_call;
template <class... A, void (*K)(A...)> struct standin_call<K> {
    static constexpr int count = sizeof...(A);
    static constexpr unsigned short sizes[] = {(unsigned short)sizeof(A)..., 0};
    static constexpr unsigned char pointers[] = {
        (unsigned char)standin_sort<typename standin_bare<A>::type>::is_pointer..., 0};
    // Arguments become locals, so that nothing a kernel stores can be one of them.
    static __attribute__((flatten)) const char *with(StandinDim grid, StandinDim block, int backwards,
                                                     typename standin_bare<A>::type... a) {
        return standin_blocks([&]() { K(a...); }, grid, block, backwards);
    }
    template <int... I>
    static const char *unpack(standin_list<I...>, void *const *arguments, StandinDim grid, StandinDim block,
                              int backwards) {
        return with(grid, block, backwards, *(typename standin_bare<A>::type *)arguments[I]...);
    }
    static const char *run(void *const *arguments, StandinDim grid, StandinDim block, int backwards) {
        return unpack(typename standin_upto<count>::type(), arguments, grid, block, backwards);
    }
};
#define STANDIN_KERNEL(k) \
    {#k, standin_call<k>::count, standin_call<k>::sizes, standin_call<k>::pointers, standin_call<k>::run}
static void standin_begin(const StandinServices *services) { standin_services = services; }
#line 1 "kernel.cu"
