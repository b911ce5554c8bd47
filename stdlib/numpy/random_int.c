// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Random integers in a range, permutations, samples without replacement, weighted choice.

#include <math.h>
#include <string.h>

#include "stdlib/numpy/random.h"
#include "vm/value/int.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// --- One integer -------------------------------------------------------------------------------

// The source of draws for one call. Numbers of 16 bits and less share 32-bit draws.
typedef struct Source {
    Bits *g;
    bool masked;
    uint32_t buffer;
    int left; // unused numbers in the buffer
} Source;

static inline uint32_t take(Source *s, unsigned width) {
    if (width == 32) return bits_u32(s->g);
    if (s->left == 0) {
        s->buffer = bits_u32(s->g);
        s->left = (int)(32 / width) - 1;
    } else {
        s->buffer >>= width;
        s->left--;
    }
    return s->buffer & (((uint32_t)1 << width) - 1);
}

static inline uint64_t mask_of(uint64_t range) { // range > 0
    return UINT64_MAX >> __builtin_clzll(range);
}

// Draws an integer in [0, range] from draws of `width` bits, by masking and rejection or by the method of D. Lemire,
// "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
static inline uint32_t draw_narrow(Source *s, uint32_t range, unsigned width) {
    uint32_t full = UINT32_MAX >> (32 - width), value;
    if (range == 0) return 0;
    if (range == full) return take(s, width);
    if (s->masked) {
        uint32_t mask = (uint32_t)mask_of(range);
        do value = take(s, width) & mask;
        while (value > range);
        return value;
    }
    uint32_t count = range + 1;
    uint64_t product = (uint64_t)take(s, width) * count;
    if ((product & full) < count) {
        uint32_t threshold = (full - range) % count;
        while ((product & full) < threshold) product = (uint64_t)take(s, width) * count;
    }
    return (uint32_t)(product >> width);
}

static uint64_t draw_wide(Bits *g, uint64_t range) {
    uint64_t count = range + 1;
    U128 product = (U128)bits_u64(g) * count;
    if ((uint64_t)product < count) {
        uint64_t threshold = (UINT64_MAX - range) % count;
        while ((uint64_t)product < threshold) product = (U128)bits_u64(g) * count;
    }
    return (uint64_t)(product >> 64);
}

uint64_t draw_below(Bits *g, uint64_t range, bool masked) {
    Source s = {.g = g, .masked = masked};
    uint64_t value;
    if (range <= UINT32_MAX) return draw_narrow(&s, (uint32_t)range, 32);
    if (range == UINT64_MAX) return bits_u64(g);
    if (!masked) return draw_wide(g, range);
    do value = bits_u64(g) & mask_of(range);
    while (value > range);
    return value;
}

// --- Filling -----------------------------------------------------------------------------------

#define FILL(name, ctype, draw)                                                                 \
    static void name(Source *s, uint64_t low, uint64_t range, void *out, int64_t n) {           \
        ctype *restrict to = out; /* does not alias the state, which stays in registers */         \
        for (int64_t i = 0; i < n; i++) to[i] = (ctype)(low + draw);                            \
    }
FILL(fill_bool, uint8_t, draw_narrow(s, (uint32_t)range, 1))
FILL(fill_8, uint8_t, draw_narrow(s, (uint32_t)range, 8))
FILL(fill_16, uint16_t, draw_narrow(s, (uint32_t)range, 16))
FILL(fill_32, uint32_t, draw_narrow(s, (uint32_t)range, 32))
FILL(fill_64, uint64_t, draw_below(s->g, range, s->masked))
#undef FILL

// Specialises the common case, PCG64 with Lemire's method and a range below 2**32 - 1, to keep the state in registers.
#define FILL_PCG(name, ctype)                                                                    \
    static void name(Source *s, uint64_t low, uint64_t range, void *out, int64_t n) {            \
        ctype *restrict to = out;                                                                \
        Bits *g = s->g;                                                                          \
        PcgWord state = pcg_word(g->lanes), increment = pcg_word(g->lanes + 2);                  \
        bool has_half = g->has_half;                                                             \
        uint32_t half = g->half, count = (uint32_t)range + 1, threshold = 0;                     \
        for (int64_t i = 0; i < n;) {                                                            \
            uint32_t drawn = half;                                                               \
            if (!has_half) {                                                                     \
                uint64_t both = pcg_step(&state, increment);                                     \
                drawn = (uint32_t)both;                                                          \
                half = (uint32_t)(both >> 32);                                                   \
            }                                                                                    \
            has_half = !has_half;                                                                \
            uint64_t product = (uint64_t)drawn * count;                                          \
            if ((uint32_t)product < count) {                                                     \
                threshold = (UINT32_MAX - (uint32_t)range) % count;                              \
                if ((uint32_t)product < threshold) continue;                                     \
            }                                                                                    \
            to[i++] = (ctype)(low + (product >> 32));                                            \
        }                                                                                        \
        pcg_put_word(g->lanes, state);                                                           \
        g->has_half = has_half;                                                                  \
        g->half = half;                                                                          \
    }
