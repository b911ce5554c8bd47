// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inserts entries into a compressed matrix. The new points are sorted by line (a counting sort), and within a line by
// index. If a place is given several times, the last point wins. A sorted line stays sorted; in other lines new entries
// follow the old ones.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/select.h"

typedef struct Insert {
    Select s; // has to be first: cast back to Insert; its starts and places are the points of each line
    const SparseArg *at;
    int64_t *points, *room;
} Insert;

// Sorts point numbers by their indices with a stable bottom-up merge sort.
static void sort_points(const SparseArg *at, int64_t *points, int64_t *room, int64_t n) {
    int64_t *from = points, *to = room;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t low = 0; low < n; low += 2 * run) {
            int64_t i = low, middle = low + run < n ? low + run : n, k = middle;
            int64_t high = middle + run < n ? middle + run : n;
            for (int64_t place = low; place < high; place++)
                to[place] = k >= high || (i < middle && index_at(at, from[i]) <= index_at(at, from[k])) ? from[i++] : from[k++];
        }
        int64_t *other = from;
        from = to;
        to = other;
    }
    if (from != points) memcpy(points, from, (size_t)n * sizeof *points);
}

// Sorts the points of a line and keeps the last one of each index. -1 marks the end if some were removed. Returns how
// many entries the line will have.
static int64_t count_with_points(const Select *s, int64_t line) {
    const Insert *in = (const Insert *)s;
    int64_t begin = s->starts[line], n = s->starts[line + 1] - begin, left = 0;
    int64_t *points = in->points + begin;
    sort_points(in->at, points, in->room + begin, n);
    for (int64_t i = 0; i < n; i++)
        if (i + 1 == n || index_at(in->at, points[i + 1]) != index_at(in->at, points[i])) points[left++] = points[i];
    if (left < n) points[left] = -1;
    return left + select_indptr(s, line + 1) - select_indptr(s, line);
}

static bool line_sorted(const Select *s, int64_t line) {
    int64_t end = select_indptr(s, line + 1);
    for (int64_t k = select_indptr(s, line) + 1; k < end; k++) {
        bool falls = s->wide ? ((const int64_t *)s->indices)[k] < ((const int64_t *)s->indices)[k - 1]
                             : ((const int32_t *)s->indices)[k] < ((const int32_t *)s->indices)[k - 1];
        if (falls) return false;
    }
    return true;
}

static void put(const Select *s, int64_t to, int64_t index, const void *data, int64_t from) {
    if (s->wide) ((int64_t *)s->to_indices)[to] = index;
    else ((int32_t *)s->to_indices)[to] = (int32_t)index;
    memcpy((char *)s->to_data + (size_t)to * s->size, (const char *)data + (size_t)from * s->size, s->size);
}

static void fill_with_points(const Select *s, int64_t line, int64_t to) {
    const Insert *in = (const Insert *)s;
    const int64_t *points = in->points + s->starts[line], n = s->starts[line + 1] - s->starts[line];
    int64_t k = select_indptr(s, line), end = select_indptr(s, line + 1), i = 0;
    bool sorted = n > 0 && line_sorted(s, line);
    while (k < end || (i < n && points[i] >= 0)) {
        bool old = k < end, new = i < n && points[i] >= 0;
        int64_t at = old ? s->wide ? ((const int64_t *)s->indices)[k] : ((const int32_t *)s->indices)[k] : 0;
        if (old && (!new || !sorted || at < index_at(in->at, points[i]))) {
            put(s, to++, at, s->data, k++);
        } else {
            put(s, to++, index_at(in->at, points[i]), s->values, points[i]);
            i++;
        }
    }
}

// Sorts the points by line. False: no memory; the call's error is set.
static bool deal_points(SparseCall *call, Insert *in, const SparseArg *lines) {
    int64_t n = lines->count, count = in->s.from_lines;
    int64_t *starts = call->host->scratch(call, ((size_t)count + 2 + 2 * (size_t)n) * sizeof *starts);
    if (!starts) return false;
    in->points = starts + count + 2;
    in->room = in->points + n;
    memset(starts, 0, ((size_t)count + 2) * sizeof *starts);
    for (int64_t i = 0; i < n; i++) starts[index_at(lines, i) + 2]++;
    for (int64_t i = 2; i < count + 2; i++) starts[i] += starts[i - 1];
    for (int64_t i = 0; i < n; i++) in->points[starts[index_at(lines, i) + 1]++] = i;
    in->s.starts = starts;
    return true;
}

// insert(indptr, indices, data, lines, indices, values, across): returns the matrix with new entries. The caller makes
// sure that the matrix has no entries at these places.
void op_insert(SparseCall *call) {
    const SparseArg *lines = &call->args[3], *values = &call->args[5];
    Insert in = {.at = &call->args[4]};
    if (!select_begin(call, &in.s, call->args) || !check_indptr(call, &call->args[0], in.s.entries) || !check_places(call, lines, in.s.from_lines)) return;
    if (!check_places(call, in.at, call->args[6].whole)) return;
    if (lines->count != in.at->count || values->kind != SPARSE_ARRAY || values->count != lines->count || values->type != call->args[2].type) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "there have to be as many lines, indices and values, of the matrix's type");
        return;
    }
    if (!deal_points(call, &in, lines)) return;
    in.s.values = values->data;
    in.s.lines = in.s.from_lines;
    in.s.count = count_with_points;
    in.s.fill = fill_with_points;
    select_run(&in.s, call->args[1].count + lines->count * 8 + in.s.lines);
}
