// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorting rows, searching sorted rows, and counting.
// Elements are mapped to unsigned keys of the same order, so one sort serves every type: integers
// get their sign bit flipped, negative floats all bits. All NaNs share the last key, and both zeros
// one key, so a stable sort by key is a stable sort by value.

#include <string.h>

#include "backends/cpu/tile/tile.h"

enum {
    DIGITS = 256,
    RUN = 16,         // items sorted by all-pairs comparison
    RADIX_WORTH = 32, // items per key byte from which radix sort is faster
    BLOCK = 1 << 16,  // items between two polls for interrupts
    DIGIT_MOST = 11,  // maximum bits of a digit if only leading bits are sorted; maximum digits
    PASSES = 3,
    MERGE_WORTH = 256,     // items below which merge sort is faster
    NEAR = 1 << 14,        // items that stay in a core's cache even if scattered
    MOVES_EACH = 8,        // insertion moves per item above which all digits are sorted
    SPLIT_WORTH = 1 << 16, // items from which a row is distributed to buckets
    SPLIT_PARTS = 4,       // parts for threads
    BIN_BITS = 15,         // bins of the key range, later merged into buckets
    BUCKETS = 128,
    SAMPLE = 512,          // items sampled to estimate quantiles
    PART_WORTH = 1 << 14,
    SEARCH_EACH = 8,       // searches from which the whole row is mapped to keys
};

// --- Keys --------------------------------------------------------------------------------------

// Parameters of the key mapping for a type.
typedef struct Order {
    bool floating;
    uint64_t sign, flip; // sign bit; bits to flip for integers
    uint64_t infinity;   // larger magnitudes are NaN
    uint64_t last;       // the largest key
} Order;

static Order order_of(DType type) {
    size_t bits = 8 * dtype_size(dtype_real(type));
    Order order = {.floating = dtype_kind(type) == DK_FLOAT, .sign = (uint64_t)1 << (bits - 1)};
    if (dtype_kind(type) == DK_COMPLEX) return order_of(dtype_real(type));
    order.flip = dtype_kind(type) == DK_INT ? order.sign : 0;
    order.last = order.sign | (order.sign - 1);
    switch (type) {
    case DT_FLOAT16: order.infinity = 0x7C00; break;
    case DT_FLOAT32: order.infinity = 0x7F800000; break;
    default: order.infinity = 0x7FF0000000000000; break;
    }
    return order;
}

static inline bool is_zero(uint64_t bits, const Order *order) {
    return (bits & ~order->sign) == 0;
}
static inline bool is_nan(uint64_t bits, const Order *order) {
    return (bits & ~order->sign) > order->infinity;
}

static inline uint64_t key_of(uint64_t bits, const Order *order) {
    if (!order->floating) return bits ^ order->flip;
    if (is_nan(bits, order)) return order->last;
    if (is_zero(bits, order)) return order->sign;
    return bits & order->sign ? ~bits & order->last : bits | order->sign;
}

// As key_of, but invertible: zeros of both signs, and NaNs, keep keys of their own.
static inline uint64_t exact_key(uint64_t bits, const Order *order) {
    if (!order->floating) return bits ^ order->flip;
    uint64_t negative = -(uint64_t)((bits & order->sign) != 0), nan = -(uint64_t)is_nan(bits, order);
    // arithmetic instead of a branch, since signs are unpredictable
    uint64_t key = bits ^ (order->sign | (order->last & negative));
    return (key & ~nan) | ((bits | order->sign) & nan);
}
static inline uint64_t exact_bits(uint64_t key, const Order *order) {
    if (!order->floating) return key ^ order->flip;
    uint64_t negative = -(uint64_t)((key & order->sign) == 0);
    return key ^ (order->sign | (order->last & negative));
}

// --- Sorting items -----------------------------------------------------------------------------

typedef struct Pair {
    uint64_t key;
    int64_t at;
} Pair;

// Number of leading bits to sort by: enough to distinguish nearly all of n items. A row is less
// uniform than a bucket, so it takes more.
typedef struct Digits {
    int bits, passes;
} Digits;

static Digits row_digits(size_t n) {
    return (Digits){n < NEAR ? 8 : DIGIT_MOST, PASSES};
}
static Digits bucket_digits(size_t n) {
    return (Digits){n < NEAR ? 8 : n < 4 * NEAR ? 10 : DIGIT_MOST, n < 4 * NEAR ? 2 : PASSES};
}

