// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = A op B, element by element, for two compressed matrices of one shape and type whose lines are sorted without
// duplicates. Lines are merged into short blocks of aligned operands, padded with zeros where one matrix has no entry.
// A loop over the block applies the operation, and nonzero results are kept. Scratch memory has room for the entries of
// both operands. When the size of the result is known, the kept entries are copied to it.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/ops.h"

// Entries that are merged before the operation is applied: four arrays of them fit in the first-level cache.
enum { BLOCK = 256 };

typedef struct MergeBlock {
    _Alignas(64) char a[BLOCK * 16];
    _Alignas(64) char b[BLOCK * 16];
    _Alignas(64) char made[BLOCK * 16];
    _Alignas(64) char at[BLOCK * 8]; // indices
    uint8_t keep[BLOCK];
} MergeBlock;

struct MergeJob;
struct Merging;
typedef int64_t (*AlignFn)(const struct MergeJob *j, struct Merging *m);
typedef void (*ElementFn)(MergeBlock *block, int64_t n);
typedef int64_t (*KeepFn)(const MergeBlock *block, int64_t from, int64_t n, void *at, void *data);

typedef struct MergeJob {
    SparseCall *call;
    const void *indptr[2], *indices[2], *data[2];
    int64_t entries[2], lines, across;
    bool wide;
    size_t index_size, size, made_size; // bytes of an index, an operand's element, a result's element
    AlignFn align;
    ElementFn element;
    KeepFn keep;
    char *indices_room, *data_room; // scratch memory for the entries of both operands
    int64_t *counts;                // by line: its entries in the result
    int64_t *kept, *place;          // by part: entries of it, later of all parts before it; place in scratch
    bool *refused;                  // by part: a line is not sorted
    int parts;
    void *made_indptr;
    char *made_indices, *made_data;
} MergeJob;

// How far the merging of a part has got.
typedef struct Merging {
    int64_t line, next[2], end[2]; // the current line; in both operands its next entry, and its end
    int64_t last;                  // index of the last entry that was merged in this line
    int64_t n;                     // entries in the block
    bool refused;
    MergeBlock block;
} Merging;

// Merges the rest of the line into the block, as far as there is room. Returns the number of entries in the block. The
// first loop is for equal indices, as of matrices on one mesh: no entry waits for the comparison before it.
#define ALIGN(I, BITS, E)                                                                                \
    static int64_t align_##I##_##BITS(const MergeJob *j, Merging *m) {                                   \
        const I *restrict at_a = j->indices[0], *restrict at_b = j->indices[1];                          \
        const E *restrict from_a = j->data[0], *restrict from_b = j->data[1], zero = {0};                \
        E *restrict a = (E *)m->block.a, *restrict b = (E *)m->block.b;                                  \
        I *restrict to_at = (I *)m->block.at;                                                            \
        int64_t i = m->next[0], k = m->next[1], n = m->n, last = m->last;                                \
        const int64_t end_a = m->end[0], end_b = m->end[1];                                              \
        bool refused = m->refused;                                                                       \
        for (; i < end_a && k < end_b && n < BLOCK && at_a[i] == at_b[k]; n++, i++, k++) {               \
            int64_t at = at_a[i];                                                                        \
            a[n] = from_a[i];                                                                            \
            b[n] = from_b[k];                                                                            \
            refused |= at <= last;                                                                       \
            to_at[n] = (I)(last = at);                                                                   \
        }                                                                                                \
        for (; i < end_a && k < end_b && n < BLOCK; n++) {                                               \
            int64_t in_a = at_a[i], in_b = at_b[k], at = in_a < in_b ? in_a : in_b;                      \
            bool has_a = in_a == at, has_b = in_b == at;                                                 \
            a[n] = has_a ? from_a[i] : zero;                                                             \
            b[n] = has_b ? from_b[k] : zero;                                                             \
            refused |= at <= last;                                                                       \
            to_at[n] = (I)(last = at);                                                                   \
            i += has_a;                                                                                  \
            k += has_b;                                                                                  \
        }                                                                                                \
        for (; i < end_a && k >= end_b && n < BLOCK; n++, i++) {                                         \
            int64_t at = at_a[i];                                                                        \
            a[n] = from_a[i];                                                                            \
            b[n] = zero;                                                                                 \
            refused |= at <= last;                                                                       \
            to_at[n] = (I)(last = at);                                                                   \
        }                                                                                                \
        for (; k < end_b && i >= end_a && n < BLOCK; n++, k++) {                                         \
            int64_t at = at_b[k];                                                                        \
            a[n] = zero;                                                                                 \
            b[n] = from_b[k];                                                                            \
            refused |= at <= last;                                                                       \
            to_at[n] = (I)(last = at);                                                                   \
        }                                                                                                \
        m->next[0] = i;                                                                                  \
        m->next[1] = k;                                                                                  \
        m->last = last;                                                                                  \
        m->refused = refused;                                                                            \
        return n;                                                                                        \
    }
