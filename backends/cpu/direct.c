// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// One op's loop or vector function over a few elements, without a kernel: what a kernel would call, and so
// the same bits.

#include <string.h>

#include "backends/cpu/few.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"

// Room for the elements of an operand, beside where they are.
typedef struct Aside {
    _Alignas(BUFFER_ALIGN) char bytes[TILE * DTYPE_SIZE_MAX];
} Aside;

static char *address(const Storage *storage, int64_t offset) {
    return storage->buffer.host + offset;
}

// --- Operands ------------------------------------------------------------------------------------

static void repeat(DType type, const struct DirectOperand *number, int64_t count, char *to) {
    size_t size = dtype_size(type);
    dtype_store(type, to, dtype_convert(number->own, type, number->number));
    gather(to, 0, to + size, size, (size_t)count - 1);
}

static void collect(const View *view, char *at, char *to) {
    int inner = view->ndim - 1;
    size_t size = dtype_size(view->dtype), n = (size_t)view->shape[inner];
    const int64_t *strides[1] = {view->strides};
    int64_t index[NDIM_MAX];
    for (int d = 0; d < inner; d++) index[d] = 0;
    do {
        gather(at, view->strides[inner], to, size, n);
        to += n * size;
    } while (odometer_next(inner, view->shape, index, &at, strides, 1));
}

// The elements of an operand side by side, in the type: where they lie, or in the room.
static const char *fetch(const Cpu *cpu, const Direct *d, int i, DType type, Aside *room) {
    const struct DirectOperand *from = &d->operands[i];
    Aside aside;
    if (!from->storage) {
        repeat(type, from, d->elements, room->bytes);
        return room->bytes;
    }
    char *at = address(from->storage, from->offset);
    if (from->own == type && !from->view) return at;
    if (from->own == type) {
        collect(from->view, at, room->bytes);
        return room->bytes;
    }
    if (from->view) {
        collect(from->view, at, aside.bytes);
        at = aside.bytes;
    }
    cpu->loops->casts[type][from->own](at, at, NULL, room->bytes, (size_t)d->elements);
    return room->bytes;
}

// --- Operations ----------------------------------------------------------------------------------

// As reduce_whole.c has it for one block.
static bool reduce(const Cpu *cpu, const Direct *d, char *to) {
    Aside room, folded;
    OpId combine = d->op == AOP_REDUCE ? d->combine : op_info[d->op].combine;
    size_t size = dtype_size(d->loop), n = (size_t)d->elements;
    bool is_sum = combine == AOP_ADD && dtype_is_inexact(d->loop);
    bool in_order = !is_sum && op_in_order(combine, d->loop);
    if (in_order && (combine != AOP_MULTIPLY || (d->loop != DT_FLOAT64 && d->loop != DT_FLOAT32))) return false;
    flags_clear();
    const char *from = fetch(cpu, d, 0, d->loop, &room);
    if (op_info[d->op].identity == IDENTITY_NONE)
        memcpy(to, from, size);
    else
        dtype_store(d->loop, to, op_identity(d->op, d->loop));
    if (is_sum) {
        add_sum(d->loop, sum_run(cpu, d->loop, from, n, (int64_t)size), to);
        return true;
    }
    if (in_order) {
        combine_in_order(cpu, combine, d->loop, from, n, to);
        return true;
    }
    fold(cpu, combine, d->loop, from, n, folded.bytes);
    loop_of(cpu, combine, d->loop)(to, folded.bytes, NULL, to, 1);
    return true;
}

static void find_extreme(const Cpu *cpu, const Direct *d, char *to) {
    Aside room;
    DType own = d->operands[0].own;
    const char *from = fetch(cpu, d, 0, own, &room);
    int64_t place = extreme_place(own, from, d->elements, d->op == AOP_ARGMAX);
    memcpy(to, &place, sizeof place);
}

static bool map(Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    Aside rooms[3], before;
    size_t bytes = (size_t)d->elements * dtype_size(d->loop);
    const char *operands[3] = {out, out, out}; // of one array nobody asks for the others
    if (d->in_place) memcpy(before.bytes, out, bytes);
    flags_clear();
    for (int i = 0; i < d->count; i++) {
        DType type = d->op == AOP_WHERE && i == 0 ? DT_BOOL : d->loop;
        bool overwritten = d->operands[i].storage == d->to;
        operands[i] = overwritten ? before.bytes : fetch(cpu, d, i, type, &rooms[i]);
    }
    if (d->count <= 2 && (d->loop == DT_FLOAT32 || d->loop == DT_FLOAT64))
        cpu_function(cpu, d->op, d->loop, operands[0], operands[1], out, d->elements);
    else
        loop_of(cpu, d->op, d->loop)(operands[0], operands[1], operands[2], out,
                                     (size_t)d->elements);
    if (!flags_any() || !(flags_raised() & told)) return true;
    if (d->in_place) memcpy(out, before.bytes, bytes);
    return false;
}