// Tables for a row sorted in buckets: per part the count of each bin and the next position in each
// bucket; the bucket of each bin; bucket boundaries.
typedef struct SplitTables {
    uint32_t counts[SPLIT_PARTS][1 << BIN_BITS], at[SPLIT_PARTS][BUCKETS + 1], starts[BUCKETS + 2];
    uint8_t bucket_of[1 << BIN_BITS];
} SplitTables;

static size_t split_begin(size_t n, int part) {
    return n / SPLIT_PARTS * (size_t)part + (part == SPLIT_PARTS ? n % SPLIT_PARTS : 0);
}

static uint32_t split_bin(const SplitTables *t, size_t bin, int bucket, uint32_t (*sums)[BUCKETS + 1]) {
    uint32_t total = 0;
    for (int p = 0; p < SPLIT_PARTS; p++) {
        sums[p][bucket] += t->counts[p][bin];
        total += t->counts[p][bin];
    }
    return total;
}

// Merges bins to buckets of at least n / BUCKETS items. Returns the number of buckets.
static int split_plan(SplitTables *t, size_t n) {
    int bucket = 0;
    size_t size = 0, worth = n / BUCKETS + 1;
    uint32_t place = 0;
    memset(t->at, 0, sizeof t->at);
    for (size_t bin = 0; bin < (size_t)1 << BIN_BITS; bin++) {
        size += split_bin(t, bin, bucket, t->at);
        t->bucket_of[bin] = (uint8_t)bucket;
        if (size < worth) continue;
        size = 0;
        bucket++;
    }
    for (int b = 0; b <= bucket; b++) {
        t->starts[b] = place;
        for (int p = 0; p < SPLIT_PARTS; p++) {
            uint32_t count = t->at[p][b];
            t->at[p][b] = place;
            place += count;
        }
    }
    t->starts[bucket + 1] = place;
    return bucket + 1;
}

// Returns the index of the i-th item of a random sample of n items.
static size_t sampled(size_t i, size_t n) {
    uint64_t at = (i + 1) * 0x9E3779B97F4A7C15u;
    at = (at ^ at >> 29) * 0xBF58476D1CE4E5B9u;
    return (size_t)(((unsigned __int128)(at ^ at >> 32) * n) >> 64);
}

#define ITEM uint8_t
#define KEY(x) (x)
#define OF_KEY(x) ((uint8_t)(x))
#define NAME(f) f##_8
#include "backends/cpu/select/sort_template.h"
#define ITEM uint16_t
#define KEY(x) (x)
#define OF_KEY(x) ((uint16_t)(x))
#define NAME(f) f##_16
#include "backends/cpu/select/sort_template.h"
#define ITEM uint32_t
#define KEY(x) (x)
#define OF_KEY(x) ((uint32_t)(x))
#define NAME(f) f##_32
#include "backends/cpu/select/sort_template.h"
#define ITEM uint64_t
#define KEY(x) (x)
#define OF_KEY(x) ((uint64_t)(x))
#define NAME(f) f##_64
#include "backends/cpu/select/sort_template.h"
#define ITEM Pair
#define KEY(x) ((x).key)
#define NAME(f) f##_pair
#include "backends/cpu/few.h"
#include "backends/cpu/library.h"
#include "backends/cpu/select/sort_template.h"
#include "backends/cpu/tile/move.h"

// --- Rows --------------------------------------------------------------------------------------

// One row: n elements `stride` bytes apart, and the destination.
typedef struct Row {
    const char *from;
    char *to;
    int64_t stride, to_stride;
    size_t n;
    void *workspace; // room for 2 n items
    size_t part, part_end; // range of positions that must be correct (partition); `part_end` 0: all
    SplitTables *tables;   // NULL: the row is shorter than SPLIT_WORTH
} Row;

// A sorted row of n elements to be searched.
typedef struct Search {
    DType type;
    Order order;
    bool right;          // insert after equal elements
    const char *at;
    int64_t stride, n;
    const void *keys;    // keys of all elements; NULL: few searches, so keys are computed as needed
} Search;

// Elements to search for, and where their positions go.
typedef struct SearchRow {
    const char *from;
    char *to;
    int64_t stride, to_stride;
} SearchRow;