FILL_PCG(fill_pcg_32, uint32_t)
FILL_PCG(fill_pcg_64, uint64_t)
#undef FILL_PCG

// Specialises the common case of RandomState, MT19937 with masking. A rejected number is written and then overwritten
// by the next one, which avoids a branch that would often be mispredicted.
#define FILL_MT(name, ctype)                                                                     \
    static void name(Source *s, uint64_t low, uint64_t range, void *out, int64_t n) {            \
        ctype *restrict to = out;                                                                \
        Bits *g = s->g;                                                                          \
        uint32_t mask = (uint32_t)mask_of(range), at = g->at;                                    \
        for (int64_t i = 0; i < n;) {                                                            \
            if (at >= MT_WORDS) {                                                                \
                bits_mt_refill(g);                                                               \
                at = 0;                                                                          \
            }                                                                                    \
            for (; at < MT_WORDS && i < n; at++) {                                               \
                uint32_t value = mt_tempered(g->words[at]) & mask;                               \
                to[i] = (ctype)(low + value);                                                    \
                i += value <= range;                                                             \
            }                                                                                    \
        }                                                                                        \
        g->at = at;                                                                              \
    }
FILL_MT(fill_mt_32, uint32_t)
FILL_MT(fill_mt_64, uint64_t)
#undef FILL_MT

typedef void (*FillFn)(Source *s, uint64_t low, uint64_t range, void *out, int64_t n);

static FillFn fill_of(DType type) {
    switch (dtype_size(type)) {
    case 1: return type == DT_BOOL ? fill_bool : fill_8;
    case 2: return fill_16;
    case 4: return fill_32;
    default: return fill_64;
    }
}

static FillFn fill_for(DType type, const Source *s, uint64_t range) {
    size_t size = range > 0 && range < UINT32_MAX ? dtype_size(type) : 0;
    bool pcg = !s->masked && s->g->obj.aux == BITS_PCG64, mt = s->masked && s->g->obj.aux == BITS_MT19937;
    if (size == 4 && (pcg || mt)) return pcg ? fill_pcg_32 : fill_mt_32;
    if (size == 8 && (pcg || mt)) return pcg ? fill_pcg_64 : fill_mt_64;
    return fill_of(type);
}

// --- Bounds ------------------------------------------------------------------------------------

typedef struct Limit {
    Value array; // owned, contiguous; V_UNDEF: the bound is `number`
    I128 number;
} Limit;

typedef struct IntRange {
    Source source;
    DType type;
    bool closed;
    Limit low, high;
} IntRange;

static I128 load_bound(const Limit *bound, const char *at) {
    if (!at) return bound->number;
    DType type = bound->array.array->dtype;
    Scalar s = dtype_load(type, at);
    if (dtype_kind(type) == DK_FLOAT) return (I128)fmax(fmin(s.f, 0x1p100), -0x1p100);
    return type == DT_UINT64 ? (I128)s.u : (I128)s.i;
}

static Status bound_number(Vm *vm, Value v, Limit *bound) {
    Scalar s;
    if (is_int(v)) {
        const I128 huge = (I128)1 << 100;
        if (!int_to_i128(v, &bound->number)) bound->number = int_sign(v) < 0 ? -huge : huge;
        return ST_OK;
    }
    bool floating = v.kind == K_FLOAT ||
                    (v.kind == K_SCALAR && dtype_kind((DType)v.aux) == DK_FLOAT);
    DType type = v.kind == K_SCALAR && v.aux == DT_UINT64 ? DT_UINT64 : DT_INT64;
    if (floating) { // converted as by int()
        double d;
        Value whole;
        Status st = op_as_double(vm, v, &d);
        if (st == ST_OK) st = int_from_double(vm, d, &whole);
        if (st != ST_OK) return st;
        st = bound_number(vm, whole, bound);
        release(vm, whole);
        return st;
    }
    Status st = scalar_from(vm, v, type, &s);
    if (st == ST_OK) bound->number = type == DT_UINT64 ? (I128)s.u : (I128)s.i;
    return st;
}

