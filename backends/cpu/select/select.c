// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gather and scatter: elements at indices known only at run time.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/few.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

// --- By index ----------------------------------------------------------------------------------

// Separates axes: those that the indices replace, and all others (rest). `one` is the indexed
// array, `many` the array with room for all selected elements.
typedef struct Places {
    const View *at;           // the indices
    const int64_t *many;      // strides of `many` along the indices' axes
    int ndim;                 // number of rest axes
    int64_t shape[NDIM_MAX], one_rest[NDIM_MAX], many_rest[NDIM_MAX];
    int64_t step;
    size_t bytes;             // bytes moved at a time
    bool take;
    bool owned;               // only the places from … to-1 are written
    int64_t from, to;
} Places;

// Fills in the rest of `p`, whose `at`, `step` and `take` are set; clearing all of it would take as long as a small call.
static void find_rest(const View *one, const View *many, AxisSet axes, Places *p) {
    p->owned = false;
    p->many = many->strides;
    p->bytes = dtype_size(one->dtype);
    p->ndim = 0;
    for (int d = 0; d < one->ndim; d++) {
        if (axes >> d & 1) continue;
        p->shape[p->ndim] = one->shape[d];
        p->one_rest[p->ndim] = one->strides[d];
        p->many_rest[p->ndim] = many->strides[p->at->ndim + p->ndim];
        p->ndim++;
    }
}

static void places_of(const Kernel *k, const View *one, const View *many, Places *p) {
    p->take = k->library == AOP_TAKE;
    p->at = &k->args[p->take ? 1 : 0].view;
    p->step = k->attrs.step;
    find_rest(one, many, k->attrs.axes, p);
}

static inline bool owns(const Places *p, int64_t place) {
    return (uint64_t)(place - p->from) < (uint64_t)(p->to - p->from);
}

#define RUN(T)                                               \
    if (p->take)                                             \
        for (; n > 0; n--, at += stride, many += room) {     \
            memcpy(&place, at, sizeof place);                \
            *(T *)many = *(const T *)(one + place * step);   \
        }                                                    \
    else                                                     \
        for (; n > 0; n--, at += stride, many += room) {     \
            memcpy(&place, at, sizeof place);                \
            *(T *)(one + place * step) = *(const T *)many;   \
        }

// Moves single elements for a row of n indices.
static void run_of_places(const Places *p, const char *at, char *one, char *many) {
    int last = p->at->ndim - 1;
    int64_t n = p->at->shape[last], stride = p->at->strides[last], room = p->many[last], place;
    const int64_t step = p->step;
    switch (p->bytes) {
    case 1: RUN(uint8_t) break;
    case 2: RUN(uint16_t) break;
    case 4: RUN(uint32_t) break;
    case 8: RUN(uint64_t) break;
    default: RUN(Wide) break;
    }
}

// Handles all indices for one position of the rest axes.
static void all_places(const Cpu *cpu, const Places *p, char *at, char *one, char *many,
                       uint32_t *flags) {
    int64_t index[NDIM_MAX];
    const int64_t *strides[2] = {p->at->strides, p->many};
    char *here[2] = {at, many};
    int outer = p->at->ndim - 1;
    memset(index, 0, sizeof(int64_t) * (size_t)(outer + 1));
    do run_of_places(p, here[0], one, here[1]);
    while (!interrupted(cpu, flags) &&
           odometer_next(outer, p->at->shape, index, here, strides, 2));
}

static void rest_outside(const Cpu *cpu, const Places *p, char *at, char *one, char *many,
                         uint32_t *flags) {
    int64_t index[NDIM_MAX];
    const int64_t *strides[2] = {p->one_rest, p->many_rest};
    char *here[2] = {one, many};
    memset(index, 0, sizeof(int64_t) * (size_t)p->ndim);
    do all_places(cpu, p, at, here[0], here[1], flags);
    while (!interrupted(cpu, flags) && odometer_next(p->ndim, p->shape, index, here, strides, 2));
}