// Whether every index names a place of the row; negative ones count from its end.
static bool are_inside(const Direct *d, const char *indexes) {
    for (int64_t i = 0, index; i < d->elements; i++) {
        memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
        if (index < -d->extent || index >= d->extent) return false;
    }
    return true;
}

static int64_t place(const Direct *d, const char *indexes, int64_t i) {
    int64_t index;
    memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
    return (index < 0 ? index + d->extent : index) * d->stride;
}

static bool take(const Direct *d, const char *row, const char *indexes, char *out) {
    size_t size = dtype_size(d->loop);
    if (!are_inside(d, indexes)) return false;
    for (int64_t i = 0; i < d->elements; i++)
        memcpy(out + i * (int64_t)size, row + place(d, indexes, i), size);
    return true;
}

static bool put(const Direct *d, const char *indexes, char *row) {
    char room[DTYPE_SIZE_MAX];
    const struct DirectOperand *values = &d->operands[1];
    size_t size = dtype_size(d->loop), step = values->storage ? size : 0;
    const char *from = values->storage ? address(values->storage, values->offset) : room;
    if (!are_inside(d, indexes)) return false;
    if (!values->storage)
        dtype_store(d->loop, room, dtype_convert(values->own, d->loop, values->number));
    for (int64_t i = 0; i < d->elements; i++, from += step)
        memcpy(row + place(d, indexes, i), from, size);
    return true;
}

// Likewise, but that values meet the elements. What they were is put back, last one first, where something is to be
// told.
static bool meet(const Cpu *cpu, const Direct *d, const char *indexes, char *row, uint32_t told) {
    char room[DTYPE_SIZE_MAX];
    Aside before;
    const size_t size = dtype_size(d->loop);
    const struct DirectOperand *values = &d->operands[1];
    const LoopFn loop = loop_of(cpu, d->combine, d->loop);
    size_t step = values->storage ? size : 0;
    const char *from = values->storage ? address(values->storage, values->offset) : room;
    if (!are_inside(d, indexes)) return false;
    if (!values->storage) dtype_store(d->loop, room, dtype_convert(values->own, d->loop, values->number));
    flags_clear();
    for (int64_t i = 0; i < d->elements; i++, from += step) {
        char *there = row + place(d, indexes, i);
        memcpy(before.bytes + (size_t)i * size, there, size);
        loop(there, from, NULL, there, 1);
    }
    if (!flags_any() || !(flags_raised() & told)) return true;
    for (int64_t i = d->elements; i-- > 0;) memcpy(row + place(d, indexes, i), before.bytes + (size_t)i * size, size);
    return false;
}

static void copy_beside(const Cpu *cpu, const Direct *d, char *out) {
    const struct DirectOperand *from = &d->operands[0];
    Aside room;
    char *at = from->storage ? address(from->storage, from->offset) : NULL;
    if (!at) {
        repeat(d->loop, from, d->elements, out);
        return;
    }
    if (from->view) {
        char *to = from->own == d->loop ? out : room.bytes;
        collect(from->view, at, to);
        at = to;
    }
    if (from->own != d->loop)
        cpu->loops->casts[d->loop][from->own](at, at, NULL, out, (size_t)d->elements);
    else if (at != out)
        memcpy(out, at, (size_t)d->elements * dtype_size(d->loop));
}

static void spread(const View *view, const char *from, char *to) {
    int inner = view->ndim - 1;
    size_t size = dtype_size(view->dtype), n = (size_t)view->shape[inner];
    const int64_t *strides[1] = {view->strides};
    int64_t index[NDIM_MAX];
    for (int d = 0; d < inner; d++) index[d] = 0;
    do {
        scatter(from, to, view->strides[inner], size, n);
        from += n * size;
    } while (odometer_next(inner, view->shape, index, &to, strides, 1));
}

static bool copy(const Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    Aside room;
    bool casts = d->operands[0].own != d->loop; // what moves as it is raises nothing, and reading flags takes its time
    if (casts) flags_clear();
    copy_beside(cpu, d, d->spread ? room.bytes : out);
    if (casts && flags_any() && flags_raised() & told) return false;
    if (d->spread) spread(d->spread, room.bytes, out);
    return true;
}

