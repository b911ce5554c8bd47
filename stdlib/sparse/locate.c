// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Single places of a compressed matrix: their values, or which entry is there. Sorted lines are searched by binary
// search, if there are so many places that checking for sortedness costs little in comparison.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/select.h"

bool check_places(SparseCall *call, const SparseArg *places, int64_t extent) {
    if (places->kind != SPARSE_ARRAY || (places->type != DT_INT32 && places->type != DT_INT64)) {
        SPARSE_FAIL(call, SPARSE_INDEX_ERROR, "indices have to be an array of int32 or int64");
        return false;
    }
    for (int64_t i = 0; i < places->count; i++) {
        int64_t at = index_at(places, i);
        if (at >= 0 && at < extent) continue;
        SPARSE_FAIL(call, SPARSE_INDEX_ERROR, "index (%lld) out of range", (long long)at);
        return false;
    }
    return true;
}

typedef struct Locate Locate;
struct Locate {
    SparseCall *call;
    Select of;
    const SparseArg *lines, *at;
    int parts;
    bool sorted; // all lines are sorted and have no duplicates
    void *to;
    void (*value)(const Locate *l, int64_t i, int64_t low, int64_t high);
    bool *twice;  // by part: a place has several entries
    bool *broken; // by part: a line was invalid, see SELECT_LINE
};

// --- Searching -----------------------------------------------------------------------------------

#define SEARCH(I)                                                                                \
    static bool strictly_ascending_##I(const Select *s, int64_t from, int64_t end) {             \
        const I *at = s->indices;                                                                \
        bool falls = false;                                                                      \
        for (int64_t line = from; line < end; line++) {                                          \
            SELECT_LINE(s, line, low, high, return false);                                       \
            for (int64_t k = low + 1; k < high; k++)                                             \
                falls |=  at[k] <= at[k - 1];                                                    \
        }                                                                                        \
        return !falls;                                                                           \
    }                                                                                            \
    /* Returns the first entry >= `low` with that index, or `high`. */                           \
    static int64_t find_##I(const I *at, int64_t low, int64_t high, int64_t index, bool sorted) { \
        if (!sorted) {                                                                           \
            while (low < high && at[low] != index) low++;                                        \
            return low;                                                                          \
        }                                                                                        \
        int64_t end = high;                                                                      \
        while (low < high) {                                                                     \
            int64_t middle = low + (high - low) / 2;                                             \
            if (at[middle] < index) low = middle + 1;                                            \
            else high = middle;                                                                  \
        }                                                                                        \
        return low < end && at[low] == index ? low : end;                                        \
    }
SEARCH(int32_t)
SEARCH(int64_t)

static int64_t find_entry(const Select *s, int64_t low, int64_t high, int64_t index, bool sorted) {
    return s->wide ? find_int64_t(s->indices, low, high, index, sorted) : find_int32_t(s->indices, low, high, index, sorted);
}

typedef struct OrderJob {
    const Select *of;
    int parts;
    bool *falls;
} OrderJob;

static void order_part(void *argument, int part, int worker) {
    OrderJob *j = argument;
    int64_t from = part_begin(j->of->from_lines, part, j->parts), end = part_begin(j->of->from_lines, part + 1, j->parts);
    (void)worker;
    j->falls[part] = j->of->wide ? !strictly_ascending_int64_t(j->of, from, end) : !strictly_ascending_int32_t(j->of, from, end);
}

// Returns whether binary search is worthwhile and possible, that is, lines are sorted without duplicates.
static bool worth_halving(Locate *l) {
    enum { SHORT = 8 };
    const Select *s = &l->of;
    const int64_t entries = s->entries;
    if (s->from_lines == 0 || entries / s->from_lines <= SHORT) return false;
    if (l->at->count < s->from_lines) return false; // searching so few lines costs less than checking all
    OrderJob j = {.of = s, .parts = parts_of(l->call, entries, s->from_lines)};
    j.falls = l->call->host->scratch(l->call, (size_t)j.parts);
    if (!j.falls) return false;
    l->call->host->share(l->call, order_part, &j, j.parts);
    bool any = false;
    for (int i = 0; i < j.parts; i++) any |= j.falls[i];
    return !any;
}

// --- Values and entry numbers --------------------------------------------------------------------