static void move_rest(const Places *p, char *one, char *many) {
    int64_t index[NDIM_MAX];
    const int64_t *strides[2] = {p->one_rest, p->many_rest};
    char *here[2] = {one, many};
    memset(index, 0, sizeof(int64_t) * (size_t)p->ndim);
    do memcpy(here[p->take], here[!p->take], p->bytes);
    while (odometer_next(p->ndim, p->shape, index, here, strides, 2));
}

static void rest_inside(const Cpu *cpu, Places *p, char *at, char *one, char *many,
                        uint32_t *flags) {
    int64_t index[NDIM_MAX], place;
    const int64_t *strides[2] = {p->at->strides, p->many};
    char *here[2] = {at, many};
    int last = p->ndim - 1;
    // Rows contiguous on both sides move as a block.
    if (p->one_rest[last] == (int64_t)p->bytes && p->many_rest[last] == (int64_t)p->bytes)
        p->bytes *= (size_t)p->shape[p->ndim = last];
    memset(index, 0, sizeof(int64_t) * (size_t)p->at->ndim);
    do {
        memcpy(&place, here[0], sizeof place);
        if (p->owned && !owns(p, place)) continue; // continues at the loop's condition
        move_rest(p, one + place * p->step, here[1]);
    } while (!interrupted(cpu, flags) &&
             odometer_next(p->at->ndim, p->at->shape, index, here, strides, 2));
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

// Moves a single element, where neither indices nor rest have axes.
static void one_place(const Places *p, const char *at, char *one, char *many) {
    int64_t place;
    memcpy(&place, at, sizeof place);
    char *there = one + place * p->step;
    memcpy(p->take ? many : there, p->take ? there : many, p->bytes);
}

static bool is_rest_inside(const Places *p) {
    int last = p->at->ndim - 1;
    return p->ndim > 0 && (last < 0 || magnitude(p->many[last]) >= magnitude(p->many_rest[p->ndim - 1]));
}

// Moves all elements, iterating innermost over the axes that are contiguous in `many`. Indices keep their order in
// any case, so for repeated ones the last value wins.
static void all_of(const Cpu *cpu, Places *p, char *at, char *one, char *many, uint32_t *flags) {
    if (is_rest_inside(p)) rest_inside(cpu, p, at, one, many, flags);
    else if (p->at->ndim > 0) rest_outside(cpu, p, at, one, many, flags);
    else one_place(p, at, one, many);
}

typedef struct SelectJob {
    Job job;
    const Places *places;
    char *at, *one, *many;
    int axis, parts; // of a gather: axis of the indices that is split into parts
    int64_t extent;  // of a scatter: number of positions, which are split into parts
} SelectJob;

static void take_part(void *argument, int part, int worker) {
    SelectJob *t = argument;
    View at = *t->places->at;
    Places mine = *t->places;
    int64_t n = at.shape[t->axis], begin = n * part / t->parts;
    uint32_t flags = 0;
    (void)worker;
    at.shape[t->axis] = n * (part + 1) / t->parts - begin;
    mine.at = &at;
    all_of(t->job.cpu, &mine, t->at + begin * at.strides[t->axis], t->one,
           t->many + begin * mine.many[t->axis], &flags);
    atomic_fetch_or(&t->job.flags, flags);
}

static void put_part(void *argument, int part, int worker) {
    SelectJob *t = argument;
    Places mine = *t->places;
    uint32_t flags = 0;
    (void)worker;
    mine.owned = true;
    mine.from = cut_before(t->extent, part, t->parts);
    mine.to = cut_before(t->extent, part + 1, t->parts);
    all_of(t->job.cpu, &mine, t->at, t->one, t->many, &flags);
    atomic_fetch_or(&t->job.flags, flags);
}

static int longest_axis(const View *view) {
    int longest = 0;
    for (int d = 1; d < view->ndim; d++)
        if (view->shape[d] > view->shape[longest]) longest = d;
    return longest;
}

// Returns the number of positions that an index can select: the product of the indexed axes' extents.
static int64_t places_extent(const View *one, AxisSet axes) {
    int64_t extent = 1;
    for (int d = 0; d < one->ndim; d++)
        if (axes >> d & 1) extent *= one->shape[d];
    return extent;
}

// Returns the number of parts of a scatter. Each part reads all indices, so there are only a few parts, and only where
// an index stands for many bytes: for single elements, reading the indices takes half as long as writing.
static int scatter_parts(const Cpu *cpu, const Places *p, int64_t extent) {
    enum { MOST = 8, BYTES_LEAST = 64 };
    int64_t bytes = (int64_t)p->bytes;
    for (int d = 0; d < p->ndim; d++) bytes *= p->shape[d];
    if (!is_rest_inside(p) || bytes < BYTES_LEAST || extent < MOST) return 1;
    return cpu->threads < MOST ? cpu->threads : MOST;
}

// Threads share the indices of a gather, but the written elements of a scatter: it may write an element repeatedly,
// and the last value must win.
static void select_places(const Cpu *cpu, const Kernel *k, const KernArg *one, const KernArg *many,
                          uint32_t *flags) {
    Places p;
    places_of(k, &one->view, &many->view, &p);
    SelectJob t = {.places = &p, .at = arg_at(&k->args[p.take ? 1 : 0]), .one = arg_at(one),
                   .many = arg_at(many), .axis = longest_axis(p.at),
                   .extent = places_extent(&one->view, k->attrs.axes)};
    int64_t count = view_size(&many->view);
    if (count == 0) return;
    bool shared = count >= PARALLEL_WORK && cpu->threads > 1 && p.at->ndim > 0;
    t.parts = !shared ? 1 : p.take ? parts_for(cpu, p.at->shape[t.axis]) : scatter_parts(cpu, &p, t.extent);
    if (t.parts > 1) share_out(cpu, p.take ? take_part : put_part, &t, t.parts, flags);
    else all_of(cpu, &p, t.at, t.one, t.many, flags);
}

void select_few(const Cpu *cpu, const Node *node, char *places, char *other, char *out) {
    const bool take = node->op == AOP_TAKE;
    Places p;
    p.take = take;
    p.at = &node->inputs[take ? 1 : 0].view;
    p.step = node->attrs.step;
    const View *of = take ? &node->inputs[0].view : &node->output, *dense = take ? &node->output : &node->inputs[1].view;
    uint32_t unused = 0; // too short to be interrupted
    find_rest(of, dense, node->attrs.axes, &p);
    all_of(cpu, &p, places, take ? other : out, take ? out : other, &unused);
}

static void run_take(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    select_places(cpu, k, &k->args[0], &k->result, flags);
}

// Loops that combine a value into an element, computing in the op's type.
typedef struct Meeting {
    LoopFn op, to_loop, from_loop; // casts to and from the op's type; NULL: the elements have it
    int arity;
} Meeting;

static void meet(const Meeting *m, char *there, const char *value) {
    char x[DTYPE_SIZE_MAX], made[DTYPE_SIZE_MAX];
    if (!m->to_loop) {
        m->op(there, value, NULL, there, 1);
        return;
    }
    m->to_loop(there, NULL, NULL, x, 1);
    m->op(x, value, NULL, made, 1);
    m->from_loop(made, NULL, NULL, there, 1);
}

// Combines a row of values of the same type into single elements at a row of indices.
typedef struct MeetingRow {
    char *to;
    const char *places, *values;
    int64_t step, places_stride, values_stride;
} MeetingRow;

#define ADD_ROW(T, SUM)                                                              \
    static void add_row_##T(const Meeting *m, MeetingRow r, int64_t n) {             \
        (void)m;                                                                     \
        for (; n > 0; n--, r.places += r.places_stride, r.values += r.values_stride) { \
            T *sum = (T *)(r.to + *(const int64_t *)r.places * r.step);              \
            T value = *(const T *)r.values;                                          \
            *sum = SUM;                                                              \
        }                                                                            \
    }