static Status take_bound(Vm *vm, Value v, Limit *bound) {
    Value array;
    if (!is_array_like(v)) return bound_number(vm, v, bound);
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_copy(vm, array, array.array->dtype, &bound->array);
    release(vm, array);
    if (st != ST_OK || bound->array.array->ndim > 0) return st;
    const char *at = array_fetch(vm, bound->array.array, FOR_RANDOM);
    if (at) bound->number = load_bound(bound, at);
    clear(vm, &bound->array);
    return at ? ST_OK : ST_ERROR;
}

static I128 least(DType type) {
    return type == DT_BOOL ? 0 : dtype_min(type);
}
static I128 most(DType type) {
    return type == DT_BOOL ? 1 : (I128)dtype_max(type);
}

// Finds the least and the largest element of a bound. *any: one is not 0.
static Status bound_extremes(Vm *vm, const Limit *bound, I128 *low, I128 *high, bool *any) {
    *low = *high = bound->number;
    *any = bound->number != 0;
    if (bound->array.kind == K_UNDEF) return ST_OK;
    Array *array = bound->array.array;
    const char *at = array_fetch(vm, array, FOR_RANDOM);
    if (!at) return ST_ERROR;
    int64_t n = array_size(array), width = (int64_t)dtype_size(array->dtype);
    for (int64_t i = 0; i < n; i++) {
        I128 x = load_bound(bound, at + i * width);
        if (i == 0 || x < *low) *low = x;
        if (i == 0 || x > *high) *high = x;
        *any |= x != 0;
    }
    return ST_OK;
}

static Status crossed(Vm *vm, const IntRange *range, bool any_low) {
    const char *text = any_low ? (range->closed ? "low > high" : "low >= high")
                               : (range->closed ? "high < 0" : "high <= 0");
    return vm_raise(vm, EXC_ValueError, "%s", text);
}

// Checks the bounds against the range of the type. *any_low: a lower bound is not 0, which the wording of crossed()
// depends on.
static Status check_limits(Vm *vm, const IntRange *range, bool *any_low) {
    I128 low, high, unused;
    bool any;
    if (bound_extremes(vm, &range->low, &low, &unused, any_low) != ST_OK ||
        bound_extremes(vm, &range->high, &unused, &high, &any) != ST_OK)
        return ST_ERROR;
    if (low < least(range->type))
        return vm_raise(vm, EXC_ValueError, "low is out of bounds for %s",
                        dtype_info[range->type].name);
    if (high - !range->closed > most(range->type))
        return vm_raise(vm, EXC_ValueError, "high is out of bounds for %s",
                        dtype_info[range->type].name);
    return ST_OK;
}

// --- numpy's integers and randint --------------------------------------------------------------

typedef struct Alike {
    Source *source;
    uint64_t low, span;
    FillFn fill;
} Alike;

static void fill_some(const void *ctx, Bits *g, void *out, int64_t n) {
    const Alike *alike = ctx;
    Source source = *alike->source, *from = alike->source; // the unused part of a draw stays in *from
    source.g = g;
    alike->fill(g == from->g ? from : &source, alike->low, alike->span, out, n);
}

// Returns the bits of the one draw that each number takes; 0: the number of draws varies. If the range has a power of
// two values, no draw is rejected.
static int draw_bits_of(DType type, uint64_t span) {
    if (dtype_size(type) < sizeof(uint32_t) || span == 0 || (span & (span + 1)) != 0) return 0;
    return span <= UINT32_MAX ? 32 : 64;
}

static Status fill_alike(Vm *vm, IntRange *range, const ArrayPart *part, int64_t n) {
    Alike alike = {.source = &range->source, .low = (uint64_t)range->low.number};
    alike.span = (uint64_t)(range->high.number - !range->closed - range->low.number);
    alike.fill = fill_for(range->type, &range->source, alike.span);
    const Filling filling = {.g = range->source.g, .fill = fill_some, .ctx = &alike, .width = dtype_size(range->type),
                             .draw_bits = draw_bits_of(range->type, alike.span)};
    return random_fill(vm, &filling, part, n);
}

