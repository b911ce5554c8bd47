// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plain cases of numpy.einsum: subscripts as a str, and one array, or two of one type whose contraction is a matrix
// product. Returns NotImplemented for anything else and for errors, which numpy/_einsum.ncr raises.

#include <ctype.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { LABELS_MAX = 2 * NDIM_MAX };

// Labels of axes: letters. The axes of an ellipsis get the characters from `first_unnamed` on.
typedef struct Labels {
    char of[LABELS_MAX];
    int count;
    int ellipsis; // position of the ellipsis among the labels; -1: there is none
} Labels;

static const char first_unnamed = 1; // control characters: no valid subscript has them

typedef struct Subscripts {
    Labels terms[2], result;
    int count; // of terms
    int unnamed; // the most axes that an ellipsis covers in a term
} Subscripts;

// --- Reading -------------------------------------------------------------------------------------

static const char *without_space(const char *at) {
    while (*at == ' ') at++;
    return at;
}

// Reads letters and at most one ellipsis, up to ',' or '-' or the end, and returns where they end. NULL: another
// character, or too many.
static const char *read_labels(const char *at, Labels *labels) {
    labels->count = 0;
    labels->ellipsis = -1;
    for (at = without_space(at); *at && *at != ',' && *at != '-'; at = without_space(at)) {
        if (strncmp(at, "...", 3) == 0 && labels->ellipsis < 0) {
            labels->ellipsis = labels->count;
            at += 3;
        } else if (isalpha((unsigned char)*at) && labels->count < NDIM_MAX) {
            labels->of[labels->count++] = *at++;
        } else {
            return NULL;
        }
    }
    return at;
}

// Replaces an ellipsis by the last `dims` of the `unnamed` labels, as operands are aligned at their last axes. Returns
// false if the number of axes does not fit.
static bool fill_ellipsis(Labels *labels, int dims, int unnamed) {
    if (dims < 0 || dims > unnamed || labels->count + dims > NDIM_MAX) return false;
    if (labels->ellipsis < 0) return dims == 0;
    char *at = labels->of + labels->ellipsis;
    memmove(at + dims, at, (size_t)(labels->count - labels->ellipsis));
    for (int d = 0; d < dims; d++) at[d] = (char)(first_unnamed + unnamed - dims + d);
    labels->count += dims;
    return true;
}

static int times(const Subscripts *s, char label) {
    int found = 0;
    for (int i = 0; i < s->count; i++)
        for (int d = 0; d < s->terms[i].count; d++) found += s->terms[i].of[d] == label;
    return found;
}

// Finds the result's labels for subscripts without an arrow: the unnamed ones, then the letters that occur once, in
// alphabetical order. Returns false if there are too many.
static bool find_result(Subscripts *s) {
    s->result.count = 0;
    for (int d = 0; d < s->unnamed; d++) s->result.of[s->result.count++] = (char)(first_unnamed + d);
    for (char label = 'A'; label <= 'z'; label++) {
        if (times(s, label) != 1) continue;
        if (s->result.count == NDIM_MAX) return false;
        s->result.of[s->result.count++] = label;
    }
    return true;
}

static bool read_subscripts(const char *text, const Value *arrays, int count, Subscripts *s) {
    s->count = count;
    s->unnamed = 0;
    for (int i = 0; i < count; i++) {
        text = read_labels(text, &s->terms[i]);
        if (!text || (i + 1 < count && *text++ != ',')) return false;
        int dims = arrays[i].array->ndim - s->terms[i].count;
        if (dims > s->unnamed) s->unnamed = dims;
    }
    for (int i = 0; i < count; i++)
        if (!fill_ellipsis(&s->terms[i], arrays[i].array->ndim - s->terms[i].count, s->unnamed)) return false;
    if (*text == 0) return find_result(s);
    if (strncmp(text, "->", 2) != 0) return false;
    text = read_labels(text + 2, &s->result);
    return text && *text == 0 && fill_ellipsis(&s->result, s->unnamed, s->unnamed);
}

// --- One operand ---------------------------------------------------------------------------------

// Appends to the view the axis of a label. If several axes have the label, it is their diagonal. Returns false if their
// extents differ, or no axis has the label.
static bool put_label(View *to, const View *from, const Labels *term, char label) {
    int64_t extent = -1, stride = 0;
    for (int d = 0; d < term->count; d++) {
        if (term->of[d] != label) continue;
        if (extent >= 0 && extent != from->shape[d]) return false;
        extent = from->shape[d];
        stride += from->strides[d];
    }
    to->shape[to->ndim] = extent;
    to->strides[to->ndim++] = stride;
    return extent >= 0;
}

static bool has_label(const char *labels, int count, char label) {
    return memchr(labels, label, (size_t)count) != NULL;
}

// Computes einsum of one array: makes a view with the result's axes first, and sums over the others.
static Status of_one(Vm *vm, Value array, const Subscripts *s, Value *out) {
    const Labels *term = &s->terms[0], *result = &s->result;
    View from, view;
    array_view(array.array, &from);
    view = from;
    view.ndim = 0;
    for (int d = 0; d < result->count; d++) {
        if (has_label(result->of, d, result->of[d])) return ST_NOTIMPL;
        if (!put_label(&view, &from, term, result->of[d])) return ST_NOTIMPL;
    }
    for (int d = 0; d < term->count; d++) {
        bool seen = has_label(term->of, d, term->of[d]) || has_label(result->of, result->count, term->of[d]);
        if (!seen && !put_label(&view, &from, term, term->of[d])) return ST_NOTIMPL;
    }
    if (view.ndim == 0) return ST_NOTIMPL;
    if (view.ndim == result->count) return array_of_view(vm, &view, array, out);
    Status st = array_sum_of(vm, &view, axes_below(view.ndim) & ~axes_below(result->count), NULL, out);
    return st == ST_OK ? array_to_scalar(vm, out) : st;
}

// --- The function --------------------------------------------------------------------------------

static Status contracted(Vm *vm, const Value *operands, int count, Value *out) {
    const Value *arrays = operands + 1;
    Subscripts s;
    if (count < 1 || count > 2 || operands[0].kind != K_STR) return ST_NOTIMPL;
    for (int i = 0; i < count; i++)
        if (arrays[i].kind != K_ARRAY || arrays[i].array->dtype != arrays[0].array->dtype) return ST_NOTIMPL;
    if (!read_subscripts(operands[0].str->data, arrays, count, &s)) return ST_NOTIMPL;
    if (count == 1) return of_one(vm, arrays[0], &s, out);
    const Term terms[2] = {{s.terms[0].of, s.terms[0].count}, {s.terms[1].of, s.terms[1].count}};
    return array_contract(vm, arrays, terms, (Term){s.result.of, s.result.count}, product_untold, out);
}

Status numpy_einsum(Vm *vm, const Value *args, Value *out) { // operands
    const Tuple *operands = args[0].tuple;
    Status st = contracted(vm, operands->items, (int)operands->len - 1, out);
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}