ADD_ROW(double, *sum + value)
ADD_ROW(float, *sum + value)
ADD_ROW(int64_t, (int64_t)((uint64_t)*sum + (uint64_t)value))

static void meet_row(const Meeting *m, MeetingRow r, int64_t n) {
    for (; n > 0; n--, r.places += r.places_stride, r.values += r.values_stride) {
        char *there = r.to + *(const int64_t *)r.places * r.step;
        m->op(there, r.values, NULL, there, 1);
    }
}

static void combine_row(const Cpu *cpu, const Meeting *m, OpId op, DType type, MeetingRow r, int64_t n,
                        uint32_t *flags) {
    enum { BLOCK = 1 << 16 };
    void (*row)(const Meeting *, MeetingRow, int64_t) = meet_row;
    if (op == AOP_ADD && type == DT_FLOAT64) row = add_row_double;
    if (op == AOP_ADD && type == DT_FLOAT32) row = add_row_float;
    if (op == AOP_ADD && type == DT_INT64) row = add_row_int64_t;
    for (int64_t some; n > 0 && !interrupted(cpu, flags); n -= some) {
        some = n < BLOCK ? n : BLOCK;
        row(m, r, some);
        r.places += some * r.places_stride;
        r.values += some * r.values_stride;
    }
}

// Returns whether a value is a negative exponent of an integer power. Called before anything is written.
static bool refuses_any(OpId op, const View *values, char *at) {
    int inner = values->ndim - 1;
    const int64_t *strides[1] = {values->strides};
    int64_t index[NDIM_MAX] = {0};
    if (inner < 0) return refuses_exponents(op, values->dtype, at, 0, 1);
    do {
        if (refuses_exponents(op, values->dtype, at, values->strides[inner], (size_t)values->shape[inner])) return true;
    } while (odometer_next(inner, values->shape, index, &at, strides, 1));
    return false;
}

