// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fills arrays with variates of a distribution. Its parameters are numbers or arrays; size= and out= give the shape.

#include <math.h>
#include <string.h>

#include "stdlib/numpy/random.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- The table ---------------------------------------------------------------------------------

// The range that a parameter must be in.
typedef enum Rule {
    RULE_ANY,
    RULE_NOT_NEGATIVE, // >= 0 (not -0.0), or NaN
    RULE_POSITIVE,     // > 0, or NaN
    RULE_UP_TO_ONE,    // [0, 1]
    RULE_ABOVE_ZERO,   // (0, 1]
    RULE_BELOW_ONE,    // [0, 1)
    RULE_ABOVE_ONE,    // > 1
    RULE_FROM_ONE,     // >= 1
    RULE_POISSON,      // >= 0, and small enough for results of 64 bits
} Rule;

enum { PARAMETERS = 3 };

typedef struct Parameter {
    const char *name; // NULL: there is none
    Rule rule;
    DType type;
} Parameter;

typedef struct Distribution {
    const char *name;
    size_t len; // of the name
    DType type;
    Parameter parameters[PARAMETERS];
    bool one_draw; // a number takes exactly one draw of its own width
    bool is_uniform; // numbers are uniform in [0, 1), perhaps scaled and shifted (UNIFORM in random.def)
    // Writes n numbers with the same parameters.
    void (*fill)(Bits *g, const Scalar *p, void *out, int64_t n);
} Distribution;

#define CTYPE_FLOAT64 double
#define CTYPE_FLOAT32 float
#define CTYPE_INT64 int64_t
#define PREPARED(name, TYPE, parameters, preparation, ...)                             \
    static void fill_##name(Bits *g, const Scalar *p, void *out, int64_t n) {          \
        CTYPE_##TYPE *restrict to = out; /* does not alias the state, which so stays in registers */ \
        (void)p;                                                                       \
        preparation;                                                                   \
        for (int64_t i = 0; i < n; i++) to[i] = __VA_ARGS__;                           \
    }
#define DISTRIBUTION(name, TYPE, parameters, ...) PREPARED(name, TYPE, , (void)0, __VA_ARGS__)
#define ONE_DRAW(name, TYPE, parameters, ...) PREPARED(name, TYPE, , (void)0, __VA_ARGS__)
#define UNIFORM(name, TYPE, parameters, ...) PREPARED(name, TYPE, , (void)0, __VA_ARGS__)
#define P(name, rule)
#define W(name, rule)
#include "stdlib/numpy/random.def"
#undef DISTRIBUTION
#undef ONE_DRAW
#undef UNIFORM
#undef PREPARED
#undef P
#undef W