#define ALIGN_SIZE(I, BYTES, E) ALIGN(I, BYTES, E)
SPARSE_SIZES(ALIGN_SIZE, int32_t)
SPARSE_SIZES(ALIGN_SIZE, int64_t)
#define ALIGN_ROW(I, BYTES, E) align_##I##_##BYTES,
static const AlignFn aligns[2][5] = {{SPARSE_SIZES(ALIGN_ROW, int32_t)}, {SPARSE_SIZES(ALIGN_ROW, int64_t)}};

// Appends the kept entries of [from, n) of a block; returns how many there are. The loop is branchless: each entry is
// written, and the next one overwrites it if it is not kept.
#define KEEP(I, BYTES, E)                                                                                \
    static int64_t keep_##I##_##BYTES(const MergeBlock *block, int64_t from, int64_t n, void *at, void *data) { \
        const E *restrict made = (const E *)block->made;                                                 \
        const I *restrict from_at = (const I *)block->at;                                                \
        I *restrict to_at = at;                                                                          \
        E *restrict to = data;                                                                           \
        int64_t kept = 0;                                                                                \
        for (int64_t i = from; i < n; i++) {                                                             \
            to_at[kept] = from_at[i];                                                                    \
            to[kept] = made[i];                                                                          \
            kept += block->keep[i];                                                                      \
        }                                                                                                \
        return kept;                                                                                     \
    }
SPARSE_SIZES(KEEP, int32_t)
SPARSE_SIZES(KEEP, int64_t)
#define KEEP_ROW(I, BYTES, E) keep_##I##_##BYTES,
static const KeepFn keeps[2][5] = {{SPARSE_SIZES(KEEP_ROW, int32_t)}, {SPARSE_SIZES(KEEP_ROW, int64_t)}};

// --- The operations ------------------------------------------------------------------------------

#define ELEMENT(op, ID, ctype, R, EXPRESSION)                                          \
    static void op##_##ID(MergeBlock *block, int64_t n) {                              \
        typedef ctype T;                                                               \
        const T *restrict a = (const T *)block->a, *restrict b = (const T *)block->b;  \
        R *restrict made = (R *)block->made;                                           \
        for (int64_t i = 0; i < n; i++) {                                              \
            R v = (R)(EXPRESSION);                                                     \
            made[i] = v;                                                               \
            block->keep[i] = v != 0;                                                   \
        }                                                                              \
    }