static void combine_places(const Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *one = &k->result.view, *many = &k->args[1].view;
    Places p;
    int64_t index[NDIM_MAX], rest[NDIM_MAX], place;
    DType type = one->dtype, loop = k->attrs.loop, made, result;
    places_of(k, one, many, &p);
    op_types(k->attrs.combine, loop, &made, &result);
    Meeting m = {.op = loop_of(cpu, k->attrs.combine, loop)};
    if (type != loop || type != result) {
        m.to_loop = cpu->loops->casts[loop][type];
        m.from_loop = cpu->loops->casts[type][result];
    }
    if (view_size(many) == 0) return;
    if (refuses_any(k->attrs.combine, many, arg_at(&k->args[1]))) {
        *flags |= FLAG_NEGATIVE_POWER;
        return;
    }
    const int64_t *strides[2] = {p.at->strides, p.many}, *inner[2] = {p.one_rest, p.many_rest};
    char *here[2] = {arg_at(&k->args[0]), arg_at(&k->args[1])};
    memset(index, 0, sizeof(int64_t) * (size_t)(p.at->ndim + 1));
    flags_clear();
    if (p.ndim == 0 && p.at->ndim == 1 && !m.to_loop) {
        const MeetingRow row = {arg_at(&k->result), here[0], here[1], p.step, strides[0][0], strides[1][0]};
        combine_row(cpu, &m, k->attrs.combine, loop, row, p.at->shape[0], flags);
        *flags |= flags_raised();
        return;
    }
    do {
        memcpy(&place, here[0], sizeof place);
        char *pair[2] = {arg_at(&k->result) + place * p.step, here[1]};
        memset(rest, 0, sizeof(int64_t) * (size_t)(p.ndim + 1));
        do meet(&m, pair[0], pair[1]);
        while (odometer_next(p.ndim, p.shape, rest, pair, inner, 2));
    } while (!interrupted(cpu, flags) &&
             odometer_next(p.at->ndim, p.at->shape, index, here, strides, 2));
    *flags |= flags_raised();
}

static void run_put(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    if (k->attrs.combine == AOP_NONE) select_places(cpu, k, &k->result, &k->args[1], flags);
    else combine_places(cpu, k, flags);
}

const LibraryFn library_TAKE = {.run = run_take};
const LibraryFn library_PUT = {.run = run_put};