static const Distribution distributions[] = {
#define DISTRIBUTION(name, TYPE, parameters, ...) \
    {#name, sizeof #name - 1, DT_##TYPE, parameters, false, false, fill_##name},
#define ONE_DRAW(name, TYPE, parameters, ...) \
    {#name, sizeof #name - 1, DT_##TYPE, parameters, true, false, fill_##name},
#define UNIFORM(name, TYPE, parameters, ...) \
    {#name, sizeof #name - 1, DT_##TYPE, parameters, true, true, fill_##name},
#define PREPARED(name, TYPE, parameters, ...) \
    {#name, sizeof #name - 1, DT_##TYPE, parameters, false, false, fill_##name},
#define P(name, rule) {name, RULE_##rule, DT_FLOAT64},
#define W(name, rule) {name, RULE_##rule, DT_INT64},
#include "stdlib/numpy/random.def"
#undef DISTRIBUTION
#undef ONE_DRAW
#undef UNIFORM
#undef PREPARED
#undef P
#undef W
};

static const Distribution *find_distribution(Vm *vm, Value name) {
    size_t count = sizeof distributions / sizeof *distributions;
    for (size_t i = 0; name.kind == K_STR && i < count; i++)
        if (name.str->len == distributions[i].len && str_is(name.str, distributions[i].name))
            return &distributions[i];
    vm_raise(vm, EXC_ValueError, "no such distribution");
    return NULL;
}

// --- Shapes ------------------------------------------------------------------------------------

Status random_shape(Vm *vm, Value size, int64_t *shape, int *ndim) {
    Status st = shape_from(vm, size, shape, ndim);
    for (int i = 0; st == ST_OK && i < *ndim; i++)
        if (shape[i] < 0) st = vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    return st;
}

static Status raise_text(Vm *vm, ExcKind kind, Buf *text) {
    buf_putc(text, '\0');
    Status st = text->failed ? vm_no_memory(vm) : vm_raise(vm, kind, "%s", text->data);
    buf_free(text);
    return st;
}

static Status wrong_size(Vm *vm, const int64_t *size, int size_ndim, const int64_t *shape,
                         int ndim) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "Output size ");
    shape_text(size, size_ndim, &text);
    buf_puts(&text, " is not compatible with broadcast dimensions of inputs ");
    shape_text(shape, ndim, &text);
    buf_puts(&text, ".");
    return raise_text(vm, EXC_ValueError, &text);
}

static bool shapes_match(const View *a, const View *b) {
    for (int d = 1; d <= a->ndim && d <= b->ndim; d++) {
        int64_t x = a->shape[a->ndim - d], y = b->shape[b->ndim - d];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}

// Raises ValueError about the first two shapes that do not broadcast, with the message of np.broadcast.
static Status mismatch(Vm *vm, const View *const *views, int count) {
    Buf text;
    int a = 0, b = 1;
    while (b < count && shapes_match(views[a], views[b]))
        if (++a == b) a = 0, b++;
    if (b == count) return vm_raise(vm, EXC_ValueError, "shape mismatch");
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
                    "between arg ");
    buf_printf(&text, "%d with shape ", a);
    shape_text(views[a]->shape, views[a]->ndim, &text);
    buf_printf(&text, " and arg %d with shape ", b);
    shape_text(views[b]->shape, views[b]->ndim, &text);
    buf_puts(&text, ".");
    return raise_text(vm, EXC_ValueError, &text);
}

Status random_broadcast(Vm *vm, View *views, int count, Value size, bool result_last,
                        int64_t *shape, int *ndim) {
    const View *all[PARAMETERS + 1];
    View wanted = {0};
    int used = 0;
    bool sized = size.kind != K_NONE;
    if (sized && random_shape(vm, size, wanted.shape, &wanted.ndim) != ST_OK) return op_refused(vm);
    if (sized && !result_last) all[used++] = &wanted;
    for (int i = 0; i < count; i++) all[used++] = &views[i];
    if (sized && result_last) all[used++] = &wanted;
    if (shapes_broadcast(vm, all, used, shape, ndim) != ST_OK) {
        vm_clear_error(vm);
        return mismatch(vm, all, used);
    }
    if (sized && (*ndim != wanted.ndim || memcmp(shape, wanted.shape, (size_t)*ndim * 8) != 0))
        return wrong_size(vm, wanted.shape, wanted.ndim, shape, *ndim);
    for (int i = 0; i < count; i++) view_broadcast(&views[i], shape, *ndim);
    return ST_OK;
}

void random_step(const View *views, int count, int64_t *index, int64_t *offsets) {
    for (int d = views[0].ndim - 1; d >= 0; d--) {
        bool more = ++index[d] < views[0].shape[d];
        for (int i = 0; i < count; i++)
            offsets[i] += more ? views[i].strides[d] : views[i].strides[d] * (1 - index[d]);
        if (more) return;
        index[d] = 0;
    }
}

// --- Parameters --------------------------------------------------------------------------------

typedef struct Draw {
    const Distribution *what;
    Bits *g;
    int count;                // number of parameters
    Scalar p[PARAMETERS];     // the parameters that are numbers
    Value arrays[PARAMETERS]; // those that are arrays, owned, contiguous; V_UNDEF for numbers
    bool any_array;
} Draw;

static Status not_safe(Vm *vm, DType from) {
    return vm_raise(vm, EXC_TypeError, "Cannot cast array data from dtype('%s') to dtype('int64') "
                    "according to the rule 'safe'", dtype_info[from].name);
}

static Status take_array(Vm *vm, Draw *draw, int i, Value v) {
    DType type = draw->what->parameters[i].type;
    Value any, array = V_UNDEF;
    Status st = array_from(vm, v, DT_NONE, &any);
    if (st != ST_OK) return st;
    if (!dtype_can_cast(any.array->dtype, type, type == DT_INT64 ? CAST_SAFE : CAST_UNSAFE))
        st = not_safe(vm, any.array->dtype);
    if (st == ST_OK) st = array_copy(vm, any, type, &array);
    release(vm, any);
    if (st != ST_OK) return st;
    if (array.array->ndim > 0) {
        draw->arrays[i] = array;
        draw->any_array = true;
        return ST_OK;
    }
    const char *at = array_fetch(vm, array.array, FOR_RANDOM);
    if (at) draw->p[i] = dtype_load(type, at);
    release(vm, array);
    return at ? ST_OK : ST_ERROR;
}

static Status take_parameter(Vm *vm, Draw *draw, int i, Value v) {
    DType type = draw->what->parameters[i].type;
    if (is_array_like(v)) return take_array(vm, draw, i, v);
    return scalar_from(vm, v, type, &draw->p[i]);
}

// Checks a parameter. Returns NULL, or the error message with %s for the parameter's name.
static const char *broken(Rule rule, double x, bool array) {
    const double largest_mean = 9223372006484771000.; // the mean plus ten standard deviations fits int64
    switch (rule) {
    case RULE_ANY: return NULL;
    case RULE_NOT_NEGATIVE: return isnan(x) || !signbit(x) ? NULL : "%s < 0";
    case RULE_POSITIVE: return x <= 0 ? "%s <= 0" : NULL;
    case RULE_UP_TO_ONE:
        if (x >= 0 && x <= 1) return NULL;
        return array ? "%s < 0, %s > 1 or %s contains NaNs" : "%s < 0, %s > 1 or %s is NaN";
    case RULE_ABOVE_ZERO:
        return x > 0 && x <= 1 ? NULL : "%s <= 0, %s > 1 or %s contains NaNs";
    case RULE_BELOW_ONE:
        if (x >= 0 && x < 1) return NULL;
        return array ? "%s < 0, %s >= 1 or %s contains NaNs" : "%s < 0, %s >= 1 or %s is NaN";
    case RULE_ABOVE_ONE:
        if (x > 1) return NULL;
        return array ? "%s <= 1 or %s contains NaNs" : "%s <= 1 or %s is NaN";
    case RULE_FROM_ONE:
        if (x >= 1) return NULL;
        return array ? "%s < 1 or %s contains NaNs" : "%s < 1 or %s is NaN";
    case RULE_POISSON:
        if (array && !(x <= largest_mean)) return "%s value too large";
        if (!(x >= 0)) return array ? "%s < 0 or %s contains NaNs" : "%s < 0 or %s is NaN";
        return x <= largest_mean ? NULL : "%s value too large";
    }
    return NULL;
}

// Raises ValueError with a message in which each %s is replaced by the name.
static Status raise_broken(Vm *vm, const char *format, const char *name) {
    Buf text;
    buf_init(&text, &vm->mem);
    for (const char *c = format; *c; c++) {
        if (*c != '%') buf_putc(&text, *c);
        else buf_puts(&text, name), c++;
    }
    return raise_text(vm, EXC_ValueError, &text);
}

static double as_double(DType type, Scalar s) {
    return type == DT_INT64 ? (double)s.i : s.f;
}

static Status check_array(Vm *vm, const Parameter *parameter, Array *array) {
    const char *at = array_fetch(vm, array, FOR_RANDOM), *problem = NULL;
    if (!at) return ST_ERROR;
    int64_t size = array_size(array);
    for (int64_t i = 0; !problem && i < size; i++) {
        Scalar s = dtype_load(parameter->type, at + 8 * i);
        problem = broken(parameter->rule, as_double(parameter->type, s), true);
    }
    return problem ? raise_broken(vm, problem, parameter->name) : ST_OK;
}

static Status check_parameter(Vm *vm, const Draw *draw, int i) {
    const Parameter *parameter = &draw->what->parameters[i];
    if (draw->arrays[i].kind != K_UNDEF)
        return check_array(vm, parameter, draw->arrays[i].array);
    double x = as_double(parameter->type, draw->p[i]);
    const char *problem = broken(parameter->rule, x, draw->any_array);
    return problem ? raise_broken(vm, problem, parameter->name) : ST_OK;
}

static Status take_parameters(Vm *vm, Draw *draw, const Value *args) {
    Status st = ST_OK;
    while (draw->count < PARAMETERS && draw->what->parameters[draw->count].name) draw->count++;
    for (int i = 0; st == ST_OK && i < draw->count; i++)
        st = take_parameter(vm, draw, i, args[i]);
    for (int i = 0; st == ST_OK && i < draw->count; i++) st = check_parameter(vm, draw, i);
    return st;
}

// --- Results -----------------------------------------------------------------------------------

static Status single(Vm *vm, Draw *draw, Value *out) {
    union {
        double f;
        float narrow;
        int64_t i;
    } one;
    draw->what->fill(draw->g, draw->p, &one, 1);
    if (vm_poll(vm) != ST_OK) return ST_ERROR;
    if (draw->what->type == DT_FLOAT32) one.f = (double)one.narrow;
    *out = draw->what->type == DT_INT64 ? v_int(one.i) : v_float(one.f);
    return ST_OK;
}

static void fill_some(const void *ctx, Bits *g, void *out, int64_t n) {
    const Draw *draw = ctx;
    draw->what->fill(g, draw->p, out, n);
}

Status random_first(Vm *vm, const Filling *f, DType type, int64_t count, Value *out) {
    Status st = array_new(vm, type, 1, &count, ROOM_HOST, out);
    if (st != ST_OK) return st;
    char *at = array_write(vm, out->array);
    if (at) f->fill(f->ctx, f->g, at, count);
    else release(vm, *out);
    return at ? ST_OK : ST_ERROR;
}

// Makes a Filling for numbers that all have the same parameters.
static Filling alike(Draw *draw) {
    const size_t width = dtype_size(draw->what->type);
    return (Filling){.g = draw->g, .fill = fill_some, .ctx = draw, .width = width,
                     .draw_bits = draw->what->one_draw ? (int)(8 * width) : 0};
}

static bool is_away(Vm *vm, const Draw *draw, int64_t count) {
    return draw->what->is_uniform && !draw->any_array && random_is_away(vm, draw->g, count);
}

static void fill_unscaled(const void *ctx, Bits *g, void *out, int64_t n) {
    const Draw *draw = ctx;
    if (draw->what->type == DT_FLOAT64) fill_random(g, draw->p, out, n);
    else fill_random_float(g, draw->p, out, n);
}

static Status draw_away(Vm *vm, Draw *draw, Array *array) {
    Filling filling = alike(draw);
    View to;
    filling.fill = fill_unscaled;
    array_view(array, &to);
    Status st = random_record(vm, &filling, &to);
    return st == ST_OK && draw->count > 0 ? random_scale(vm, array, draw->p[0], draw->p[1]) : st;
}

static Status fill_each(Vm *vm, Draw *draw, const View *views, char *to, int64_t n) {
    int64_t index[NDIM_MAX] = {0}, offsets[PARAMETERS] = {0};
    int64_t width = (int64_t)dtype_size(draw->what->type);
    const char *from[PARAMETERS] = {NULL};
    for (int i = 0; i < draw->count; i++) {
        if (draw->arrays[i].kind == K_UNDEF) continue;
        from[i] = array_fetch(vm, draw->arrays[i].array, FOR_RANDOM);
        if (!from[i]) return ST_ERROR;
    }
    for (int64_t k = 0; k < n; k++, to += width) {
        for (int i = 0; i < draw->count; i++)
            if (from[i])
                draw->p[i] = dtype_load(draw->what->parameters[i].type, from[i] + offsets[i]);
        draw->what->fill(draw->g, draw->p, to, 1);
        random_step(views, draw->count, index, offsets);
        if (vm_interrupted(vm) && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status fill(Vm *vm, Draw *draw, const View *views, Array *array) {
    if (graph_is_unknown(array->storage)) return ST_OK;
    int64_t n = array_size(array);
    if (is_away(vm, draw, n)) return draw_away(vm, draw, array);
    const Filling filling = alike(draw);
    char *to = array_write(vm, array);
    if (!to) return ST_ERROR;
    return draw->any_array ? fill_each(vm, draw, views, to, n) : random_fill(vm, &filling, &(ArrayPart){to, 0, n}, n);
}

static Status check_size(Vm *vm, Value size, Array *array) {
    int64_t shape[NDIM_MAX];
    int ndim;
    if (size.kind == K_NONE) return ST_OK;
    if (random_shape(vm, size, shape, &ndim) != ST_OK) return op_refused(vm);
    if (ndim == array->ndim && memcmp(shape, array_shape(array), (size_t)ndim * 8) == 0)
        return ST_OK;
    return vm_raise(vm, EXC_ValueError, "size must match out.shape when used together");
}

static Status check_into(Vm *vm, const Draw *draw, Value into, Value size) {
    if (into.kind == K_NONE) return ST_OK;
    if (into.kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "Cannot convert %s to numpy.ndarray",
                        type_name(vm, into));
    if (!array_is_contiguous(into.array) || into.array->readonly)
        return vm_raise(vm, EXC_ValueError, "Supplied output array must be %scontiguous, writable, "
                        "aligned, and in machine byte-order.",
                        draw->what->parameters[0].name ? "C-" : "");
    if (into.array->dtype != draw->what->type)
        return vm_raise(vm, EXC_TypeError, "Supplied output array has the wrong type. Expected %s, "
                        "got %s", dtype_info[draw->what->type].name,
                        dtype_info[into.array->dtype].name);
    return check_size(vm, size, into.array);
}

static Status find_shape(Vm *vm, const Draw *draw, Value size, Value into, View *views,
                         int64_t *shape, int *ndim) {
    Value whole = size;
    for (int i = 0; i < draw->count; i++) {
        views[i] = (View){.dtype = draw->what->parameters[i].type};
        if (draw->arrays[i].kind != K_UNDEF) array_view(draw->arrays[i].array, &views[i]);
    }
    if (into.kind == K_ARRAY) { // the shape of out= is used as size=
        *ndim = into.array->ndim;
        Value items[NDIM_MAX];
        for (int i = 0; i < *ndim; i++) items[i] = v_int(array_shape(into.array)[i]);
        Status st = tuple_of(vm, items, (size_t)*ndim, &whole);
        if (st != ST_OK) return st;
    }
    Status st = draw->any_array ? random_broadcast(vm, views, draw->count, whole, false, shape,
                                                 ndim)
                                : random_shape(vm, whole, shape, ndim);
    if (into.kind == K_ARRAY) release(vm, whole);
    return st;
}

// Makes a new array of numbers that all have the same parameters.
static Status draw_alike(Vm *vm, Draw *draw, int ndim, const int64_t *shape, Value *out) {
    const Filling filling = alike(draw);
    ArrayPart part;
    Value array;
    const bool away = is_away(vm, draw, random_size(ndim, shape));
    Status st = away ? array_new(vm, draw->what->type, ndim, shape, ROOM_PLACED, &array)
                     : array_new_part(vm, draw->what->type, ndim, shape, &array, &part);
    if (st != ST_OK) return st;
    st = away ? draw_away(vm, draw, array.array) : random_fill(vm, &filling, &part, array_size(array.array));
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

static Status draw_all(Vm *vm, Draw *draw, Value size, Value into, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim;
    View views[PARAMETERS];
    Value array;
    if (size.kind == K_NONE && into.kind == K_NONE && !draw->any_array) return single(vm, draw, out);
    Status st = find_shape(vm, draw, size, into, views, shape, &ndim);
    if (st != ST_OK) return st;
    if (into.kind != K_ARRAY && !draw->any_array) return draw_alike(vm, draw, ndim, shape, out);
    if (into.kind == K_ARRAY) array = retain(into);
    else st = array_new(vm, draw->what->type, ndim, shape, ROOM_HOST, &array);
    if (st != ST_OK) return st;
    st = fill(vm, draw, views, array.array);
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

static Status fn_draw(Vm *vm, const Value *args, Value *out) {
    Draw draw = {.g = bits_of(vm, args[0])};
    if (!draw.g) return ST_ERROR;
    draw.what = find_distribution(vm, args[1]);
    if (!draw.what) return ST_ERROR;
    Status st = check_into(vm, &draw, args[3], args[2]);
    if (st == ST_OK) st = take_parameters(vm, &draw, args + 4);
    if (st == ST_OK) st = draw_all(vm, &draw, args[2], args[3], out);
    for (int i = 0; i < PARAMETERS; i++) release(vm, draw.arrays[i]);
    return st;
}

const NativeDef numpy_random_draws[] = {
    {"draw", "bits, name, size, out, a=0, b=0, c=0, /", fn_draw, NULL, PURE},
    {0},
};
