// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Stable sorting: a natural merge sort on small records.
//
// A record is a 64-bit key and the number of the item it stands for. Ints and floats are sorted by
// keys alone; strings by their first eight bytes, then in full; tuples and lists by the key of
// their first items where these are of one kind, then through op_lt; anything else through op_lt.
// The items themselves are moved once, at the end, so that a comparison that fails or defers leaves
// them as they were.
//
// Runs that are already in (or in reverse) order are found first, as in Peters' timsort, so sorted
// and reversed input takes one pass; short runs are lengthened by insertion. Which runs to merge is
// decided by Munro and Wild's powersort ("Nearly-Optimal Mergesorts", ESA 2018).

#include <string.h>

#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

typedef struct Record {
    int64_t key;
    size_t index;
} Record;

enum { MIN_RUN = 24, MAX_PENDING = 66 };

typedef struct Run {
    size_t start, len;
    int power; // of the boundary between this run and the next
} Run;

typedef struct Sorter {
    Vm *vm;
    const Value *values; // compared where keys do not decide
    Record *records, *spare;
    size_t len;
    Run runs[MAX_PENDING];
    int run_count;
} Sorter;

// --- Keys --------------------------------------------------------------------------------------

typedef enum KeyRule {
    BY_KEY,   // keys alone decide
    BY_TEXT,  // equal keys: compare the strings
    BY_FIRST, // equal keys: compare the items
    BY_VALUE, // there are no keys
} KeyRule;