// Returns whether numpy/random.ncr should make the integers from draws on the device. They must fit 32-bit draws, or
// no draw may be rejected.
static bool is_away(Vm *vm, const IntRange *range, uint64_t span, int ndim, const int64_t *shape) {
    const bool fits = dtype_size(range->type) >= sizeof(uint32_t) && !range->source.masked && ndim > 0 && span > 0;
    return fits && (span <= UINT32_MAX || draw_bits_of(range->type, span)) &&
           random_is_away(vm, range->source.g, random_size(ndim, shape));
}

static Status lowest_and_span(Vm *vm, const IntRange *range, uint64_t span, Value *out) {
    Value items[2];
    const I128 low = range->low.number;
    Status st = int_from_u64(vm, span, &items[1]);
    if (st != ST_OK) return st;
    st = int_from_i128(vm, low, &items[0]);
    if (st == ST_OK) {
        st = tuple_of(vm, items, 2, out);
        release(vm, items[0]);
    }
    release(vm, items[1]);
    return st;
}

static Status integers_alike(Vm *vm, IntRange *range, Value size, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim = 0;
    bool any_low;
    Status st = size.kind == K_NONE ? ST_OK : random_shape(vm, size, shape, &ndim);
    if (st != ST_OK) return st;
    bool empty = false;
    for (int i = 0; i < ndim; i++) empty |= shape[i] == 0;
    if (empty) return array_new(vm, range->type, ndim, shape, ROOM_HOST, out);
    if (check_limits(vm, range, &any_low) != ST_OK) return ST_ERROR;
    if (range->low.number > range->high.number - !range->closed)
        return crossed(vm, range, any_low);
    const uint64_t span = (uint64_t)(range->high.number - !range->closed - range->low.number);
    if (is_away(vm, range, span, ndim, shape)) return lowest_and_span(vm, range, span, out);
    Value array;
    ArrayPart part;
    st = array_new_part(vm, range->type, ndim, shape, &array, &part);
    if (st != ST_OK) return st;
    st = fill_alike(vm, range, &part, array_size(array.array));
    if (st == ST_OK && size.kind == K_NONE) st = array_to_scalar(vm, &array);
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

// Goes through the elements with both bounds. ST_STOP: the bounds of one are crossed. If `to` is not NULL, draws each
// element.
static Status walk(Vm *vm, IntRange *range, const View *views, int64_t n, char *to) {
    int64_t index[NDIM_MAX] = {0}, offsets[2] = {0};
    Limit *bounds[2] = {&range->low, &range->high};
    const char *from[2] = {NULL, NULL};
    int64_t width = (int64_t)dtype_size(range->type);
    FillFn fill = fill_of(range->type);
    for (int i = 0; i < 2; i++) {
        if (bounds[i]->array.kind == K_UNDEF) continue;
        from[i] = array_fetch(vm, bounds[i]->array.array, FOR_RANDOM);
        if (!from[i]) return ST_ERROR;
    }
    for (int64_t k = 0; k < n; k++) {
        I128 low = load_bound(bounds[0], from[0] ? from[0] + offsets[0] : NULL);
        I128 last = load_bound(bounds[1], from[1] ? from[1] + offsets[1] : NULL) - !range->closed;
        if (low > last) return ST_STOP;
        if (to) fill(&range->source, (uint64_t)low, (uint64_t)(last - low), to + k * width, 1);
        random_step(views, 2, index, offsets);
    }
    return ST_OK;
}

static void bound_view(const Limit *bound, View *view) {
    *view = (View){.dtype = DT_INT64};
    if (bound->array.kind != K_UNDEF) array_view(bound->array.array, view);
}

static Status integers_each(Vm *vm, IntRange *range, Value size, Value *out) {
    View views[2];
    int64_t shape[NDIM_MAX], n = 1;
    int ndim;
    bool any_low;
    Value array;
    Status st = check_limits(vm, range, &any_low);
    if (st != ST_OK) return st;
    bound_view(&range->low, &views[0]);
    bound_view(&range->high, &views[1]);
    const View *both[2] = {&views[0], &views[1]};
    if (shapes_broadcast(vm, both, 2, shape, &ndim) != ST_OK) return ST_ERROR;
    if (random_broadcast(vm, views, 2, size, true, shape, &ndim) != ST_OK) return op_refused(vm);
    for (int i = 0; i < ndim; i++) n *= shape[i];
    st = walk(vm, range, views, n, NULL);
    if (st == ST_STOP) return crossed(vm, range, any_low);
    if (st == ST_OK) st = array_new(vm, range->type, ndim, shape, ROOM_HOST, &array);
    if (st != ST_OK) return st;
    char *to = array_write(vm, array.array);
    st = to ? walk(vm, range, views, n, to) : ST_ERROR;
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

static Status fn_integers(Vm *vm, const Value *args, Value *out) {
    IntRange range = {.source = {.g = bits_of(vm, args[0])}};
    if (!range.source.g) return ST_ERROR;
    Status st = dtype_from(vm, args[4], DT_INT64, &range.type);
    if (st == ST_OK && dtype_kind(range.type) == DK_FLOAT)
        st = vm_raise(vm, EXC_TypeError, "an integer type is needed");
    if (st == ST_OK) st = op_truth(vm, args[5], &range.closed);
    if (st == ST_OK) st = op_truth(vm, args[6], &range.source.masked);
    if (st == ST_OK) st = take_bound(vm, args[1], &range.low);
    if (st == ST_OK) st = take_bound(vm, args[2], &range.high);
    bool alike = range.low.array.kind == K_UNDEF && range.high.array.kind == K_UNDEF;
    if (st == ST_OK)
        st = alike ? integers_alike(vm, &range, args[3], out)
                   : integers_each(vm, &range, args[3], out);
    release(vm, range.low.array);
    release(vm, range.high.array);
    return st;
}

// --- Raw draws ---------------------------------------------------------------------------------

static void fill_raw(const void *ctx, Bits *g, void *out, int64_t n) {
    const Filling *f = ctx;
    for (int64_t i = 0; i < n; i++)
        if (f->width == sizeof(uint64_t)) ((uint64_t *)out)[i] = bits_u64(g);
        else ((uint32_t *)out)[i] = bits_u32(g);
}

static Status take_draws(Vm *vm, const Value *args, int64_t *count, int64_t *bits) {
    if (array_long(vm, args[1], count) != ST_OK || array_long(vm, args[2], bits) != ST_OK) return op_refused(vm);
    if (*count >= 0 && (*bits == 32 || *bits == 64)) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "draws are of 32 or 64 bits");
}

// draws(bits, count, width): returns the next draws as an array, without advancing the generator.
static Status fn_draws(Vm *vm, const Value *args, Value *out) {
    const Bits *g = bits_of(vm, args[0]);
    int64_t count, bits;
    Value array;
    View to;
    if (!g || take_draws(vm, args, &count, &bits) != ST_OK) return ST_ERROR;
    Bits copy = *g;
    Filling f = {.g = &copy, .fill = fill_raw, .ctx = &f, .width = (size_t)bits / 8, .draw_bits = (int)bits};
    Status st = array_new(vm, bits == 64 ? DT_UINT64 : DT_UINT32, 1, &count, ROOM_PLACED, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &to);
    if (random_is_away(vm, g, count)) {
        st = random_record(vm, &f, &to);
    } else {
        char *at = array_write(vm, array.array);
        st = at ? random_fill(vm, &f, &(ArrayPart){at, 0, count}, count) : ST_ERROR;
    }
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

static Status fn_skip(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    int64_t count, bits;
    if (!g || take_draws(vm, args, &count, &bits) != ST_OK) return ST_ERROR;
    if (bits == 64) bits_skip_64(g, (uint64_t)count);
    else bits_skip_32(g, (uint64_t)count);
    *out = V_NONE;
    return ST_OK;
}

// --- Permutations and samples ------------------------------------------------------------------

static Status shuffle_from(Vm *vm, Bits *g, int64_t *items, int64_t n, int64_t first, bool masked) {
    for (int64_t i = n - 1; i >= first; i--) {
        int64_t j = (int64_t)draw_below(g, (uint64_t)i, masked), held = items[j];
        items[j] = items[i];
        items[i] = held;
        if (i % 65536 == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

// Makes an array of int64 and returns its elements; NULL: an exception is set.
static int64_t *new_indexes(Vm *vm, int64_t n, Value *array) {
    if (array_new(vm, DT_INT64, 1, &n, ROOM_HOST, array) != ST_OK) return NULL;
    int64_t *items = (int64_t *)array_write(vm, array->array);
    if (!items) release(vm, *array);
    return items;
}

// Makes the array 0 … n-1 and shuffles it from the last position down to `first` (R. A. Fisher and F. Yates, 1938; in
// place: R. Durstenfeld, CACM 7(7), 1964).
static Status permuted(Vm *vm, Bits *g, int64_t n, int64_t first, bool masked, Value *out) {
    Value array;
    int64_t *items = new_indexes(vm, n, &array);
    if (!items) return ST_ERROR;
    for (int64_t i = 0; i < n; i++) items[i] = i;
    Status st = shuffle_from(vm, g, items, n, first, masked);
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

static Status fn_permutation(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    int64_t n;
    if (!g) return ST_ERROR;
    if (array_long(vm, args[1], &n) != ST_OK) return op_refused(vm);
    return permuted(vm, g, n > 0 ? n : 0, 1, true, out);
}

#define SHUFFLE(name, type)                                                                      \
    static Status name(Vm *vm, Bits *g, char *at, int64_t stride, int64_t n) {                   \
        for (int64_t i = n - 1; i > 0; i--) {                                                    \
            type *to = (type *)(at + (int64_t)draw_below(g, (uint64_t)i, true) * stride);        \
            type *from = (type *)(at + i * stride), held = *to;                                  \
            *to = *from;                                                                         \
            *from = held;                                                                        \
            if (i % 65536 == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;                         \
        }                                                                                        \
        return ST_OK;                                                                            \
    }
typedef struct Element16 {
    uint64_t halves[2];
} Element16;
SHUFFLE(shuffle_1, uint8_t)
SHUFFLE(shuffle_2, uint16_t)
SHUFFLE(shuffle_4, uint32_t)
SHUFFLE(shuffle_8, uint64_t)
SHUFFLE(shuffle_16, Element16)
#undef SHUFFLE

// shuffle(bits, row): shuffles a vector in place, into the order of permutation(bits, len(row)).
static Status fn_shuffle(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    if (!g) return ST_ERROR;
    if (args[1].kind != K_ARRAY || args[1].array->ndim != 1)
        return vm_raise(vm, EXC_TypeError, "an array of one dimension is required");
    Array *row = args[1].array;
    Status st = array_check_writeable(vm, row, "array");
    if (st != ST_OK) return st;
    int64_t n = array_shape(row)[0], stride = array_strides(row)[0];
    char *at = n > 1 && array_fetch(vm, row, FOR_RANDOM) ? array_write(vm, row) : NULL;
    if (n > 1 && !at) return ST_ERROR;
    *out = V_NONE;
    switch (n > 1 ? dtype_size(row->dtype) : 0) {
    case 0: return ST_OK;
    case 1: return shuffle_1(vm, g, at, stride, n);
    case 2: return shuffle_2(vm, g, at, stride, n);
    case 4: return shuffle_4(vm, g, at, stride, n);
    case 8: return shuffle_8(vm, g, at, stride, n);
    default: return shuffle_16(vm, g, at, stride, n);
    }
}

typedef struct IndexSet {
    uint64_t *slots; // UINT64_MAX: empty
    uint64_t mask;
} IndexSet;

// Adds a value. Returns false if the set has it already.
static bool set_add(IndexSet *set, uint64_t value) {
    uint64_t at = value & set->mask;
    while (set->slots[at] != UINT64_MAX && set->slots[at] != value) at = (at + 1) & set->mask;
    if (set->slots[at] == value) return false;
    set->slots[at] = value;
    return true;
}

// Draws a sample by R. W. Floyd's algorithm (J. Bentley and B. Floyd, "A sample of brilliance", CACM 30(9), 1987).
static Status floyd(Vm *vm, Bits *g, int64_t population, int64_t *items, int64_t size) {
    uint64_t least_size = (uint64_t)(1.2 * (double)size);
    IndexSet set = {.mask = least_size ? mask_of(least_size) : 0};
    size_t bytes = (size_t)(set.mask + 1) * sizeof *set.slots;
    set.slots = mem_alloc(&vm->mem, bytes);
    if (!set.slots) return vm_no_memory(vm);
    memset(set.slots, 0xff, bytes);
    for (int64_t i = 0, j = population - size; i < size; i++, j++) {
        uint64_t value = draw_below(g, (uint64_t)j, false);
        if (!set_add(&set, value)) {
            value = (uint64_t)j;
            set_add(&set, value);
        }
        items[i] = (int64_t)value;
    }
    mem_free(&vm->mem, set.slots, bytes);
    return ST_OK;
}

// sample(bits, population, size, shuffle): draws `size` different numbers below `population`. For large samples it
// takes the end of a permutation, under the same condition as NumPy, since the two algorithms draw different numbers.
static Status fn_sample(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    int64_t population, size;
    bool shuffled;
    Value array;
    if (!g) return ST_ERROR;
    if (array_long(vm, args[1], &population) != ST_OK || array_long(vm, args[2], &size) != ST_OK ||
        op_truth(vm, args[3], &shuffled) != ST_OK)
        return op_refused(vm);
    if (size < 0 || size > population)
        return vm_raise(vm, EXC_ValueError, "a sample cannot be that large");
    if (population > 10000 && size > population / (shuffled ? 50 : 20)) {
        int64_t first = population - size > 1 ? population - size : 1;
        return permuted(vm, g, population, first, false, out);
    }
    int64_t *items = new_indexes(vm, size, &array);
    if (!items) return ST_ERROR;
    Status st = floyd(vm, g, population, items, size);
    if (st == ST_OK && shuffled) st = shuffle_from(vm, g, items, size, 1, false);
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

// --- Weights -----------------------------------------------------------------------------------

static int64_t search(const double *sorted, int64_t n, double x) {
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (x < sorted[middle]) high = middle;
        else low = middle + 1;
    }
    return low;
}

// search(sorted, values): returns for each value the number of elements of `sorted` that are not larger, as
// searchsorted(side='right'). Both arrays are contiguous float64.
static Status fn_search(Vm *vm, const Value *args, Value *out) {
    Value array;
    for (int i = 0; i < 2; i++)
        if (args[i].kind != K_ARRAY || args[i].array->dtype != DT_FLOAT64 ||
            !array_is_contiguous(args[i].array))
            return vm_raise(vm, EXC_TypeError, "contiguous arrays of float64 are needed");
    Array *sorted = args[0].array, *wanted = args[1].array;
    Status st = array_new(vm, DT_INT64, wanted->ndim, array_shape(wanted), ROOM_HOST, &array);
    if (st != ST_OK) return st;
    const double *from = (const double *)array_fetch(vm, sorted, FOR_RANDOM);
    const double *x = (const double *)array_fetch(vm, wanted, FOR_RANDOM);
    int64_t *to = (int64_t *)array_write(vm, array.array), n = array_size(wanted);
    if (!from || !x || !to) {
        release(vm, array);
        return ST_ERROR;
    }
    for (int64_t i = 0; i < n; i++) to[i] = search(from, array_size(sorted), x[i]);
    *out = array;
    return ST_OK;
}

// Adds with compensation (W. Kahan, "Further remarks on reducing truncation errors", CACM 8(1), 1965).
double random_kahan_sum(const double *x, int64_t n) {
    double sum = n > 0 ? x[0] : 0, lost = 0;
    for (int64_t i = 1; i < n; i++) {
        double y = x[i] - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    return sum;
}

static Status fn_kahan_sum(Vm *vm, const Value *args, Value *out) {
    Value array;
    Status st = array_from(vm, args[0], DT_FLOAT64, &array);
    if (st != ST_OK) return st;
    Value whole;
    st = array_contiguous(vm, array, &whole);
    release(vm, array);
    if (st != ST_OK) return st;
    const double *x = (const double *)array_fetch(vm, whole.array, FOR_RANDOM);
    *out = v_float(x ? random_kahan_sum(x, array_size(whole.array)) : 0);
    release(vm, whole);
    return x ? ST_OK : ST_ERROR;
}

const NativeDef numpy_random_integers[] = {
    {"integers", "bits, low, high, size, dtype, closed, masked, /", fn_integers, NULL, PURE},
    {"permutation", "bits, n, /", fn_permutation, NULL, PURE},
    {"shuffle", "bits, row, /", fn_shuffle, NULL, PURE},
    {"sample", "bits, population, size, shuffle, /", fn_sample, NULL, PURE},
    {"draws", "bits, count, width, /", fn_draws, NULL, PURE},
    {"skip", "bits, count, width, /", fn_skip, NULL, PURE},
    {"search", "sorted, values, /", fn_search, NULL, PURE},
    {"kahan_sum", "values, /", fn_kahan_sum, NULL, PURE},
    {0},
};
