// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorts the entries of lines by index, adds up duplicates, drops zeros.

#include "stdlib/sparse/lines.h"

enum { RUN = 24 }; // entries up to which insertion sort is used

// --- Order ---------------------------------------------------------------------------------------

typedef enum Order { UNSORTED, SORTED, CANONICAL } Order; // CANONICAL: sorted without duplicates

#define ORDER(I)                                                                         \
    static Order order_##I(const I *at, int64_t n) {                                     \
        bool less = false, equal = false;                                                \
        for (int64_t i = 1; i < n; i++) {                                                \
            less |= at[i] < at[i - 1];                                                   \
            equal |= at[i] == at[i - 1];                                                 \
        }                                                                                \
        return less ? UNSORTED : equal ? SORTED : CANONICAL;                             \
    }
ORDER(int32_t)
ORDER(int64_t)

static Order order_of(bool wide, const void *at, int64_t n) {
    return wide ? order_int64_t(at, n) : order_int32_t(at, n);
}

// --- Sorting -------------------------------------------------------------------------------------

#define ORDER_NAME(I) order_##I
#define ORDER_OF(I) ORDER_NAME(I)
#define SIZE_TEMPLATE "stdlib/sparse/sort_loops.h"
#include "stdlib/sparse/each_size.h"

typedef bool (*SortFn)(void *at, void *data, int64_t n, void *room);
#define SORTS(I) {sort_##I##_uint8_t, sort_##I##_uint16_t, sort_##I##_uint32_t, sort_##I##_uint64_t, sort_##I##_Bytes16}
static const SortFn sorts[2][5] = {SORTS(int32_t), SORTS(int64_t)};

size_t line_room(DType index, DType type) {
    size_t each = dtype_bytes(index), size = dtype_bytes(type);
    return 2 * (each > size ? each : size); // of the larger size, so that the room of any line is aligned
}

// --- Adding up -----------------------------------------------------------------------------------

// add_ adds up sorted entries of equal index; drop_ drops zeros. Both work in place and return how many entries are
// left.
#define ADDS(I, ID, CTYPE, FORM, KIND)                                                   \
    static int64_t add_##ID##_##I(void *indices, void *elements, int64_t n) {            \
        I *at = indices;                                                                 \
        CTYPE *data = elements;                                                          \
        int64_t last = 0;                                                                \
        for (int64_t i = 1; i < n; i++) {                                                \
            if (at[i] == at[last]) {                                                     \
                data[last] = ADD_##FORM##_##KIND(CTYPE, data[last], data[i]);            \
                continue;                                                                \
            }                                                                            \
            at[++last] = at[i];                                                          \
            data[last] = data[i];                                                        \
        }                                                                                \
        return n > 0 ? last + 1 : 0;                                                     \
    }                                                                                    \
    static int64_t drop_##ID##_##I(void *indices, void *elements, int64_t n) {           \
        I *at = indices;                                                                 \
        CTYPE *data = elements;                                                          \
        int64_t count = 0;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                \
            if (data[i] == 0) continue;                                                  \
            at[count] = at[i];                                                           \
            data[count++] = data[i];                                                     \
        }                                                                                \
        return count;                                                                    \
    }
#define ADDS_PLAIN(ID, C, KIND) ADDS(int32_t, ID, C, PLAIN, KIND) ADDS(int64_t, ID, C, PLAIN, KIND)
#define ADDS_COMPLEX(ID, C, KIND) ADDS(int32_t, ID, C, COMPLEX, KIND) ADDS(int64_t, ID, C, COMPLEX, KIND)
#define ADDS_HALF(ID, C, KIND) // sparse arrays of float16 do not exist
#define ROW(A, ID, name, ctype, FORM, KIND, ...) ADDS_##FORM(ID, ctype, KIND)
NACRE_DTYPES(ROW, )
#undef ROW

