// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = A B of two compressed matrices over a semiring, by Gustavson's algorithm, line by line. One pass counts the
// entries of each line, a second one computes them. A thread accumulates a line in a dense array, as wide as the
// matrix, with a mark for each column. Where that would be too wide for the amount of work, it uses a hash table. Lines
// of the result are sorted. Products of one entry are added in the order in which they occur, as in SciPy.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/ops.h"
#include "stdlib/sparse/product.h"

enum {
    RANKED = 32,        // most columns that are sorted by rank, comparing all pairs
    SCANNED = 16,       // marks are scanned if at least one in so many columns of a line's range is present
    PARTS_PER_THREAD = 16,
    DENSE_ALWAYS = 1 << 16, // up to this width dense accumulators are always used
};

// --- Sorting the columns of a line ---------------------------------------------------------------

// Tries the permutation that sorted the line before, which often fits in matrices of meshes. False: it does not sort
// this line; nothing is changed.
static bool sort_as_before(const Summing *s, int32_t *restrict columns, int64_t n) {
    int32_t to[RANKED];
    bool ascending = true;
    if (s->order_count != n) return false;
    for (int i = 0; i < n; i++) to[s->order[i]] = columns[i];
    for (int i = 1; i < n; i++) ascending &= to[i - 1] < to[i];
    if (ascending) memcpy(columns, to, (size_t)n * sizeof *columns);
    return ascending;
}

// Sorts by rank: a column's position is the number of smaller columns. The inner loop has a fixed length, so that it is
// vectorised.
static void sort_by_rank(Summing *s, int32_t *restrict columns, int64_t n) {
    int32_t from[RANKED], rank[RANKED] = {0};
    if (sort_as_before(s, columns, n)) return;
    for (int i = 0; i < RANKED; i++) from[i] = i < n ? columns[i] : INT32_MAX;
    for (int k = 0; n <= RANKED / 2 && k < n; k++)
        for (int i = 0; i < RANKED / 2; i++) rank[i] += from[k] < from[i];
    for (int k = 0; n > RANKED / 2 && k < n; k++)
        for (int i = 0; i < RANKED; i++) rank[i] += from[k] < from[i];
    for (int i = 0; i < n; i++) {
        columns[rank[i]] = from[i];
        s->order[i] = (uint8_t)rank[i];
    }
    s->order_count = (int)n;
}

// Sorts with a bottom-up merge sort, between `columns` and `room`.
#define SORT(I)                                                                                  \
    static void sort_##I(I *columns, I *room, int64_t n) {                                       \
        I *from = columns, *to = room;                                                           \
        for (int64_t run = 1; run < n; run *= 2) {                                               \
            for (int64_t low = 0; low < n; low += 2 * run) {                                     \
                int64_t i = low, middle = low + run < n ? low + run : n, k = middle;             \
                int64_t high = middle + run < n ? middle + run : n;                              \
                for (int64_t at = low; at < high; at++)                                          \
                    to[at] = k >= high || (i < middle && from[i] <= from[k]) ? from[i++] : from[k++]; \
            }                                                                                    \
            I *other = from;                                                                     \
            from = to;                                                                           \
            to = other;                                                                          \
        }                                                                                        \
        if (from != columns) memcpy(columns, from, (size_t)n * sizeof *columns);                 \
    }
SORT(int32_t)
SORT(int64_t)

// Sorts the n columns of a line, which are those marked with `mark`.
static void sort_marked(const Product *p, Summing *s, int64_t n, int32_t mark) {
    int32_t *columns = s->columns, low = INT32_MAX, high = 0;
    if (n <= RANKED) {
        sort_by_rank(s, columns, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        low = columns[i] < low ? columns[i] : low;
        high = columns[i] > high ? columns[i] : high;
    }
    if ((int64_t)high - low >= SCANNED * n) {
        sort_int32_t(columns, columns + p->longest, n);
        return;
    }
    int64_t found = 0;
    for (int64_t at = low; at <= high && found < n; at++) {
        columns[found] = (int32_t)at;
        found += s->marks[at] == mark;
    }
}

void sort_line(const Product *p, Summing *s, int64_t n, int32_t mark) {
    if (p->dense) sort_marked(p, s, n, mark);
    else sort_int64_t(s->wide_columns, s->wide_columns + p->longest, n);
}

// --- Counting ------------------------------------------------------------------------------------

#define COUNT(I)                                                                                          \
    static int64_t count_dense_##I(const Product *p, Summing *s, int64_t line) {                          \
        const I *a_indptr = p->a_indptr, *a_at = p->a_indices, *b_indptr = p->b_indptr, *b_at = p->b_indices; \
        int32_t *restrict marks = s->marks;                                                               \
        const int32_t mark = (int32_t)line;                                                               \
        int64_t n = 0;                                                                                    \
        for (I k = a_indptr[line]; k < a_indptr[line + 1]; k++) {                                         \
            const int64_t end = b_indptr[a_at[k] + 1];                                                    \
            for (int64_t l = b_indptr[a_at[k]]; l < end; l++) {                                           \
                n += marks[b_at[l]] != mark;                                                              \
                marks[b_at[l]] = mark;                                                                    \
            }                                                                                             \
        }                                                                                                 \
        return n;                                                                                         \
    }                                                                                                     \
    static int64_t count_hash_##I(const Product *p, Summing *s, int64_t line) {                           \
        const I *a_indptr = p->a_indptr, *a_at = p->a_indices, *b_indptr = p->b_indptr, *b_at = p->b_indices; \
        int64_t n = 0;                                                                                    \
        for (I k = a_indptr[line]; k < a_indptr[line + 1]; k++)                                           \
            for (I l = b_indptr[a_at[k]]; l < b_indptr[a_at[k] + 1]; l++) {                               \
                uint64_t slot = slot_of(p, s, b_at[l]);                                                   \
                if (s->keys[slot] >= 0) continue;                                                         \
                s->keys[slot] = b_at[l];                                                                  \
                s->taken[n++] = (int64_t)slot;                                                            \
            }                                                                                             \
        empty_table(s, n);                                                                                \
        return n;                                                                                         \
    }
