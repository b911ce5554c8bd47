// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Large Fourier transforms by cuFFT.

#define _GNU_SOURCE
#include "backends/cuda/fourier.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/cuda/driver.h"

// --- Finding it ------------------------------------------------------------------------------------------

static bool look_up(CudaFourier *f) {
#define X(name, symbol, parameters)              \
    {                                            \
        void *found = dlsym(f->library, #symbol); \
        if (!found) return false;                \
        memcpy(&f->name, &found, sizeof found);  \
    }
    CUDA_FOURIER(X)
#undef X
    return true;
}

typedef struct Search {
    CudaFourier *fourier;
    int driver_number;
} Search;

static void unload(CudaFourier *f) {
    if (f->library) dlclose(f->library);
    *f = (CudaFourier){.is_tried = true};
}

// Loads cuFFT from a path, if it fits the driver. Its major version is one less than CUDA's.
static bool load_one(void *context, const char *path) {
    const Search *search = context;
    CudaFourier *f = search->fourier;
    int major = 0;
    *f = (CudaFourier){.is_tried = true, .library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (f->library && look_up(f) && f->property(0, &major) == 0 && major + 1 <= search->driver_number / 1000) return true;
    unload(f);
    return false;
}

bool cuda_fourier_open(CudaFourier *f, int driver_number) {
    Search search = {f, driver_number};
    if (!f->is_tried && !cuda_find("libcufft", load_one, &search)) unload(f);
    return f->library;
}

static void drop(const CudaFourier *f, CudaFourierPlan *plan) {
    if (plan->points) f->destroy(plan->number);
    *plan = (CudaFourierPlan){0};
}

void cuda_fourier_close(CudaFourier *f) {
    for (int i = 0; i < CUDA_FOURIER_PLANS; i++) drop(f, &f->plans[i]);
    unload(f);
}

void cuda_fourier_describe(int driver_number, Buf *out) {
    CudaFourier f = {0};
    int major = 0, minor = 0;
    if (cuda_fourier_open(&f, driver_number) && f.property(0, &major) == 0 && f.property(1, &minor) == 0)
        buf_printf(out, "CUDA: large Fourier transforms by cuFFT %d.%d\n", major, minor);
    else
        buf_puts(out, "CUDA: no cuFFT for large Fourier transforms: CUDA's toolkit has it, and Python's package nvidia-cufft\n");
    unload(&f);
}

// --- Plans -----------------------------------------------------------------------------------------------

static bool is_for(const CudaFourierPlan *plan, const GridTransform *t) {
    return plan->points == t->points && plan->rows == t->rows && plan->type == t->type &&
           plan->is_real == t->is_real && plan->in_step == t->in.step &&
           plan->in_apart == t->in.apart && plan->out_step == t->out.step && plan->out_apart == t->out.apart;
}

static bool make(const CudaFourier *f, const GridTransform *t, CudaFourierPlan *plan) {
    enum { R2C = 0x2a, C2C = 0x29, D2Z = 0x6a, Z2Z = 0x69 };
    const int kind = t->type == DT_FLOAT32 ? (t->is_real ? R2C : C2C) : (t->is_real ? D2Z : Z2Z);
    long long points = t->points;
    *plan = (CudaFourierPlan){.points = t->points, .rows = t->rows, .type = t->type, .is_real = t->is_real, .in_step = t->in.step, .in_apart = t->in.apart,
                              .out_step = t->out.step, .out_apart = t->out.apart};
    if (f->create(&plan->number) != 0) {
        *plan = (CudaFourierPlan){0};
        return false;
    }
    if (f->set_allocation(plan->number, 0) == 0 &&
        f->make(plan->number, 1, &points, &points, t->in.step, t->in.apart, &points, t->out.step, t->out.apart,
                kind, t->rows, &plan->bytes) == 0)
        return true;
    drop(f, plan);
    return false;
}

// Returns the kept plan of a transform, or a new one in place of the least recently used. NULL: cuFFT cannot make it.
static CudaFourierPlan *plan_for(CudaFourier *f, const GridTransform *t) {
    CudaFourierPlan *oldest = &f->plans[0];
    for (int i = 0; i < CUDA_FOURIER_PLANS; i++) {
        if (is_for(&f->plans[i], t)) return &f->plans[i];
        if (f->plans[i].used < oldest->used) oldest = &f->plans[i];
    }
    drop(f, oldest);
    return make(f, t, oldest) ? oldest : NULL;
}

static void *at(const struct GridTransformSide *side) {
    return (char *)side->memory + side->offset;
}

static bool execute(const CudaFourier *f, int plan, const GridTransform *t) {
    const bool is_single = t->type == DT_FLOAT32;
    if (t->is_real) return (is_single ? f->run_real_floats : f->run_real_doubles)(plan, at(&t->in), at(&t->out)) == 0;
    return (is_single ? f->run_floats : f->run_doubles)(plan, at(&t->in), at(&t->out), t->sign) == 0;
}

// Gives the working memory back at once: later work in the stream, which may reuse it, starts after the transform.
bool cuda_fourier_run(CudaFourier *f, void *stream, GridPool *pool, const GridTransform *t) {
    CudaFourierPlan *plan = plan_for(f, t);
    void *work = NULL;
    if (!plan || (plan->bytes && !(work = grid_pool_take(pool, plan->bytes)))) return false;
    plan->used = ++f->uses;
    bool done = f->set_stream(plan->number, stream) == 0 && (!work || f->set_work(plan->number, work) == 0) &&
                execute(f, plan->number, t);
    if (work) grid_pool_give(pool, work, plan->bytes);
    return done;
}
