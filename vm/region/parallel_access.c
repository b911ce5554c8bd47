// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decomposes addresses as steps_views.c emits them: an array's base plus, for each dimension, a
// position times its stride. RG_INDEX gives the position exactly; any other position is only known
// to stay within its dimension.

#include "vm/region/parallel_access.h"

enum { DEPTH = 32 };

// An address as a sum.
typedef struct Address {
    int array;                   // NO_VALUE: not found yet
    int32_t places[REGION_DIMS]; // the RG_INDEX of each dimension, or NO_VALUE
    uint32_t moved;              // dimensions with a further, unknown offset, as bits
    bool known;
} Address;

static const RegionInstr *origin_of(IndexForms *s, int32_t value) {
    return &s->maker->region->code[forms_origin(s, value)];
}

static bool is_int(const RegionInstr *in, OpId op) {
    return in->op == RG_APPLY && in->elementwise == op && in->type == DT_INT64;
}

// Finds the dimension whose stride this value is a multiple of; NO_VALUE: unknown.
static int along(IndexForms *s, int32_t stride, int *array, int depth) {
    const RegionInstr *in = origin_of(s, stride);
    if (depth == 0) return NO_VALUE;
    if (in->op == RG_STRIDE) {
        *array = in->array;
        return in->dim;
    }
    if (is_int(in, AOP_NEGATIVE)) return along(s, in->args[0], array, depth - 1);
    if (!is_int(in, AOP_MULTIPLY)) return NO_VALUE;
    int dim = along(s, in->args[0], array, depth - 1);
    return dim != NO_VALUE ? dim : along(s, in->args[1], array, depth - 1);
}

static void add_place(IndexForms *s, Address *to, int32_t product) {
    const RegionInstr *in = origin_of(s, product);
    for (int a = 0; a < 2 && is_int(in, AOP_MULTIPLY); a++) {
        const RegionInstr *stride = origin_of(s, in->args[a]);
        int32_t place = forms_origin(s, in->args[!a]);
        const RegionInstr *index = &s->maker->region->code[place];
        if (stride->op != RG_STRIDE || index->op != RG_INDEX || index->array != stride->array ||
            index->dim != stride->dim || to->places[stride->dim] != NO_VALUE)
            continue;
        to->known &= to->array == NO_VALUE || to->array == stride->array;
        to->array = stride->array;
        to->places[stride->dim] = place;
        return;
    }
    int array = NO_VALUE, dim = along(s, product, &array, DEPTH);
    if (dim == NO_VALUE || (to->array != NO_VALUE && to->array != array)) {
        to->known = false;
        return;
    }
    to->array = array;
    to->moved |= UINT32_C(1) << dim;
}

static void add_address(IndexForms *s, Address *to, int32_t value, bool *begin, int depth) {
    const RegionInstr *in = origin_of(s, value);
    if (depth == 0) to->known = false;
    if (!to->known) return;
    if (in->op == RG_ADDRESS) {
        to->known = !*begin && (to->array == NO_VALUE || to->array == in->array);
        to->array = in->array;
        *begin = true;
    } else if (is_int(in, AOP_ADD)) {
        add_address(s, to, in->args[0], begin, depth - 1);
        add_address(s, to, in->args[1], begin, depth - 1);
    } else {
        add_place(s, to, value);
    }
}

static bool find_address(IndexForms *s, int32_t value, Address *out) {
    bool begin = false;
    *out = (Address){.array = NO_VALUE, .known = true};
    for (int d = 0; d < REGION_DIMS; d++) out->places[d] = NO_VALUE;
    add_address(s, out, value, &begin, DEPTH);
    return out->known && begin;
}

// Describes elements that start at an address and extend along strides.
static bool access_along(IndexForms *s, int32_t value, const int32_t *strides, int count,
                         bool store, Access *out) {
    Address address;
    if (!find_address(s, value, &address)) return false;
    for (int k = 0; k < count; k++) {
        int array = NO_VALUE;
        if (strides[k] == NO_VALUE) continue;
        int dim = along(s, strides[k], &array, DEPTH);
        int64_t none;
        if (dim == NO_VALUE && forms_number(s, strides[k], &none) && none == 0) continue;
        if (dim == NO_VALUE || array != address.array) return false;
        address.moved |= UINT32_C(1) << dim;
    }
    *out = (Access){.array = address.array, .store = store};
    out->at.ndim = s->maker->region->arrays[address.array].ndim;
    for (int d = 0; d < out->at.ndim; d++)
        if (address.places[d] != NO_VALUE && !(address.moved >> d & 1))
            out->at.index[d] = forms_index(s, address.places[d]);
    return true;
}

static bool access_element(IndexForms *s, const RegionInstr *in, Access *out) {
    int ndim = s->maker->region->arrays[in->array].ndim;
    if (ndim > 3) return false;
    *out = (Access){.array = in->array, .store = in->op == RG_STORE, .element = true};
    out->at.ndim = ndim;
    for (int d = 0; d < ndim; d++) out->at.index[d] = forms_index(s, in->args[d]);
    return true;
}

static int accesses_of_nest(IndexForms *s, const RegionNest *nest, Access *out, int room) {
    int count = nest->form.load_count;
    if (count + 1 > room) return -1;
    for (int i = 0; i < count; i++)
        if (!access_along(s, nest->addresses[i], nest->strides[i], nest->ndim, false, &out[i]))
            return -1;
    return access_along(s, nest->into, nest->into_strides, nest->ndim, true, &out[count])
               ? count + 1
               : -1;
}

static int accesses_of_dot(IndexForms *s, const RegionInstr *in, Access *out, int room) {
    const int32_t *links = s->maker->region->links + in->links.first;
    if (room < 2 || !access_along(s, links[0], &links[1], 1, false, &out[0])) return -1;
    return access_along(s, links[2], &links[3], 1, false, &out[1]) ? 2 : -1;
}

int accesses_of(IndexForms *s, int32_t instr, Access *out, int room) {
    const RegionInstr in = s->maker->region->code[instr];
    if (room < 1) return -1;
    switch ((RegionOp)in.op) {
    case RG_LOAD:
    case RG_STORE: return access_element(s, &in, out) ? 1 : -1;
    case RG_LOAD_AT: return access_along(s, in.args[0], NULL, 0, false, out) ? 1 : -1;
    case RG_STORE_AT: return access_along(s, in.args[0], NULL, 0, true, out) ? 1 : -1;
    case RG_NEST: return accesses_of_nest(s, &s->maker->region->nests[in.number], out, room);
    case RG_REDUCE: return access_along(s, in.args[0], NULL, 0, false, out) ? 1 : -1;
    case RG_DOT: return accesses_of_dot(s, &in, out, room);
    default: return 0;
    }
}