COUNT(int32_t)
COUNT(int64_t)

// --- Division of work ----------------------------------------------------------------------------

static int64_t a_before(const Product *p, int64_t line) {
    return p->wide ? ((const int64_t *)p->a_indptr)[line] : ((const int32_t *)p->a_indptr)[line];
}

// Returns the first line of a part. Parts have about equal sums of lines and entries of A.
static int64_t line_before(const Product *p, int part) {
    if (part == 0) return 0;
    if (part == p->parts) return p->lines;
    int64_t wanted = part_begin(p->lines + a_before(p, p->lines), part, p->parts), low = 0, high = p->lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a_before(p, middle) + middle < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

enum { POLLED = 1024 }; // lines between two checks for interrupts

static void count_part(void *argument, int part, int worker) {
    Product *p = argument;
    Summing *s = &p->summing[worker];
    int64_t end = line_before(p, part + 1);
    for (int64_t line = line_before(p, part); line < end; line++) {
        if (line % POLLED == 0 && p->call->host->stopped(p->call)) return;
        p->counts[line] = p->dense ? p->wide ? count_dense_int64_t(p, s, line) : count_dense_int32_t(p, s, line)
                                   : p->wide ? count_hash_int64_t(p, s, line) : count_hash_int32_t(p, s, line);
    }
}

static void fill_part(void *argument, int part, int worker) {
    Product *p = argument;
    int64_t end = line_before(p, part + 1), next;
    for (int64_t line = line_before(p, part); line < end; line = next) {
        if (p->call->host->stopped(p->call)) return;
        next = end - line < POLLED ? end : line + POLLED;
        p->fill(p, &p->summing[worker], line, next);
    }
}

// Numbers of products, by part: the largest number for one line, and the number for all lines.
typedef struct Longest {
    Product *p;
    int64_t *longest, *all;
} Longest;

static void longest_part(void *argument, int part, int worker) {
    Longest *j = argument;
    const Product *p = j->p;
    int64_t end = line_before(p, part + 1), longest = 0, all = 0;
    (void)worker;
    for (int64_t line = line_before(p, part); line < end; line++) {
        int64_t n = 0;
        for (int64_t k = a_before(p, line); k < a_before(p, line + 1); k++) {
            int64_t of = p->wide ? ((const int64_t *)p->a_indices)[k] : ((const int32_t *)p->a_indices)[k];
            n += p->wide ? ((const int64_t *)p->b_indptr)[of + 1] - ((const int64_t *)p->b_indptr)[of]
                         : ((const int32_t *)p->b_indptr)[of + 1] - ((const int32_t *)p->b_indptr)[of];
        }
        longest = n > longest ? n : longest;
        all += n;
    }
    j->longest[part] = longest;
    j->all[part] = all;
}

// Sets p->longest, a bound on the entries of a line. Returns the number of products; -1: no memory.
static int64_t measure(Product *p) {
    Longest j = {.p = p, .longest = p->call->host->scratch(p->call, 2 * sizeof(int64_t) * (size_t)p->parts)};
    int64_t all = 0;
    if (!j.longest) return -1;
    j.all = j.longest + p->parts;
    p->call->host->share(p->call, longest_part, &j, p->parts);
    for (int i = 0; i < p->parts; i++) {
        all += j.all[i];
        p->longest = j.longest[i] > p->longest ? j.longest[i] : p->longest;
    }
    if (p->longest > p->width) p->longest = p->width;
    return all;
}

// --- Memory --------------------------------------------------------------------------------------

// Allocates each worker's arrays in one piece, the sums first, as they may need the largest alignment.
static bool summing_room(Product *p) {
    const size_t columns = p->dense ? (size_t)p->width : (size_t)p->slots;
    const size_t sums = (columns * p->size + 63) / 64 * 64, marks = (columns * (p->dense ? 4 : 8) + 63) / 64 * 64;
    const size_t each = sums + marks + ((size_t)p->longest * 3 + 1) * (p->dense ? 4 : 8);
    p->summing = p->call->host->scratch(p->call, (size_t)p->call->threads * sizeof *p->summing);
    for (int i = 0; p->summing && i < p->call->threads; i++) {
        char *room = p->call->host->scratch(p->call, each);
        if (!room) return false;
        Summing *s = &p->summing[i];
        *s = (Summing){.sums = room, .marks = (int32_t *)(room + sums), .keys = (int64_t *)(room + sums)};
        s->columns = (int32_t *)(room + sums + marks);
        s->wide_columns = (int64_t *)(room + sums + marks);
        s->taken = s->wide_columns + 2 * p->longest;
        memset(s->marks, 0xff, marks);
    }
    return p->summing != NULL;
}

static bool choose_sums(Product *p, int64_t products) {
    const int64_t dense_bytes = p->width * (int64_t)(p->size + 4) * p->call->threads;
    p->dense = p->lines < INT32_MAX && p->width < INT32_MAX &&
               (p->width <= DENSE_ALWAYS || dense_bytes / 16 <= products + p->lines);
    for (p->slots = 16, p->shift = 60; p->slots < 2 * p->longest; p->slots *= 2) p->shift--;
    return summing_room(p);
}

// --- The operation -------------------------------------------------------------------------------

static bool product_args(SparseCall *call, Product *p) {
    const SparseArg *a = call->args + 1, *b = call->args + 4;
    for (int i = 0; i < 6; i++)
        if (a[i].kind != SPARSE_ARRAY || (i % 3 != 2 && a[i].type != a->type)) {
            SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "both matrices' arrays of indices have to be of one type");
            return false;
        }
    if (a[2].type != b[2].type) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "both matrices have to be of one type");
        return false;
    }
    if (a[2].count < a[1].count || b[2].count < b[1].count) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices and data should have the same size");
        return false;
    }
    *p = (Product){.call = call, .a_indptr = a[0].data, .a_indices = a[1].data, .a_data = a[2].data, .b_indptr = b[0].data,
                   .b_indices = b[1].data, .b_data = b[2].data, .lines = a->count - 1, .width = call->args[7].whole,
                   .wide = a->type == DT_INT64, .size = entry_sizes[a[2].type]};
    const bool square = a[0].data == b[0].data && a[1].data == b[1].data && p->width == p->lines; // B is A
    if (!check_indptr(call, &a[0], a[1].count) || !check_indices(call, &a[1], b[0].count - 1)) return false;
    if (!square && (!check_indptr(call, &b[0], b[1].count) || !check_indices(call, &b[1], p->width))) return false;
    p->fill = fill_of(call->args[0].kind == SPARSE_TEXT ? call->args[0].text : "", p->wide, a[2].type);
    if (!p->fill) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "there is no such semiring for this type of entries");
    return p->fill != NULL;
}