typedef int64_t (*LessenFn)(void *indices, void *elements, int64_t n);
#define FNS_PLAIN(I, ID) {add_##ID##_##I, drop_##ID##_##I},
#define FNS_COMPLEX(I, ID) {add_##ID##_##I, drop_##ID##_##I},
#define FNS_HALF(I, ID) {NULL, NULL},
#define ROW(I, ID, name, ctype, FORM, ...) FNS_##FORM(I, ID)
static const LessenFn lessens[2][DT_COUNT][2] = {{NACRE_DTYPES(ROW, int32_t)}, {NACRE_DTYPES(ROW, int64_t)}};
#undef ROW

// --- Groups of lines -----------------------------------------------------------------------------

bool lines_begin(Lines *l) {
    while ((l->lines >> l->shift) >= LINE_GROUPS) l->shift++;
    l->groups = (int)((l->lines + ((int64_t)1 << l->shift) - 1) >> l->shift);
    l->begins = l->call->host->scratch(l->call, sizeof(int64_t) * ((size_t)l->groups + 1));
    l->kept = l->begins ? l->call->host->scratch(l->call, sizeof(int64_t) * ((size_t)l->groups + 1)) : NULL;
    return l->kept != NULL;
}

// Processes the n entries of a line in place. Returns how many are left.
static int64_t finish_line(const Lines *l, char *at, char *data, int64_t n, void *room) {
    bool wide = l->index == DT_INT64;
    if (l->sort && sorts[wide][size_class(l->type)](at, data, n, room) && l->add) n = lessens[wide][l->type][0](at, data, n);
    if (l->drop) n = lessens[wide][l->type][1](at, data, n);
    return n;
}

void finish_group(Lines *l, int group) {
    const size_t each = dtype_bytes(l->index), size = dtype_bytes(l->type);
    const int64_t first = (int64_t)group << l->shift;
    int64_t last = first + ((int64_t)1 << l->shift), low = l->begins[group], to = low;
    if (last > l->lines) last = l->lines;
    char *indices = l->indices, *data = l->data;
    for (int64_t line = first; line < last; line++) {
        int64_t high = index_in(l->indptr, l->index, line + 1);
        char *at = indices + (size_t)low * each, *from = data + (size_t)low * size;
        void *room = l->room ? (char *)l->room + (size_t)low * l->room_each : NULL;
        int64_t left = finish_line(l, at, from, high - low, room);
        if (to != low && left > 0) {
            memmove(indices + (size_t)to * each, at, (size_t)left * each);
            memmove(data + (size_t)to * size, from, (size_t)left * size);
        }
        to += left;
        set_index(l->indptr, l->index, line + 1, to);
        low = high;
        if ((line & 1023) == 0 && l->call->host->stopped(l->call)) break;
    }
    l->kept[group] = to - l->begins[group];
}

// --- Closing gaps --------------------------------------------------------------------------------

// Moves groups together, in as many spans as there are threads. The first elements of a span may have to go where
// another span's elements still are. They wait in `room` until all others are in place.
typedef struct Packing {
    const Lines *lines;
    int64_t *to;    // by group: where its entries go
    int64_t *aside; // by span: where its waiting elements are in `room`
    int spans;
    char *elements, *room; // of the array that is packed; elements of `size` bytes
    size_t size;
} Packing;

static int span_begin(const Packing *p, int span) {
    return (int)part_begin(p->lines->groups, span, p->spans);
}

// Returns how many entries of a span have to wait.
static int64_t waiting_of(const Packing *p, int span) {
    int first = span_begin(p, span);
    int64_t gap = p->lines->begins[first] - p->to[first], count = p->to[span_begin(p, span + 1)] - p->to[first];
    return gap < count ? gap : count;
}

