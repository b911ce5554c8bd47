// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// UTF-8 and identifier classes of utf8.h.

#include "lang/support/utf8.h"

// Returns the range of second bytes that may follow `lead`. It excludes overlong forms, surrogates and
// code points past U+10FFFF (Unicode, table 3-7).
static void second_byte_range(unsigned char lead, unsigned char *low, unsigned char *high) {
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
}

static size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    if (lead < 0xE0) return 2;
    if (lead < 0xF0) return 3;
    return lead < 0xF5 ? 4 : 0;
}

// Returns how many bytes at `text` are a valid beginning of a sequence. *want is the length that the
// sequence should have, 0 for an invalid lead byte.
static size_t good_prefix(const unsigned char *text, size_t len, size_t *want) {
    *want = sequence_length(text[0]);
    if (*want == 0) return 0;
    unsigned char low, high;
    second_byte_range(text[0], &low, &high);
    size_t i = 1;
    for (; i < *want && i < len; i++) {
        if (text[i] < low || text[i] > high) break;
        low = 0x80;
        high = 0xBF;
    }
    return i;
}

size_t utf8_decode(const char *bytes, size_t len, uint32_t *code_point) {
    const unsigned char *text = (const unsigned char *)bytes;
    size_t want;
    if (good_prefix(text, len, &want) != want || want == 0) return 0;
    uint32_t cp = want == 1 ? text[0] : text[0] & (0x7Fu >> want);
    for (size_t i = 1; i < want; i++) cp = cp << 6 | (text[i] & 0x3F);
    *code_point = cp;
    return want;
}

bool utf8_validate(const char *bytes, size_t len, size_t *bad_at, const char **reason) {
    for (size_t i = 0; i < len;) {
        if ((unsigned char)bytes[i] < 0x80) {
            i++;
            continue;
        }
        size_t want, good = good_prefix((const unsigned char *)bytes + i, len - i, &want);
        if (want && good == want) {
            i += want;
            continue;
        }
        *bad_at = i;
        *reason = "invalid continuation byte";
        if (want == 0) *reason = "invalid start byte";
        if (want != 0 && i + good == len) *reason = "unexpected end of data";
        return false;
    }
    return true;
}

size_t utf8_bad_length(const char *bytes, size_t len) {
    size_t want, good = good_prefix((const unsigned char *)bytes, len, &want);
    return good ? good : 1;
}

size_t utf8_count(const char *bytes, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; count++) {
        uint32_t cp;
        size_t step = utf8_decode(bytes + i, len - i, &cp);
        i += step ? step : 1;
    }
    return count;
}

typedef struct IdentRange {
    uint32_t first, last;
    bool start;
} IdentRange;

static const IdentRange ident_ranges[] = {
#define START(first, last) {first, last, true},
#define PART(first, last) {first, last, false},
#include "lang/support/unicode_ident.def"
#undef START
#undef PART
};

static const IdentRange *find_range(uint32_t cp) {
    size_t low = 0, high = sizeof ident_ranges / sizeof *ident_ranges;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (cp < ident_ranges[mid].first) {
            high = mid;
        } else if (cp > ident_ranges[mid].last) {
            low = mid + 1;
        } else {
            return &ident_ranges[mid];
        }
    }
    return NULL;
}

bool unicode_is_id_start(uint32_t cp) {
    if (cp < 0x80) return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_';
    const IdentRange *range = find_range(cp);
    return range && range->start;
}

bool unicode_is_id_continue(uint32_t cp) {
    if (cp < 0x80) return unicode_is_id_start(cp) || (cp >= '0' && cp <= '9');
    return find_range(cp) != NULL;
}

uint32_t unicode_fold(uint32_t cp) {
    static const struct {
        uint32_t first, last, becomes;
    } folds[] = {
#define FOLD(first, last, becomes) {first, last, becomes},
#include "lang/support/unicode_fold.def"
#undef FOLD
    };
    size_t low = 0, high = sizeof folds / sizeof *folds;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (cp < folds[mid].first) {
            high = mid;
        } else if (cp > folds[mid].last) {
            low = mid + 1;
        } else {
            return folds[mid].becomes + (cp - folds[mid].first);
        }
    }
    return cp;
}

bool unicode_is_visible(uint32_t cp) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},
        {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x1680, 0x1680},
        {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
        {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
        {0xFFFE, 0xFFFF},   {0xE0000, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (cp >= hidden[i].first && cp <= hidden[i].last) return false;
    }
    return true;
}