// Turns the counts into the result's indptr and allocates the result. False: there are more entries than the index type
// can count, or no memory.
static bool sum_counts(Product *p, DType index) {
    int64_t all = 0;
    for (int64_t i = 0; i < p->lines; i++) all += p->counts[i];
    if (!p->wide && all > INT32_MAX) return false;
    p->to_indptr = p->call->host->array(p->call, index, p->lines + 1);
    p->to_indices = p->to_indptr ? p->call->host->array(p->call, index, all) : NULL;
    if (!p->to_indices) return false;
    all = 0;
    for (int64_t i = 0; i <= p->lines; i++) {
        if (p->wide) ((int64_t *)p->to_indptr)[i] = all;
        else ((int32_t *)p->to_indptr)[i] = (int32_t)all;
        if (i < p->lines) all += p->counts[i];
    }
    p->to_data = p->call->host->array(p->call, p->call->args[3].type, all);
    return p->to_data != NULL;
}

// matmul(semiring, indptr, indices, data, indptr, indices, data, width): returns indptr, indices and data of A B.
// Indices of A are lines of B; indices of B are below `width`. Index types and data types of A and B are the same.
// Returns nothing if the result has more entries than the index type can count.
void op_matmul(SparseCall *call) {
    Product p;
    if (!product_args(call, &p)) return;
    p.parts = parts_of(call, a_before(&p, p.lines) + p.lines, p.lines);
    if (p.parts > 1) {
        int64_t parts = (int64_t)call->threads * PARTS_PER_THREAD;
        p.parts = (int)(parts < p.lines ? parts : p.lines);
    }
    int64_t products = measure(&p);
    p.counts = products < 0 ? NULL : call->host->scratch(call, sizeof(int64_t) * (size_t)p.lines);
    if (!p.counts || !choose_sums(&p, products)) return;
    call->host->share(call, count_part, &p, p.parts);
    if (call->host->stopped(call) || !sum_counts(&p, call->args[1].type)) return;
    call->host->share(call, fill_part, &p, p.parts);
}