static void move_span(void *job, int span, int worker) {
    const Packing *p = job;
    const Lines *l = p->lines;
    int first = span_begin(p, span), end = span_begin(p, span + 1);
    int64_t border = l->begins[first];
    char *aside = p->room + (size_t)p->aside[span] * p->size;
    (void)worker;
    for (int group = first; group < end; group++) {
        int64_t n = l->kept[group], to = p->to[group], wait = border - to < 0 ? 0 : border - to < n ? border - to : n;
        const char *from = p->elements + (size_t)l->begins[group] * p->size;
        memcpy(aside, from, (size_t)wait * p->size);
        aside += (size_t)wait * p->size;
        memmove(p->elements + (size_t)(to + wait) * p->size, from + (size_t)wait * p->size, (size_t)(n - wait) * p->size);
    }
}

static void move_waiting(void *job, int span, int worker) {
    const Packing *p = job;
    (void)worker;
    memcpy(p->elements + (size_t)p->to[span_begin(p, span)] * p->size, p->room + (size_t)p->aside[span] * p->size,
           (size_t)waiting_of(p, span) * p->size);
}

// Updates the indptr of a group's lines to their new places.
static void shift_group(void *job, int group, int worker) {
    const Packing *p = job;
    const Lines *l = p->lines;
    int64_t by = l->begins[group] - p->to[group], first = (int64_t)group << l->shift, last = (group + 1LL) << l->shift;
    (void)worker;
    if (last > l->lines) last = l->lines;
    if (by == 0) return;
    if (l->index == DT_INT64)
        for (int64_t line = first; line < last; line++) ((int64_t *)l->indptr)[line + 1] -= by;
    else
        for (int64_t line = first; line < last; line++) ((int32_t *)l->indptr)[line + 1] -= (int32_t)by;
}

int64_t pack_lines(Lines *l) {
    Packing p = {.lines = l, .spans = l->call->threads < l->groups ? l->call->threads : l->groups};
    if (p.spans == 0) return 0;
    p.to = l->call->host->scratch(l->call, sizeof(int64_t) * ((size_t)l->groups + 1 + (size_t)p.spans));
    if (!p.to) return -1;
    p.aside = p.to + l->groups + 1;
    p.to[0] = 0;
    for (int group = 0; group < l->groups; group++) p.to[group + 1] = p.to[group] + l->kept[group];
    if (p.to[l->groups] == l->begins[l->groups]) return p.to[l->groups];
    int64_t waiting = 0;
    for (int span = 0; span < p.spans; span++) {
        p.aside[span] = waiting;
        waiting += waiting_of(&p, span);
    }
    const size_t each = dtype_bytes(l->index), size = dtype_bytes(l->type);
    p.room = l->call->host->scratch(l->call, (size_t)waiting * (each > size ? each : size));
    if (!p.room) return -1;
    l->call->host->share(l->call, shift_group, &p, l->groups);
    for (int array = 0; array < 2; array++) {
        p.elements = array ? l->data : l->indices;
        p.size = array ? size : each;
        l->call->host->share(l->call, move_span, &p, p.spans);
        l->call->host->share(l->call, move_waiting, &p, p.spans);
    }
    return p.to[l->groups];
}

// --- Operations ----------------------------------------------------------------------------------

static void finish_part(void *job, int group, int worker) {
    (void)worker;
    finish_group(job, group);
}

bool check_lines(SparseCall *call, const SparseArg *indptr, const SparseArg *indices, const SparseArg *data) {
    if (!check_index_type(call, indices) || !check_indptr(call, indptr, indices->count)) return false;
    if (indices->type != indptr->type || (data && (data->kind != SPARSE_ARRAY || data->type == DT_FLOAT16))) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indptr and indices should be of one type, and data an array");
        return false;
    }
    if (!data || data->count == indices->count) return true;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices and data should have the same size");
    return false;
}

// Makes the groups of all lines, with their workspace. False: no memory; the call's error is set.
static bool groups_of(Lines *l, int64_t lines) {
    l->lines = lines;
    if (!lines_begin(l)) return false;
    for (int group = 0; group <= l->groups; group++) {
        int64_t line = (int64_t)group << l->shift;
        l->begins[group] = index_in(l->indptr, l->index, line < lines ? line : lines);
    }
    if (!l->sort) return true;
    l->room_each = line_room(l->index, l->type);
    l->room = l->call->host->scratch(l->call, (size_t)l->begins[l->groups] * l->room_each);
    return l->room != NULL;
}