#define ARITHMETIC(A, ID, name, T, FORM, KIND, ...)              \
    FORM##_ENTRY(ELEMENT(add, ID, T, T, ADD_##KIND(a[i], b[i]))  \
    ELEMENT(subtract, ID, T, T, SUBTRACT_##KIND(a[i], b[i]))     \
    ELEMENT(multiply, ID, T, T, MULTIPLY_##KIND(a[i], b[i]))     \
    ELEMENT(maximum, ID, T, T, MAXIMUM(KIND, a[i], b[i]))        \
    ELEMENT(minimum, ID, T, T, MINIMUM(KIND, a[i], b[i]))        \
    ELEMENT(not_equal, ID, T, uint8_t, a[i] != b[i])             \
    ELEMENT(less, ID, T, uint8_t, LESS_##KIND(a[i], b[i]))       \
    ELEMENT(greater, ID, T, uint8_t, LESS_##KIND(b[i], a[i])))
NACRE_DTYPES(ARITHMETIC, )
ELEMENT(divide, FLOAT32, float, float, DIVIDE_FLOAT(a[i], b[i]))
ELEMENT(divide, FLOAT64, double, double, DIVIDE_FLOAT(a[i], b[i]))
ELEMENT(divide, COMPLEX64, float _Complex, float _Complex, DIVIDE_COMPLEX(a[i], b[i]))
ELEMENT(divide, COMPLEX128, double _Complex, double _Complex, DIVIDE_COMPLEX(a[i], b[i]))

typedef struct MergeOp {
    const char *name;
    bool gives_bool;
    ElementFn by_type[DT_COUNT];
} MergeOp;

#define OF_TYPE(op, ID, name, ctype, FORM, ...) FORM##_ENTRY([DT_##ID] = op##_##ID,)
static const MergeOp merge_ops[] = {
    {"add", false, {NACRE_DTYPES(OF_TYPE, add)}},
    {"subtract", false, {NACRE_DTYPES(OF_TYPE, subtract)}},
    {"multiply", false, {NACRE_DTYPES(OF_TYPE, multiply)}},
    {"divide", false, {[DT_FLOAT32] = divide_FLOAT32, [DT_FLOAT64] = divide_FLOAT64, [DT_COMPLEX64] = divide_COMPLEX64,
                       [DT_COMPLEX128] = divide_COMPLEX128}},
    {"maximum", false, {NACRE_DTYPES(OF_TYPE, maximum)}},
    {"minimum", false, {NACRE_DTYPES(OF_TYPE, minimum)}},
    {"not_equal", true, {NACRE_DTYPES(OF_TYPE, not_equal)}},
    {"less", true, {NACRE_DTYPES(OF_TYPE, less)}},
    {"greater", true, {NACRE_DTYPES(OF_TYPE, greater)}},
};

// --- Parts ---------------------------------------------------------------------------------------

static int64_t indptr_at(const MergeJob *j, int operand, int64_t line) {
    return j->wide ? ((const int64_t *)j->indptr[operand])[line] : ((const int32_t *)j->indptr[operand])[line];
}

static int64_t entries_before(const MergeJob *j, int64_t line) {
    return indptr_at(j, 0, line) + indptr_at(j, 1, line);
}

// Returns the first line of a part. Parts have about equal sums of lines and entries.
static int64_t line_before(const MergeJob *j, int part) {
    if (part == 0) return 0;
    if (part == j->parts) return j->lines;
    int64_t wanted = part_begin(j->lines + entries_before(j, j->lines), part, j->parts), low = 0, high = j->lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (entries_before(j, middle) + middle < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void begin_line(const MergeJob *j, Merging *m, int64_t end) {
    m->last = -1;
    for (int i = 0; m->line < end && i < 2; i++) {
        m->next[i] = indptr_at(j, i, m->line);
        m->end[i] = indptr_at(j, i, m->line + 1);
    }
}

// Applies the operation to the block and appends the nonzero results at `to` in scratch memory. The block has the lines
// `line`, line + 1, …; the entries of line + i end at ends[i]. The last line may continue in the next block. Returns
// the end of the appended entries.
static int64_t finish_block(const MergeJob *j, Merging *m, int64_t line, const int32_t *ends, int lines, int64_t to) {
    int64_t from = 0, before = to;
    j->element(&m->block, m->n);
    if (!memchr(m->block.keep, 0, (size_t)m->n)) { // no result is zero
        for (int i = 0; i < lines; from = ends[i++]) j->counts[line + i] += ends[i] - from;
        memcpy(j->indices_room + (size_t)to * j->index_size, m->block.at, (size_t)m->n * j->index_size);
        memcpy(j->data_room + (size_t)to * j->made_size, m->block.made, (size_t)m->n * j->made_size);
        return to + m->n;
    }
    for (int i = 0; i < lines; from = ends[i++]) {
        to += j->keep(&m->block, from, ends[i], j->indices_room + (size_t)to * j->index_size, j->data_room + (size_t)to * j->made_size);
        j->counts[line + i] += to - before;
        before = to;
    }
    return to;
}

static void merge_part(void *argument, int part, int worker) {
    MergeJob *j = argument;
    int64_t end = line_before(j, part + 1), begin = line_before(j, part), to = entries_before(j, begin);
    Merging m; // left uninitialised, as it is large
    int32_t ends[BLOCK];
    (void)worker;
    m.line = begin;
    m.refused = false;
    j->place[part] = to;
    begin_line(j, &m, end);
    while (m.line < end && !m.refused && !j->call->host->stopped(j->call)) {
        int64_t first = m.line;
        int lines = 0;
        for (m.n = 0; m.line < end && m.n < BLOCK && lines < BLOCK; ends[lines++] = (int32_t)m.n) {
            m.n = j->align(j, &m);
            if (m.next[0] < m.end[0] || m.next[1] < m.end[1]) continue;
            m.refused |= m.last >= j->across;
            m.line++;
            begin_line(j, &m, end);
        }
        to = finish_block(j, &m, first, ends, lines, to);
    }
    j->kept[part] = to - j->place[part];
    j->refused[part] = m.refused;
}

// Copies a part to the result. j->kept[part] is where its entries begin there.
static void move_part(void *argument, int part, int worker) {
    MergeJob *j = argument;
    int64_t end = line_before(j, part + 1), sum = j->kept[part];
    (void)worker;
    for (int64_t line = line_before(j, part); line < end; line++) {
        sum += j->counts[line];
        if (j->wide) ((int64_t *)j->made_indptr)[line + 1] = sum;
        else ((int32_t *)j->made_indptr)[line + 1] = (int32_t)sum;
    }
    size_t n = (size_t)(sum - j->kept[part]), from = (size_t)j->place[part], to = (size_t)j->kept[part];
    if (n == 0) return;
    memcpy(j->made_indices + to * j->index_size, j->indices_room + from * j->index_size, n * j->index_size);
    memcpy(j->made_data + to * j->made_size, j->data_room + from * j->made_size, n * j->made_size);
}

// --- The operation -------------------------------------------------------------------------------

static const MergeOp *merge_op_of(SparseCall *call, const SparseArg *name) {
    for (size_t i = 0; name->kind == SPARSE_TEXT && i < sizeof merge_ops / sizeof *merge_ops; i++)
        if (strcmp(name->text, merge_ops[i].name) == 0) return &merge_ops[i];
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "no such operation on two sparse matrices");
    return NULL;
}

static bool merge_room(MergeJob *j) {
    const SparseHost *host = j->call->host;
    size_t n = (size_t)(j->entries[0] + j->entries[1]);
    int64_t *numbers = host->scratch(j->call, ((size_t)j->lines + 2 * (size_t)j->parts) * sizeof *numbers + (size_t)j->parts);
    if (!numbers) return false;
    j->counts = numbers;
    j->kept = numbers + j->lines;
    j->place = j->kept + j->parts;
    j->refused = (bool *)(j->place + j->parts);
    memset(j->counts, 0, (size_t)j->lines * sizeof *j->counts);
    j->indices_room = host->scratch(j->call, n * j->index_size);
    j->data_room = j->indices_room ? host->scratch(j->call, n * j->made_size) : NULL;
    return j->data_room != NULL;
}

static void merge_out(MergeJob *j, DType index, DType made) {
    const SparseHost *host = j->call->host;
    int64_t total = 0;
    for (int i = 0; i < j->parts; i++) {
        int64_t kept = j->kept[i];
        j->kept[i] = total;
        total += kept;
    }
    j->made_indptr = host->array(j->call, index, j->lines + 1);
    j->made_indices = j->made_indptr ? host->array(j->call, index, total) : NULL;
    j->made_data = j->made_indices ? host->array(j->call, made, total) : NULL;
    if (!j->made_data) return;
    memset(j->made_indptr, 0, j->index_size);
    host->share(j->call, move_part, j, j->parts);
}

// Returns whether the operands' arrays have the same types, which the result then has, too.
static bool same_types(const SparseArg *a, const SparseArg *b) {
    return a[0].kind == SPARSE_ARRAY && a[1].kind == SPARSE_ARRAY && a[2].kind == SPARSE_ARRAY && b[0].kind == SPARSE_ARRAY &&
           b[1].kind == SPARSE_ARRAY && b[2].kind == SPARSE_ARRAY && a[0].type == b[0].type && a[0].type == a[1].type &&
           b[0].type == b[1].type && a[2].type == b[2].type && a[0].count == b[0].count;
}

// merge(op, indptr, indices, data, indptr, indices, data, across): returns indptr, indices and data of A op B. Returns
// nothing if the types differ, there may be too many entries for the index type, or a line is unsorted or has
// duplicates: the language converts the operands then and calls again.
void op_merge(SparseCall *call) {
    const SparseArg *a = call->args + 1, *b = call->args + 4;
    const MergeOp *op = merge_op_of(call, &call->args[0]);
    if (!op || !same_types(a, b) || (a->type != DT_INT32 && a->type != DT_INT64) || !entry_sizes[a[2].type]) return;
    if (!check_indptr(call, &a[0], a[1].count < a[2].count ? a[1].count : a[2].count)) return;
    if (!check_indptr(call, &b[0], b[1].count < b[2].count ? b[1].count : b[2].count)) return;
    MergeJob j = {.call = call, .lines = a->count - 1, .across = call->args[7].whole, .wide = a->type == DT_INT64};
    for (int i = 0; i < 2; i++) {
        const SparseArg *of = i == 0 ? a : b;
        j.indptr[i] = of[0].data;
        j.indices[i] = of[1].data;
        j.data[i] = of[2].data;
        j.entries[i] = index_at(&of[0], j.lines);
    }
    const int64_t all = j.entries[0] + j.entries[1];
    if (!j.wide && all > INT32_MAX) return;
    const DType made = op->gives_bool ? DT_BOOL : a[2].type;
    j.index_size = j.wide ? 8 : 4;
    j.size = entry_sizes[a[2].type];
    j.made_size = entry_sizes[made];
    j.align = aligns[j.wide][size_place(j.size)];
    j.keep = keeps[j.wide][size_place(j.made_size)];
    j.element = op->by_type[a[2].type];
    j.parts = parts_of(call, all + j.lines, j.lines);
    if (!j.element || !merge_room(&j)) return;
    call->host->share(call, merge_part, &j, j.parts);
    for (int i = 0; i < j.parts; i++)
        if (j.refused[i]) return;
    if (!call->host->stopped(call)) merge_out(&j, a->type, made);
}