typedef void (*RowFn)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags);

// Work on each element of a row, shared by threads if the row is long. `run` processes elements begin … end - 1, and
// returns whether a key does not determine the bits of its element.
typedef struct RowJob {
    Job job;
    const Row *row;
    const Order *order;
    void *keys;
    bool (*run)(const struct RowJob *job, size_t begin, size_t end);
    bool is_last; // writes the result, which may be the operand, and so is not interrupted
    atomic_bool lost;
} RowJob;

static void row_part(void *argument, int part, int worker) {
    RowJob *job = argument;
    uint32_t flags = 0;
    size_t at = split_begin(job->row->n, part), end = split_begin(job->row->n, part + 1);
    (void)worker;
    for (size_t next; at < end && (job->is_last || !interrupted(job->job.cpu, &flags)); at = next) {
        next = end - at > BLOCK ? at + BLOCK : end;
        if (job->run(job, at, next)) atomic_store(&job->lost, true);
    }
    atomic_fetch_or(&job->job.flags, flags);
}

static bool row_shared(const Cpu *cpu, RowJob *job, uint32_t *flags) {
    if (!job->row->tables) return job->run(job, 0, job->row->n);
    share_out(cpu, row_part, job, SPLIT_PARTS, flags);
    return atomic_load(&job->lost);
}

// Partitions most of a row by vector instructions, if there is a loop for it; returns how far it came.
static Apart begin_apart(const Cpu *cpu, const Row *row, const Order *o, uint64_t low, uint64_t high, size_t size,
                         bool places) {
    Apart a = {.from = (const uint64_t *)row->from, .n = row->n, .floating = o->floating, .places = places,
               .sign = o->sign, .last = o->last, .infinity = o->infinity, .flip = o->flip, .low = low, .high = high,
               .to = (uint64_t *)row->to, .between = row->workspace};
    bool fits = size == sizeof *a.to && row->stride == sizeof *a.to && row->to_stride == sizeof *a.to;
    if (fits && cpu->loops->apart_64) cpu->loops->apart_64(&a);
    return a;
}

#define BITS 8
#define WORD uint8_t
#define NAME(f) f##_8
#include "backends/cpu/select/sort_rows_template.h"
#define BITS 16
#define WORD uint16_t
#define NAME(f) f##_16
#include "backends/cpu/select/sort_rows_template.h"
#define BITS 32
#define WORD uint32_t
#define NAME(f) f##_32
#include "backends/cpu/select/sort_rows_template.h"
#define BITS 64
#define WORD uint64_t
#define NAME(f) f##_64
#include "backends/cpu/select/sort_rows_template.h"

// --- Rows of complex numbers -------------------------------------------------------------------

// A two-level order for complex numbers: the second key decides if the first is equal. After all
// numbers come those with NaN as imaginary part, then as real part, then both.
typedef struct TwoKeys {
    uint64_t first, second;
} TwoKeys;

static TwoKeys two_keys(uint64_t re, uint64_t im, const Order *order) {
    bool re_nan = is_nan(re, order), im_nan = is_nan(im, order);
    if (re_nan && im_nan) return (TwoKeys){order->last, 0};
    if (re_nan) return (TwoKeys){order->last - 1, key_of(im, order)};
    if (im_nan) return (TwoKeys){order->last - 2, key_of(re, order)};
    return (TwoKeys){key_of(re, order), key_of(im, order)};
}

static bool is_before(TwoKeys a, TwoKeys b, bool or_equal) {
    if (a.first != b.first) return a.first < b.first;
    return or_equal ? a.second <= b.second : a.second < b.second;
}

#define BITS 32
#define NAME(f) f##_32
#include "backends/cpu/select/sort_complex_template.h"
#define BITS 64
#define NAME(f) f##_64
#include "backends/cpu/select/sort_complex_template.h"

// --- Any row -----------------------------------------------------------------------------------

typedef struct Width {
    RowFn sort, argsort;
    void (*encode)(const Search *search, void *keys); // NULL: keys are not stored
    int64_t (*search)(const Search *search, const char *wanted);
    void (*search_row)(const Search *search, const SearchRow *row, int64_t begin, int64_t end); // uses stored keys
} Width;