static void find_true(const Cpu *cpu, const Direct *d, int64_t *places) {
    Aside room;
    const char *truths = fetch(cpu, d, 0, DT_BOOL, &room);
    int64_t found = 0;
    for (int64_t i = 0; i < d->elements; i++) {
        places[found] = i;
        found += truths[i] != 0;
    }
    *d->found = found;
}

static bool dot(Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    const int64_t size = (int64_t)dtype_size(d->loop);
    const struct DirectOperand *a = &d->operands[0], *b = &d->operands[1];
    flags_clear();
    cpu_dot(cpu, (int)d->loop, address(a->storage, a->offset), size, address(b->storage, b->offset), size,
            d->elements, out, false);
    return !flags_any() || !(flags_raised() & told);
}

static bool sort(const Cpu *cpu, const Direct *d, char *out) {
    Aside room;
    return sort_few(cpu, d, fetch(cpu, d, 0, d->loop, &room), out);
}

static void look_up(const Cpu *cpu, const Direct *d, char *out) {
    Aside room;
    const char *wanted = fetch(cpu, d, 1, d->loop, &room);
    search_few(d, address(d->operands[0].storage, d->operands[0].offset), wanted, out);
}

static bool put_or_meet(const Cpu *cpu, const Direct *d, char *row, uint32_t told) {
    const char *indexes = address(d->operands[0].storage, d->operands[0].offset);
    return d->combines ? meet(cpu, d, indexes, row, told) : put(d, indexes, row);
}

static bool wrap(const Direct *d, char *indexes) {
    if (!are_inside(d, indexes)) return false;
    for (int64_t i = 0, index; i < d->elements; i++) {
        memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
        index += index < 0 ? d->extent : 0;
        memcpy(indexes + i * (int64_t)sizeof index, &index, sizeof index);
    }
    return true;
}

// How often each number below the extent, which all of them are, is there.
static void count(const Cpu *cpu, const Direct *d, char *out) {
    Aside room;
    const char *at = fetch(cpu, d, 0, DT_INT64, &room);
    int64_t *to = (int64_t *)out, number;
    memset(to, 0, (size_t)d->extent * sizeof *to);
    for (int64_t i = 0; i < d->elements; i++, at += sizeof number) {
        memcpy(&number, at, sizeof number);
        to[number]++;
    }
}

// Whoever makes a product gathers its flags.
static bool matmul(const Cpu *cpu, const Direct *d, char *out, uint32_t told) {
    const struct DirectOperand *a = &d->operands[0], *b = &d->operands[1];
    char *at[3] = {address(a->storage, a->offset), address(b->storage, b->offset), out};
    uint32_t flags = 0;
    stack_product(cpu, a->view, b->view, d->result, at, &flags);
    return !(flags & (told | FLAG_INTERRUPTED));
}

bool cpu_direct(void *ctx, const Direct *d, uint32_t told) {
    char *out = address(d->to, d->offset);
    cpu_ready(ctx);
    if (d->elements > TILE || told & FLAG_UNDERFLOW) return false;
    if (op_info[d->op].op_class == CLASS_REDUCTION)
        return reduce(ctx, d, out) && !(flags_any() && flags_raised() & told);
    if (d->result && (d->op == AOP_TAKE || d->op == AOP_PUT)) {
        char *at[2] = {address(d->operands[0].storage, d->operands[0].offset),
                       address(d->operands[1].storage, d->operands[1].offset)};
        select_few(ctx, d, at[d->op == AOP_TAKE ? 1 : 0], at[d->op == AOP_TAKE ? 0 : 1], out);
        return true;
    }
    switch (d->op) {
    case AOP_WRAP_INDEX: return wrap(d, out);
    case AOP_TAKE:
        return take(d, address(d->operands[0].storage, d->operands[0].offset),
                    address(d->operands[1].storage, d->operands[1].offset), out);
    case AOP_PUT: return put_or_meet(ctx, d, out, told);
    case AOP_MATMUL: return d->result ? matmul(ctx, d, out, told) : dot(ctx, d, out, told);
    case AOP_ARGMAX:
    case AOP_ARGMIN: find_extreme(ctx, d, out); return true;
    case AOP_SORT:
    case AOP_ARGSORT: return sort(ctx, d, out);
    case AOP_CONVOLVE:
        convolve_few(d, address(d->operands[0].storage, d->operands[0].offset),
                     address(d->operands[1].storage, d->operands[1].offset), out);
        return true;
    case AOP_BINCOUNT: count(ctx, d, out); return true;
    case AOP_SEARCHSORTED: look_up(ctx, d, out); return true;
    case AOP_NONZERO: find_true(ctx, d, (int64_t *)(void *)out); return true;
    case AOP_CAST: return copy(ctx, d, out, told);
    default: return map(ctx, d, out, told);
    }
}
