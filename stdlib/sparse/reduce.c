// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The minimum or maximum of each line of a compressed matrix, or its index. Zeros that are not stored count, too,
// unless `explicit`; finding them needs sorted lines without duplicates.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/select.h"

typedef struct Reduce Reduce;
struct Reduce {
    SparseCall *call;
    Select of;
    int64_t across;
    bool explicit; // only stored entries count
    void *to;
    void (*line)(const Reduce *r, int64_t line, int64_t low, int64_t high);
    bool *refused; // by part: a line is not sorted
    int parts;
};

static int64_t index_of(const Reduce *r, int64_t k) {
    return r->of.wide ? ((const int64_t *)r->of.indices)[k] : ((const int32_t *)r->of.indices)[k];
}

// Returns the first index of a sorted line that has no entry.
static int64_t first_missing(const Reduce *r, int64_t low, int64_t high) {
    int64_t at = 0;
    while (low + at < high && index_of(r, low + at) == at) at++;
    return at;
}

// Whether a replaces b as the extreme: BETTER(KIND, a, b) compares numbers. A NaN replaces any number in TAKES_NAN, and
// is replaced by any number in SKIPS_NAN (fmin and fmax).
#define TAKES_NAN(KIND, a, b, BETTER) ((BETTER(KIND, a, b) || IS_NAN_##KIND(a)) && !(IS_NAN_##KIND(b)))
#define SKIPS_NAN(KIND, a, b, BETTER) (BETTER(KIND, a, b) || (IS_NAN_##KIND(b) && !(IS_NAN_##KIND(a))))
#define LESSER(KIND, a, b) LESS_##KIND(a, b)
#define GREATER(KIND, a, b) LESS_##KIND(b, a)

#define VALUE(op, ID, ctype, KIND, NAN_RULE, BETTER)                                                \
    static void op##_##ID(const Reduce *r, int64_t line, int64_t low, int64_t high) {               \
        typedef ctype T;                                                                            \
        const T *data = r->of.data, zero = 0;                                                       \
        T best = low < high ? data[low] : zero;                                                     \
        for (int64_t k = low + 1; k < high; k++)                                                    \
            if (NAN_RULE(KIND, data[k], best, BETTER)) best = data[k];                              \
        if (!r->explicit && high - low < r->across && NAN_RULE(KIND, zero, best, BETTER)) best = zero; \
        ((T *)r->to)[line] = best;                                                                  \
    }
#define PLACE(op, ID, ctype, KIND, BETTER)                                                          \
    static void op##_##ID(const Reduce *r, int64_t line, int64_t low, int64_t high) {               \
        typedef ctype T;                                                                            \
        const T *data = r->of.data, zero = 0;                                                       \
        int64_t at = low, found = 0;                                                                \
        for (int64_t k = low + 1; k < high; k++)                                                    \
            if (TAKES_NAN(KIND, data[k], data[at], BETTER)) at = k;                                 \
        if (low < high) {                                                                           \
            const T best = data[at];                                                                \
            bool stored = r->explicit || BETTER(KIND, best, zero) || high - low == r->across;       \
            int64_t missing = stored ? 0 : first_missing(r, low, high);                             \
            found = stored || (best == zero && at - low < missing) ? index_of(r, at) : missing;     \
        }                                                                                           \
        ((int64_t *)r->to)[line] = found;                                                           \
    }
#define EXTREMES(A, ID, name, T, FORM, KIND, ...)                  \
    FORM##_ENTRY(VALUE(minimum, ID, T, KIND, TAKES_NAN, LESSER)    \
    VALUE(maximum, ID, T, KIND, TAKES_NAN, GREATER)                \
    VALUE(fmin, ID, T, KIND, SKIPS_NAN, LESSER)                    \
    VALUE(fmax, ID, T, KIND, SKIPS_NAN, GREATER)                   \
    PLACE(argmin, ID, T, KIND, LESSER)                             \
    PLACE(argmax, ID, T, KIND, GREATER))
NACRE_DTYPES(EXTREMES, )

typedef struct ReduceOp {
    const char *name;
    bool places; // the results are indices
    void (*by_type[DT_COUNT])(const Reduce *r, int64_t line, int64_t low, int64_t high);
} ReduceOp;

#define OF_TYPE(op, ID, name, ctype, FORM, ...) FORM##_ENTRY([DT_##ID] = op##_##ID,)
static const ReduceOp reduce_ops[] = {
    {"minimum", false, {NACRE_DTYPES(OF_TYPE, minimum)}}, {"maximum", false, {NACRE_DTYPES(OF_TYPE, maximum)}},
    {"fmin", false, {NACRE_DTYPES(OF_TYPE, fmin)}},       {"fmax", false, {NACRE_DTYPES(OF_TYPE, fmax)}},
    {"argmin", true, {NACRE_DTYPES(OF_TYPE, argmin)}},    {"argmax", true, {NACRE_DTYPES(OF_TYPE, argmax)}},
};

static void reduce_part(void *argument, int part, int worker) {
    Reduce *r = argument;
    int64_t end = part_begin(r->of.from_lines, part + 1, r->parts);
    (void)worker;
    r->refused[part] = false;
    for (int64_t line = part_begin(r->of.from_lines, part, r->parts); line < end; line++) {
        if (line % SELECT_POLLED == 0 && r->call->host->stopped(r->call)) return;
        int64_t low = select_indptr(&r->of, line), high = select_indptr(&r->of, line + 1);
        for (int64_t k = low + 1; k < high; k++) r->refused[part] |= index_of(r, k) <= index_of(r, k - 1);
        r->line(r, line, low, high);
    }
}

// reduce(op, indptr, indices, data, across, explicit): returns the extreme of each line, or its index. A line without
// entries has 0. Returns nothing if a line is unsorted or has duplicates.
void op_reduce(SparseCall *call) {
    const SparseArg *name = &call->args[0];
    const ReduceOp *op = NULL;
    Reduce r = {.call = call, .across = call->args[4].whole, .explicit = call->args[5].whole != 0};
    for (size_t i = 0; name->kind == SPARSE_TEXT && i < sizeof reduce_ops / sizeof *reduce_ops; i++)
        if (strcmp(name->text, reduce_ops[i].name) == 0) op = &reduce_ops[i];
    if (!select_begin(call, &r.of, &call->args[1]) || !check_indptr(call, &call->args[1], r.of.entries)) return;
    r.line = op ? op->by_type[call->args[3].type] : NULL;
    if (!r.line) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "no such reduction of a sparse matrix");
        return;
    }
    r.parts = parts_of(call, call->args[2].count + r.of.from_lines, r.of.from_lines);
    r.refused = call->host->scratch(call, (size_t)r.parts);
    DType made = op->places ? DT_INT64 : call->args[3].type;
    r.to = r.refused ? call->host->scratch(call, (size_t)r.of.from_lines * entry_sizes[made]) : NULL;
    if (!r.to) return;
    call->host->share(call, reduce_part, &r, r.parts);
    for (int i = 0; i < r.parts; i++)
        if (r.refused[i]) return;
    void *out = call->host->array(call, made, r.of.from_lines);
    if (out && r.of.from_lines > 0) memcpy(out, r.to, (size_t)r.of.from_lines * entry_sizes[made]);
}