static const Width widths[] = {
    [1] = {sort_row_8, argsort_row_8, encode_8, search_8, search_row_8},
    [2] = {sort_row_16, argsort_row_16, encode_16, search_16, search_row_16},
    [4] = {sort_row_32, argsort_row_32, encode_32, search_32, search_row_32},
    [8] = {sort_row_64, argsort_row_64, encode_64, search_64, search_row_64},
};
static const Width complex_widths[] = {
    [4] = {sort_complex_32, argsort_complex_32, NULL, search_complex_32, NULL},
    [8] = {sort_complex_64, argsort_complex_64, NULL, search_complex_64, NULL},
};

static const Width *width_of(DType type) {
    if (dtype_kind(type) == DK_COMPLEX) return &complex_widths[dtype_size(type) / 2];
    return &widths[dtype_size(type)];
}

static bool is_in_place(const Kernel *k) {
    return k->args[0].view.storage == k->result.view.storage;
}

static size_t aligned(size_t bytes) {
    return (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

static size_t row_workspace(const Kernel *k) {
    const View *in = &k->args[0].view;
    bool bare = k->library == AOP_SORT && dtype_kind(in->dtype) != DK_COMPLEX;
    size_t item = bare ? dtype_size(in->dtype) : sizeof(Pair), n = (size_t)in->shape[axis_of(k)];
    size_t aside = is_in_place(k) ? dtype_size(in->dtype) : 0;
    return aligned(n * 2 * item) + aligned(n * aside) +
           (n < SPLIT_WORTH ? 0 : aligned(sizeof(SplitTables)));
}

// Returns into how many parts the rows are divided for threads. 1 if there is little work, or fewer rows than threads:
// then the rows are sorted one after the other, each by several threads if it is long.
static int sort_parts(const Cpu *cpu, const Kernel *k) {
    const View *in = &k->args[0].view;
    int64_t size = view_size(in), rows = size / (size > 0 ? in->shape[axis_of(k)] : 1);
    return size < PARALLEL_WORK || cpu->threads < 2 || rows < cpu->threads ? 1 : parts_for(cpu, rows);
}

static size_t sort_workspace(const Cpu *cpu, const Kernel *k) {
    return row_workspace(k) * (size_t)(sort_parts(cpu, k) > 1 ? cpu->threads : 1);
}

typedef struct SortJob {
    Job job;
    const Kernel *kernel;
    int64_t shape[NDIM_MAX], rows; // shape of the stack of rows; their number
    int parts;
} SortJob;

// Advances the addresses from the first row to row `number`, and sets `index` to its indices.
static void go_to_row(const SortJob *s, int64_t number, int64_t *index, char **from, char **to) {
    const View *in = &s->kernel->args[0].view, *out = &s->kernel->result.view;
    for (int d = in->ndim - 1; d >= 0; d--) {
        index[d] = number % s->shape[d];
        number /= s->shape[d];
        *from += index[d] * in->strides[d];
        *to += index[d] * out->strides[d];
    }
}

static void sort_rows(void *argument, int part, int worker) {
    SortJob *s = argument;
    const Kernel *k = s->kernel;
    const View *in = &k->args[0].view, *out = &k->result.view;
    const Width *width = width_of(in->dtype);
    const RowFn sort = k->library == AOP_SORT ? width->sort : width->argsort;
    const Order order = order_of(in->dtype);
    int axis = axis_of(k);
    int64_t index[NDIM_MAX], begin = s->rows * part / s->parts, count = s->rows * (part + 1) / s->parts - begin;
    const int64_t *strides[2] = {in->strides, out->strides};
    char *at[2] = {arg_at(&k->args[0]), arg_at(&k->result)};
    size_t size = dtype_size(in->dtype), n = (size_t)in->shape[axis], bytes = row_workspace(k);
    char *workspace = (char *)k->workspace + bytes * (size_t)worker;
    // the workspace ends with the tables, preceded by a copy of a row sorted in place
    if (n >= SPLIT_WORTH) bytes -= aligned(sizeof(SplitTables));
    SplitTables *tables = n >= SPLIT_WORTH ? (SplitTables *)(workspace + bytes) : NULL;
    char *aside = is_in_place(k) ? workspace + bytes - aligned(n * size) : NULL;
    uint32_t flags = 0;
    go_to_row(s, begin, index, &at[0], &at[1]);
    for (; count > 0 && !interrupted(s->job.cpu, &flags); count--) {
        Row row = {at[0], at[1], in->strides[axis], out->strides[axis], n, workspace,
                   (size_t)k->attrs.step, (size_t)(k->attrs.step + k->attrs.points), tables};
        if (aside) {
            gather(row.from, row.stride, aside, size, n);
            row.from = aside;
            row.stride = (int64_t)size;
        }
        sort(s->job.cpu, &row, &order, &flags);
        odometer_next(in->ndim, s->shape, index, at, strides, 2);
    }
    atomic_fetch_or(&s->job.flags, flags);
}

static void run_sort(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view;
    SortJob s = {.kernel = k, .parts = sort_parts(cpu, k)};
    int axis = axis_of(k);
    if (view_size(in) == 0) return;
    memcpy(s.shape, in->shape, sizeof s.shape);
    s.shape[axis] = 1;
    s.rows = view_size(in) / in->shape[axis];
    if (s.parts > 1) {
        share_out(cpu, sort_rows, &s, s.parts, flags);
        return;
    }
    s.job.cpu = cpu;
    sort_rows(&s, 0, 0);
    *flags |= atomic_load(&s.job.flags);
}

bool sort_few(const Cpu *cpu, const Node *node, const char *from, char *to) {
    Pair workspace[2 * TILE];
    _Alignas(BUFFER_ALIGN) char aside[TILE * DTYPE_SIZE_MAX];
    const View *in = &node->inputs[0].view;
    const Width *width = width_of(in->dtype);
    const Order order = order_of(in->dtype);
    size_t size = dtype_size(in->dtype), n = (size_t)in->shape[0], first = (size_t)node->attrs.step;
    uint32_t flags = 0;
    if (from == to) from = memcpy(aside, from, n * size);
    Row row = {from, to, (int64_t)size, (int64_t)(node->op == AOP_SORT ? size : sizeof(int64_t)), n, workspace,
               first, first + (size_t)node->attrs.points, NULL};
    (node->op == AOP_SORT ? width->sort : width->argsort)(cpu, &row, &order, &flags);
    return !(flags & FLAG_INTERRUPTED);
}

// --- Searching ---------------------------------------------------------------------------------

static size_t search_workspace(const Cpu *cpu, const Kernel *k) {
    const View *in = &k->args[0].view;
    bool few = view_size(&k->args[1].view) < in->shape[0];
    (void)cpu;
    return few || !width_of(in->dtype)->encode ? 0 : (size_t)in->shape[0] * dtype_size(in->dtype);
}

typedef struct SearchJob {
    Job job;
    const Search *search;
    SearchRow row;
    int64_t count;
    int parts;
    void (*run)(const Search *search, const SearchRow *row, int64_t begin, int64_t end);
} SearchJob;

static void search_part(void *argument, int part, int worker) {
    enum { BLOCK = 1 << 14 };
    SearchJob *s = argument;
    int64_t at = s->count * part / s->parts, end = s->count * (part + 1) / s->parts;
    uint32_t flags = 0;
    (void)worker;
    for (; at < end && !interrupted(s->job.cpu, &flags); at += BLOCK)
        s->run(s->search, &s->row, at, end - at < BLOCK ? end : at + BLOCK);
    atomic_fetch_or(&s->job.flags, flags);
}

// Searches for the elements of one row, or of contiguous arrays. False: another layout, or keys are not stored.
static bool search_side_by_side(const Cpu *cpu, const Kernel *k, const Search *search, uint32_t *flags) {
    const View *wanted = &k->args[1].view, *out = &k->result.view;
    bool row = wanted->ndim == 1, close = view_is_contiguous(wanted) && view_is_contiguous(out);
    if (!search->keys || !(row || close)) return false;
    SearchJob s = {.search = search, .count = view_size(wanted), .run = width_of(search->type)->search_row,
                   .row = {arg_at(&k->args[1]), arg_at(&k->result), (int64_t)dtype_size(wanted->dtype),
                           (int64_t)sizeof(int64_t)}};
    if (row) s.row.stride = wanted->strides[0], s.row.to_stride = out->strides[0];
    s.parts = s.count < PARALLEL_WORK || cpu->threads < 2 ? 1 : parts_for(cpu, s.count);
    share_out(cpu, search_part, &s, s.parts, flags);
    return true;
}

static void run_searchsorted(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 12 };
    const View *in = &k->args[0].view, *wanted = &k->args[1].view;
    int64_t index[NDIM_MAX] = {0}, done = 0;
    const int64_t *strides[2] = {wanted->strides, k->result.view.strides};
    char *at[2] = {arg_at(&k->args[1]), arg_at(&k->result)};
    const Width *width = width_of(in->dtype);
    Search search = {in->dtype, order_of(in->dtype), k->attrs.right, arg_at(&k->args[0]), in->strides[0],
                     in->shape[0], k->workspace};
    if (view_size(wanted) == 0) return;
    if (k->workspace) width->encode(&search, k->workspace);
    if (search_side_by_side(cpu, k, &search, flags)) return;
    do {
        int64_t place = width->search(&search, at[0]);
        memcpy(at[1], &place, sizeof place);
        if (++done % POLL_EVERY == 0 && interrupted(cpu, flags)) return;
    } while (odometer_next(wanted->ndim, wanted->shape, index, at, strides, 2));
}

void search_few(const Node *node, const char *wanted, int64_t n, char *to) {
    const View *row = &node->inputs[0].view;
    const Width *width = width_of(row->dtype);
    const Search search = {row->dtype, order_of(row->dtype), node->attrs.right, view_at(row), row->strides[0],
                           row->shape[0], NULL};
    const size_t size = dtype_size(row->dtype);
    for (int64_t i = 0; i < n; i++, wanted += size, to += sizeof(int64_t)) {
        int64_t place = width->search(&search, wanted);
        memcpy(to, &place, sizeof place);
    }
}

// --- Counting ----------------------------------------------------------------------------------

#define ADD_EACH(T, one)                                                    \
    for (int64_t i = 0; i < n; i++, at += stride, weight += weight_stride) { \
        memcpy(&place, at, sizeof place);                                   \
        T *sum = (T *)(to + place * step);                                  \
        *sum = (T)(*sum + (one));                                           \
        if (i % POLL_EVERY == 0 && interrupted(cpu, flags)) return;         \
    }

// Numbers below COUNTED are counted in several tables in turn, since repeated numbers would make
// one table wait for its own store.
enum { COUNTED = 512, TABLES = 4 };
static void count_small(const Cpu *cpu, const int64_t *at, int64_t n, int64_t *to, int64_t length, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 16 };
    int64_t tables[TABLES][COUNTED] = {{0}}, i = 0;
    while (i + TABLES <= n && !interrupted(cpu, flags))
        for (int64_t end = n - i < POLL_EVERY ? n : i + POLL_EVERY; i + TABLES <= end; i += TABLES)
            for (int t = 0; t < TABLES; t++) tables[t][at[i + t]]++;
    for (; i < n; i++) tables[0][at[i]]++;
    for (int t = 0; t < TABLES; t++)
        for (int64_t j = 0; j < length; j++) to[j] += tables[t][j];
}

static void run_bincount(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 16 };
    const View *in = &k->args[0].view, *weights = &k->args[1].view;
    const char *at = arg_at(&k->args[0]), *weight = at;
    char *to = arg_at(&k->result);
    int64_t n = in->shape[0], stride = in->strides[0], step = k->result.view.strides[0], place;
    int64_t weight_stride = 0;
    int64_t length = k->result.view.shape[0];
    bool close = stride == sizeof place && step == sizeof place;
    if (k->args[1].is_scalar && close && length <= COUNTED) {
        count_small(cpu, (const int64_t *)at, n, (int64_t *)to, length, flags);
        return;
    }
    if (k->args[1].is_scalar) {
        ADD_EACH(int64_t, 1)
        return;
    }
    weight = arg_at(&k->args[1]);
    weight_stride = weights->strides[0];
    ADD_EACH(double, *(const double *)weight)
}

const LibraryFn library_SORT = {.run = run_sort, .workspace = sort_workspace};
const LibraryFn library_ARGSORT = {.run = run_sort, .workspace = sort_workspace};
const LibraryFn library_SEARCHSORTED = {.run = run_searchsorted, .workspace = search_workspace};
const LibraryFn library_BINCOUNT = {.run = run_bincount};