// Writes the sum of the entries of place i.
#define VALUE(A, ID, name, ctype, FORM, KIND, ...)                                               \
    FORM##_ENTRY(static void value_##ID(const Locate *l, int64_t i, int64_t low, int64_t high) { \
        typedef ctype T;                                                                         \
        const T *data = l->of.data;                                                              \
        T sum = 0;                                                                               \
        int64_t index = index_at(l->at, i);                                                      \
        for (int64_t k = low; (k = find_entry(&l->of, k, high, index, l->sorted)) < high; k++) { \
            sum = ADD_##KIND(sum, data[k]);                                                      \
            if (l->sorted) break;                                                                \
        }                                                                                        \
        ((T *)l->to)[i] = sum;                                                                   \
    })
NACRE_DTYPES(VALUE, )
#define VALUE_ROW(A, ID, name, ctype, FORM, ...) FORM##_ENTRY([DT_##ID] = value_##ID,)
static void (*const values[DT_COUNT])(const Locate *l, int64_t i, int64_t low, int64_t high) = {NACRE_DTYPES(VALUE_ROW, )};

static void sample_part(void *argument, int part, int worker) {
    Locate *l = argument;
    int64_t end = part_begin(l->at->count, part + 1, l->parts);
    (void)worker;
    for (int64_t i = part_begin(l->at->count, part, l->parts); i < end; i++) {
        if (i % SELECT_POLLED == 0 && l->call->host->stopped(l->call)) return;
        int64_t line = index_at(l->lines, i);
        SELECT_LINE(&l->of, line, low, high, {
            l->broken[part] = true;
            return;
        });
        l->value(l, i, low, high);
    }
}

static void offset_part(void *argument, int part, int worker) {
    Locate *l = argument;
    int64_t end = part_begin(l->at->count, part + 1, l->parts);
    (void)worker;
    for (int64_t i = part_begin(l->at->count, part, l->parts); i < end; i++) {
        if (i % SELECT_POLLED == 0 && l->call->host->stopped(l->call)) return;
        int64_t line = index_at(l->lines, i), index = index_at(l->at, i);
        SELECT_LINE(&l->of, line, low, high, {
            l->broken[part] = true;
            return;
        });
        int64_t k = find_entry(&l->of, low, high, index, l->sorted);
        if (k < high && !l->sorted) l->twice[part] |= find_entry(&l->of, k + 1, high, index, false) < high;
        ((int64_t *)l->to)[i] = k < high ? k : -1;
    }
}

// --- The operations ------------------------------------------------------------------------------

// Reads the arguments that both operations have: a matrix, places by line and index, and the extent of indices. False:
// the call's error is set.
static bool locate_begin(SparseCall *call, Locate *l, int64_t across) {
    l->call = call;
    l->lines = &call->args[3];
    l->at = &call->args[4];
    if (!select_begin(call, &l->of, call->args) || !check_places(call, l->lines, l->of.from_lines) || !check_places(call, l->at, across))
        return false;
    if (l->lines->count != l->at->count) {
        SPARSE_FAIL(call, SPARSE_INDEX_ERROR, "number of row and column indices differ");
        return false;
    }
    l->sorted = worth_halving(l);
    l->parts = parts_of(call, l->at->count * 8, l->at->count);
    l->twice = call->error == SPARSE_OK ? call->host->scratch(call, 2 * (size_t)l->parts) : NULL;
    if (!l->twice) return false;
    memset(l->twice, 0, 2 * (size_t)l->parts);
    l->broken = l->twice + l->parts;
    return true;
}

static bool any_of(const bool *flags, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= flags[i];
    return any;
}

// sample(indptr, indices, data, lines, indices, across): returns the values at those places. Duplicate entries are
// summed.
void op_sample(SparseCall *call) {
    Locate l = {0};
    if (!locate_begin(call, &l, call->args[5].whole)) return;
    l.value = values[call->args[2].type];
    l.to = call->host->array(call, call->args[2].type, l.at->count);
    if (!l.to) return;
    call->host->share(call, sample_part, &l, l.parts);
    if (any_of(l.broken, l.parts)) select_broken(call);
}

// locate(indptr, indices, data, lines, indices, across): returns the number of the entry at each place, or -1; and
// whether any place has several entries.
void op_locate(SparseCall *call) {
    Locate l = {0};
    if (!locate_begin(call, &l, call->args[5].whole)) return;
    l.to = call->host->array(call, DT_INT64, l.at->count);
    if (!l.to) return;
    call->host->share(call, offset_part, &l, l.parts);
    if (any_of(l.broken, l.parts)) select_broken(call);
    else call->host->whole(call, any_of(l.twice, l.parts));
}