// Maps a float to an int of the same order. The two zeros are equal.
static int64_t float_key(double d) {
    int64_t bits;
    if (d == 0) return 0;
    memcpy(&bits, &d, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

// Returns the first eight bytes as a number, biased so that signed comparison orders them.
static int64_t text_key(const Str *s) {
    uint64_t key = 0;
    memcpy(&key, s->data, s->len < 8 ? s->len : 8);
    return (int64_t)(__builtin_bswap64(key) ^ (uint64_t)1 << 63);
}

static int64_t key_of(Value v) {
    return v.kind == K_FLOAT ? float_key(v.f) : v.kind == K_STR ? text_key(v.str) : v.i;
}

// Returns whether a value has a key; a nan has none, as it has no place in an order.
static bool has_key(Value v) {
    return v.kind == K_INT || v.kind == K_BOOL || v.kind == K_STR ||
           (v.kind == K_FLOAT && v.f == v.f);
}

// Returns the first item of a tuple or a list; V_UNDEF when there is none, and for other kinds.
static Value first_item(Value v) {
    if (v.kind == K_TUPLE && v.tuple->len > 0) return v.tuple->items[0];
    if (v.kind == K_LIST && v.list->len > 0) return v.list->items[0];
    return V_UNDEF;
}

// Fills in the keys, of the values or of their first items; false when some have none or they are
// of several kinds.
static bool fill_keys(const Value *values, bool first, size_t len, Record *records) {
    Value v = first ? first_item(values[0]) : values[0];
    uint32_t outer = values[0].kind, kind = v.kind;
    for (size_t i = 0; i < len; i++) {
        v = first ? first_item(values[i]) : values[i];
        if (values[i].kind != outer || v.kind != kind || !has_key(v)) return false;
        records[i].key = key_of(v);
    }
    return true;
}

static KeyRule make_keys(const Value *values, size_t len, Record *records) {
    bool first = values[0].kind == K_TUPLE || values[0].kind == K_LIST;
    if (!fill_keys(values, first, len, records)) return BY_VALUE;
    return first ? BY_FIRST : values[0].kind == K_STR ? BY_TEXT : BY_KEY;
}

// --- Comparing ---------------------------------------------------------------------------------

static inline __attribute__((always_inline)) Status less(const Sorter *s, KeyRule rule,
                                                         const Record *a, const Record *b,
                                                         bool *out) {
    if (rule != BY_VALUE && (rule == BY_KEY || a->key != b->key)) {
        *out = a->key < b->key;
        return ST_OK;
    }
    const Value x = s->values[a->index], y = s->values[b->index];
    if (rule != BY_TEXT) return op_lt(s->vm, x, y, out);
    *out = str_cmp(x.str, y.str) < 0;
    return ST_OK;
}

// --- Runs --------------------------------------------------------------------------------------

static void reverse_records(Record *records, size_t len) {
    for (size_t i = 0, j = len; i + 1 < j; i++) {
        Record last = records[--j];
        records[j] = records[i];
        records[i] = last;
    }
}

// Finds the length of the run at `start`, and reverses a strictly falling one.
static inline __attribute__((always_inline)) Status find_run(Sorter *s, KeyRule rule, size_t start,
                                                             size_t *len) {
    Record *at = s->records + start;
    size_t left = s->len - start, n = 2;
    bool falling = false, below;
    *len = left;
    if (left < 2) return ST_OK;
    Status st = less(s, rule, at + 1, at, &falling);
    for (; st == ST_OK && n < left; n++) {
        st = less(s, rule, at + n, at + n - 1, &below);
        if (st == ST_OK && below != falling) break;
    }
    if (st == ST_OK && falling) reverse_records(at, n);
    *len = n;
    return st;
}

// Sorts `len` records of which the first `sorted` are in order: binary insertion.
static inline __attribute__((always_inline)) Status insert_rest(Sorter *s, KeyRule rule,
                                                                Record *at, size_t sorted,
                                                                size_t len) {
    for (; sorted < len; sorted++) {
        Record fresh = at[sorted];
        size_t low = 0, high = sorted;
        while (low < high) {
            size_t middle = (low + high) / 2;
            bool below;
            Status st = less(s, rule, &fresh, at + middle, &below);
            if (st != ST_OK) return st;
            if (below)
                high = middle;
            else
                low = middle + 1;
        }
        memmove(at + low + 1, at + low, (sorted - low) * sizeof *at);
        at[low] = fresh;
    }
    return ST_OK;
}

// --- Merging -----------------------------------------------------------------------------------

// Merges the sorted neighbours a (a_len records) and b behind it. The shorter part of a that has
// to move waits in `spare`; records of a that are in place already are skipped.
static inline __attribute__((always_inline)) Status merge(Sorter *s, KeyRule rule, Record *a,
                                                          size_t a_len, size_t b_len) {
    Record *b = a + a_len, *b_end = b + b_len;
    Status st = ST_OK;
    bool below = false;
    while (a_len > 0 && (st = less(s, rule, b, a, &below)) == ST_OK && !below) {
        a++;
        a_len--;
    }
    if (st != ST_OK || a_len == 0) return st;
    memcpy(s->spare, a, a_len * sizeof *a);
    Record *left = s->spare, *left_end = left + a_len, *put = a;
    while (left < left_end && b < b_end) {
        st = less(s, rule, b, left, &below);
        if (st != ST_OK) return st;
        *put++ = below ? *b++ : *left++;
        if (vm_poll_at(s->vm, (size_t)(put - a)) != ST_OK) return ST_ERROR;
    }
    memcpy(put, left, (size_t)(left_end - left) * sizeof *put);
    return ST_OK;
}

// Returns the depth at which the midpoints of two neighbouring runs separate in a binary tree over all records.
static int boundary_power(size_t len, const Run *left, size_t right_len) {
    uint64_t a = 2 * left->start + left->len;
    uint64_t b = 2 * (left->start + left->len) + right_len;
    int power = 0;
    for (;;) {
        power++;
        bool a_high = a >= len, b_high = b >= len;
        if (a_high != b_high) return power;
        if (a_high) {
            a -= len;
            b -= len;
        }
        a *= 2;
        b *= 2;
    }
}

static inline __attribute__((always_inline)) Status merge_last(Sorter *s, KeyRule rule) {
    Run *left = &s->runs[s->run_count - 2], *right = left + 1;
    Status st = merge(s, rule, s->records + left->start, left->len, right->len);
    left->len += right->len;
    s->run_count--;
    return st;
}

static inline __attribute__((always_inline)) Status sort_records(Sorter *s, KeyRule rule) {
    Status st = ST_OK;
    for (size_t start = 0, len; st == ST_OK && start < s->len; start += len) {
        st = find_run(s, rule, start, &len);
        if (st != ST_OK) return st;
        size_t want = s->len - start < MIN_RUN ? s->len - start : MIN_RUN;
        if (len < want) {
            st = insert_rest(s, rule, s->records + start, len, want);
            len = want;
        }
        if (s->run_count > 0) {
            int power = boundary_power(s->len, &s->runs[s->run_count - 1], len);
            while (st == ST_OK && s->run_count > 1 && s->runs[s->run_count - 2].power > power)
                st = merge_last(s, rule);
            s->runs[s->run_count - 1].power = power;
        }
        s->runs[s->run_count++] = (Run){start, len, 0};
    }
    while (st == ST_OK && s->run_count > 1) st = merge_last(s, rule);
    return st;
}

// One copy of the algorithm per way to compare.
static Status sort_by_key(Sorter *s) {
    return sort_records(s, BY_KEY);
}
static Status sort_by_text(Sorter *s) {
    return sort_records(s, BY_TEXT);
}
static Status sort_by_first(Sorter *s) {
    return sort_records(s, BY_FIRST);
}
static Status sort_by_value(Sorter *s) {
    return sort_records(s, BY_VALUE);
}

// --- Sorting values ----------------------------------------------------------------------------

// Python sorts descending by reversing, sorting and reversing: equal items keep their order.
static Status sort_order(Sorter *s, bool reverse) {
    for (size_t i = 0; i < s->len; i++) s->records[i].index = i;
    KeyRule rule = make_keys(s->values, s->len, s->records);
    if (reverse) reverse_records(s->records, s->len);
    Status st = rule == BY_KEY     ? sort_by_key(s)
                : rule == BY_TEXT  ? sort_by_text(s)
                : rule == BY_FIRST ? sort_by_first(s)
                                   : sort_by_value(s);
    if (st == ST_OK && reverse) reverse_records(s->records, s->len);
    return st;
}

// Puts values[records[i].index] at i. `spare` is as long as `values` in bytes.
static void permute(Value *values, const Record *records, Value *spare, size_t len) {
    for (size_t i = 0; i < len; i++) spare[i] = values[records[i].index];
    memcpy(values, spare, len * sizeof *values);
}

Status seq_sort(Vm *vm, Value *items, Value *keys, size_t len, bool reverse) {
    _Static_assert(sizeof(Record) == sizeof(Value), "spare records hold values too");
    if (len < 2) return ST_OK;
    size_t bytes = len * sizeof(Record);
    Record *records = mem_alloc(&vm->mem, bytes);
    Record *spare = records ? mem_alloc(&vm->mem, bytes) : NULL;
    Status st = vm_check(vm, spare);
    if (st == ST_OK) {
        Sorter sorter = {.vm = vm, .values = keys ? keys : items, .records = records,
                         .spare = spare, .len = len};
        st = sort_order(&sorter, reverse);
    }
    if (st == ST_OK) {
        permute(items, records, (Value *)spare, len);
        if (keys) permute(keys, records, (Value *)spare, len);
    }
    mem_free(&vm->mem, spare, bytes);
    mem_free(&vm->mem, records, bytes);
    return st;
}