// sort_lines(indptr, indices, data): sorts the entries of each line by their indices, in place.
void op_sort_lines(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2])) return;
    const size_t bytes = (size_t)a[0].count * dtype_bytes(a[0].type);
    Lines l = {.call = call, .index = a[0].type, .type = a[2].type, .indices = a[1].data, .data = a[2].data, .sort = true};
    l.indptr = call->host->scratch(call, bytes); // a copy: finish_group writes to it, although sorting changes nothing
    if (!l.indptr) return;
    memcpy(l.indptr, a[0].data, bytes);
    if (groups_of(&l, a[0].count - 1)) call->host->share(call, finish_part, &l, l.groups);
}

// Makes the call's results: indptr, indices, data, and the number of entries that are left; indices and data may be
// longer than that.
static void lessen(SparseCall *call, bool add, bool drop) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2])) return;
    const int64_t count = index_at(&a[0], a[0].count - 1);
    Lines l = {.call = call, .index = a[0].type, .type = a[2].type, .sort = add, .add = add, .drop = drop};
    l.indptr = call->host->array(call, l.index, a[0].count);
    l.indices = l.indptr ? call->host->array(call, l.index, count) : NULL;
    l.data = l.indices ? call->host->array(call, l.type, count) : NULL;
    if (!l.data) return;
    copy_bytes(call, l.indptr, a[0].data, (size_t)a[0].count * dtype_bytes(l.index));
    copy_bytes(call, l.indices, a[1].data, (size_t)count * dtype_bytes(l.index));
    copy_bytes(call, l.data, a[2].data, (size_t)count * dtype_bytes(l.type));
    if (!groups_of(&l, a[0].count - 1)) return;
    call->host->share(call, finish_part, &l, l.groups);
    int64_t left = pack_lines(&l);
    if (left >= 0) call->host->whole(call, left);
}

// sum_lines(indptr, indices, data): sorts lines and adds up duplicates.
void op_sum_lines(SparseCall *call) {
    lessen(call, true, false);
}

// drop_zeros(indptr, indices, data): removes entries that are zero.
void op_drop_zeros(SparseCall *call) {
    lessen(call, false, true);
}

typedef struct OrderJob {
    const SparseArg *indptr, *indices;
    int parts;
    Order *orders;
} OrderJob;

static void order_part(void *job, int part, int worker) {
    OrderJob *j = job;
    const bool wide = j->indices->type == DT_INT64;
    const int64_t lines = j->indptr->count - 1, end = part_begin(lines, part + 1, j->parts);
    Order least = CANONICAL;
    (void)worker;
    for (int64_t line = part_begin(lines, part, j->parts); line < end && least != UNSORTED; line++) {
        int64_t low = index_at(j->indptr, line), n = index_at(j->indptr, line + 1) - low;
        Order order = order_of(wide, (const char *)j->indices->data + (size_t)low * (wide ? 8 : 4), n);
        if (order < least) least = order;
    }
    j->orders[part] = least;
}

// lines_order(indptr, indices): returns 0 if a line is unsorted, 1 if all are sorted, 2 if they also have no
// duplicates.
void op_lines_order(SparseCall *call) {
    OrderJob j = {.indptr = &call->args[0], .indices = &call->args[1]};
    if (!check_lines(call, j.indptr, j.indices, NULL)) return;
    j.parts = parts_of(call, j.indices->count + j.indptr->count, j.indptr->count - 1);
    j.orders = call->host->scratch(call, sizeof(Order) * (size_t)j.parts);
    if (!j.orders) return;
    call->host->share(call, order_part, &j, j.parts);
    Order least = CANONICAL;
    for (int i = 0; i < j.parts; i++)
        if (j.orders[i] < least) least = j.orders[i];
    call->host->whole(call, least);
}
