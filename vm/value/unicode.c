// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Look-ups in the character tables: binary searches, behind short cuts for ASCII.

#include "vm/value/unicode.h"

#include <stddef.h>

// A run of characters with one set of properties: first character << 10 | properties.
static const uint32_t runs[] = {
#define RUN(start, properties) (uint32_t)0x##start << 10 | 0x##properties,
#include "vm/value/unicode.def"
};

// first, first + stride … last belong to a set, or map to themselves + delta.
typedef struct CaseRow {
    uint32_t first, last : 24, stride : 8;
    int32_t delta;
} CaseRow;

// A mapping to two or three characters.
typedef struct LongRow {
    uint32_t from;
    uint32_t to[3];
} LongRow;

typedef struct CaseTable {
    const CaseRow *rows;
    size_t row_count;
    const LongRow *longs;
    size_t long_count;
} CaseTable;

#define ROW(first, last, stride, delta) {0x##first, 0x##last, stride, delta},
#define LONG(from, a, b, c) {0x##from, {0x##a, 0x##b, 0x##c}},
static const CaseRow upper_set[] = {
#define UPPERCASE(first, last, stride) ROW(first, last, stride, 0)
#include "vm/value/unicode.def"
};
static const CaseRow lower_set[] = {
#define LOWERCASE(first, last, stride) ROW(first, last, stride, 0)
#include "vm/value/unicode.def"
};
static const CaseRow upper_rows[] = {
#define TO_UPPER ROW
#include "vm/value/unicode.def"
};
static const LongRow upper_longs[] = {
#define LONG_UPPER LONG
#include "vm/value/unicode.def"
};
static const CaseRow lower_rows[] = {
#define TO_LOWER ROW
#include "vm/value/unicode.def"
};
static const LongRow lower_longs[] = {
#define LONG_LOWER LONG
#include "vm/value/unicode.def"
};
static const CaseRow title_rows[] = {
#define TO_TITLE ROW
#include "vm/value/unicode.def"
};
static const LongRow title_longs[] = {
#define LONG_TITLE LONG
#include "vm/value/unicode.def"
};
static const CaseRow fold_rows[] = {
#define TO_FOLD ROW
#include "vm/value/unicode.def"
};
static const LongRow fold_longs[] = {
#define LONG_FOLD LONG
#include "vm/value/unicode.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TABLE(name) \
    static const CaseTable name##_table = {name##_rows, COUNT(name##_rows), name##_longs, \
                                           COUNT(name##_longs)}
TABLE(upper);
TABLE(lower);
TABLE(title);
TABLE(fold);

static uint32_t run_of(uint32_t cp) {
    size_t low = 0, high = COUNT(runs); // runs[low] starts at or before cp, runs[high] after it
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (runs[middle] >> 10 <= cp)
            low = middle;
        else
            high = middle;
    }
    return runs[low];
}

unsigned uni_properties(uint32_t cp) {
    if (cp - '0' < 10) return UNI_DECIMAL | UNI_DIGIT | UNI_NUMERIC | UNI_PRINTABLE | UNI_ID_CONTINUE;
    if ((cp | 0x20) - 'a' < 26 && cp < 128) return UNI_ALPHA | UNI_PRINTABLE | UNI_ID_START | UNI_ID_CONTINUE;
    return run_of(cp) & 0x3FF;
}

// Every script's decimal digits are ten in a row (or fifty: five styles), zero first.
int uni_decimal(uint32_t cp) {
    if (cp < 128) return cp - '0' < 10 ? (int)(cp - '0') : -1;
    uint32_t run = run_of(cp);
    return run & UNI_DECIMAL ? (int)((cp - (run >> 10)) % 10) : -1;
}

static const CaseRow *case_find(const CaseRow *rows, size_t count, uint32_t cp) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].last < cp)
            low = middle + 1;
        else
            high = middle;
    }
    // Two runs with stride 2 may interleave by one character: see whether the next one has it.
    for (; low < count && rows[low].first <= cp; low++)
        if (cp <= rows[low].last && (cp - rows[low].first) % rows[low].stride == 0)
            return &rows[low];
    return NULL;
}

bool uni_is_upper(uint32_t cp) {
    if (cp < 128) return cp - 'A' < 26;
    return case_find(upper_set, COUNT(upper_set), cp) != NULL;
}

bool uni_is_lower(uint32_t cp) {
    if (cp < 128) return cp - 'a' < 26;
    return case_find(lower_set, COUNT(lower_set), cp) != NULL;
}

bool uni_is_cased(uint32_t cp) {
    return uni_is_lower(cp) || uni_is_upper(cp) || uni_is(cp, UNI_TITLE);
}

// Returns 0 when the table does not say.
static int case_map(const CaseTable *table, uint32_t cp, uint32_t to[3]) {
    const CaseRow *row = case_find(table->rows, table->row_count, cp);
    if (row) {
        to[0] = cp + (uint32_t)row->delta;
        return 1;
    }
    for (size_t i = 0; i < table->long_count; i++) {
        const LongRow *found = &table->longs[i];
        if (found->from != cp) continue;
        for (int j = 0; j < 3; j++) to[j] = found->to[j];
        return to[2] ? 3 : 2;
    }
    return 0;
}

static int itself(uint32_t cp, uint32_t to[3]) {
    to[0] = cp;
    return 1;
}

int uni_to_upper(uint32_t cp, uint32_t to[3]) {
    if (cp < 128) return itself(cp - 'a' < 26 ? cp - 32 : cp, to);
    int count = case_map(&upper_table, cp, to);
    return count ? count : itself(cp, to);
}

int uni_to_lower(uint32_t cp, uint32_t to[3]) {
    if (cp < 128) return itself(cp - 'A' < 26 ? cp + 32 : cp, to);
    int count = case_map(&lower_table, cp, to);
    return count ? count : itself(cp, to);
}

int uni_to_title(uint32_t cp, uint32_t to[3]) {
    int count = cp < 128 ? 0 : case_map(&title_table, cp, to);
    return count ? count : uni_to_upper(cp, to);
}

int uni_to_fold(uint32_t cp, uint32_t to[3]) {
    int count = cp < 128 ? 0 : case_map(&fold_table, cp, to);
    return count ? count : uni_to_lower(cp, to);
}
