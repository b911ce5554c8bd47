// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Greedy LZ77: a hash table of four-byte sequences holds one position per hash. The match there, or the one at the
// distance of the previous match, is taken at once. Each block gets Huffman codes of its own. On images of plots, zlib
// at level 3 takes six times as long for the same length. It spends much of that on moving its tables along with its
// window; here all data is in memory.

#include "lang/support/deflate_fast.h"

#include <string.h>

enum {
    MATCH_MIN = 4, // deflate also allows 3
    MATCH_MAX = 258,
    HASH_BITS = 14,
    BLOCK_TOKENS = 16384,
    LENGTH_CODES = 286, // literals, the end of a block, and lengths
    DISTANCE_CODES = 30,
    END_OF_BLOCK = 256,
    BITS_MOST = 15,
    // The code that the lengths of code words are written in.
    META_CODES = 19,
    META_BITS_MOST = 7,
    META_REPEAT = 16,      // the previous length, 3 to 6 times
    META_ZEROS = 17,       // 3 to 10 zeros
    META_MANY_ZEROS = 18,  // 11 to 138 zeros
};

typedef struct Token {
    uint16_t length;   // of a match; the literal byte if distance is 0
    uint16_t distance; // 0: a literal
} Token;

struct DeflateFast {
    Buf *out;
    size_t gone;   // number of bytes packed by earlier calls
    uint64_t bits; // not written yet; the first is the lowest bit
    unsigned bit_count;
    uint32_t length_counts[LENGTH_CODES], distance_counts[DISTANCE_CODES];
    size_t token_count;
    Token tokens[BLOCK_TOKENS];
    uint32_t places[1 << HASH_BITS]; // the last position of each hash, modulo 2³²
};

typedef DeflateFast Encoder;

// --- Codes of lengths and distances --------------------------------------------------------------

// A length or distance as a code and the extra bits that follow it (RFC 1951, 3.2.5). Four codes of lengths, and two of
// distances, have each number of extra bits.
typedef struct Coded {
    unsigned code, extra_bits, extra;
} Coded;

static unsigned log2_of(unsigned value) {
    return 31u - (unsigned)__builtin_clz(value | 1);
}

static Coded code_length(unsigned length) {
    unsigned value = length - 3, log2 = log2_of(value), bits = log2 > 2 ? log2 - 2 : 0;
    if (length == MATCH_MAX) return (Coded){LENGTH_CODES - 1, 0, 0};
    return (Coded){END_OF_BLOCK + 1 + 4 * bits + (value >> bits), bits, value & ((1u << bits) - 1)};
}

static Coded code_distance(unsigned distance) {
    unsigned value = distance - 1, log2 = log2_of(value), bits = log2 > 1 ? log2 - 1 : 0;
    return (Coded){2 * bits + (value >> bits), bits, value & ((1u << bits) - 1)};
}

// --- Huffman codes -------------------------------------------------------------------------------

// Sorts the symbols that occur by their counts, the rarest first, and returns their number.
static unsigned sort_symbols(const uint32_t *counts, unsigned symbol_count, uint16_t *symbols) {
    unsigned used = 0;
    for (unsigned symbol = 0; symbol < symbol_count; symbol++) {
        if (counts[symbol] == 0) continue;
        unsigned at = used++;
        for (; at > 0 && counts[symbols[at - 1]] > counts[symbol]; at--) symbols[at] = symbols[at - 1];
        symbols[at] = (uint16_t)symbol;
    }
    return used;
}

// Finds the depth of each of the `used` leaves in a Huffman tree, by the two-queue method: the leaves are sorted by
// weight, and inner nodes are made in the order of theirs, so the lightest node is at the head of one of the two.
static void find_depths(const uint32_t *counts, const uint16_t *symbols, unsigned used, uint16_t *depths) {
    uint32_t weights[2 * LENGTH_CODES];
    uint16_t parents[2 * LENGTH_CODES];
    unsigned leaf = 0, inner = used, node = used, last = 2 * used - 2;
    for (unsigned i = 0; i < used; i++) weights[i] = counts[symbols[i]];
    for (; node <= last; node++) {
        weights[node] = 0;
        for (int child = 0; child < 2; child++) {
            bool of_leaves = leaf < used && (inner == node || weights[leaf] <= weights[inner]);
            unsigned lightest = of_leaves ? leaf++ : inner++;
            weights[node] += weights[lightest];
            parents[lightest] = (uint16_t)node;
        }
    }
    depths[last] = 0;
    for (unsigned i = last; i-- > 0;) depths[i] = (uint16_t)(depths[parents[i]] + 1);
}

// Limits code words to `most` bits. Longer ones were counted as `most` bits, which makes Kraft's sum exceed 1. Each
// step reduces it: a shorter word is made one bit longer, and a word of the longest becomes its sibling.
static void limit_lengths(unsigned *with_length, unsigned most) {
    uint32_t sum = 0;
    for (unsigned length = 1; length <= most; length++) sum += (uint32_t)with_length[length] << (most - length);
    for (; sum > 1u << most; sum--) {
        unsigned length = most - 1;
        while (with_length[length] == 0) length--;
        with_length[length]--;
        with_length[length + 1] += 2; // the lengthened word, and its new sibling
        with_length[most]--;
    }
}

static void find_lengths(const uint32_t *counts, unsigned symbol_count, unsigned most, uint8_t *lengths) {
    uint16_t symbols[LENGTH_CODES], depths[2 * LENGTH_CODES];
    unsigned with_length[BITS_MOST + 1] = {0}, used = sort_symbols(counts, symbol_count, symbols);
    memset(lengths, 0, symbol_count);
    if (used < 2) { // some decoders need a code of at least two words
        lengths[0] = 1;
        lengths[used && symbols[0] ? symbols[0] : 1] = 1;
        return;
    }
    find_depths(counts, symbols, used, depths);
    for (unsigned i = 0; i < used; i++) with_length[depths[i] < most ? depths[i] : most]++;
    limit_lengths(with_length, most);
    unsigned length = most;
    for (unsigned i = 0; i < used; i++) {
        while (with_length[length] == 0) length--;
        with_length[length]--;
        lengths[symbols[i]] = (uint8_t)length;
    }
}

// Assigns the canonical code words, by length and then by symbol (RFC 1951, 3.2.2). They are bit-reversed, since the
// stream is written from the lowest bit.
static void find_words(const uint8_t *lengths, unsigned symbol_count, uint16_t *words) {
    unsigned with_length[BITS_MOST + 1] = {0}, next[BITS_MOST + 2] = {0};
    for (unsigned i = 0; i < symbol_count; i++) with_length[lengths[i]]++;
    with_length[0] = 0;
    for (unsigned length = 1; length <= BITS_MOST; length++)
        next[length + 1] = (next[length] + with_length[length]) << 1;
    for (unsigned i = 0; i < symbol_count; i++) {
        unsigned word = next[lengths[i]]++, reversed = 0;
        for (unsigned bit = 0; bit < lengths[i]; bit++, word >>= 1) reversed = reversed << 1 | (word & 1);
        words[i] = (uint16_t)reversed;
    }
}

// --- Writing -------------------------------------------------------------------------------------

static void put_bits(Encoder *e, unsigned value, unsigned count) {
    e->bits |= (uint64_t)value << e->bit_count;
    e->bit_count += count;
    if (e->bit_count < 32) return;
    const char bytes[4] = {(char)e->bits, (char)(e->bits >> 8), (char)(e->bits >> 16), (char)(e->bits >> 24)};
    buf_put(e->out, bytes, sizeof bytes);
    e->bits >>= 32;
    e->bit_count -= 32;
}

static void put_rest(Encoder *e) {
    for (; e->bit_count > 0; e->bits >>= 8, e->bit_count = e->bit_count > 8 ? e->bit_count - 8 : 0)
        buf_putc(e->out, (char)e->bits);
}

typedef struct Run {
    uint8_t code, extra_bits, extra;
} Run;

static unsigned equal_from(const uint8_t *lengths, unsigned at, unsigned count) {
    unsigned end = at + 1;
    while (end < count && lengths[end] == lengths[at]) end++;
    return end - at;
}

// Run-length-encodes the word lengths of both codes. Returns the number of runs, which is at most `count`.
static unsigned find_runs(const uint8_t *lengths, unsigned count, Run *runs) {
    unsigned n = 0;
    for (unsigned at = 0; at < count;) {
        unsigned value = lengths[at], left = equal_from(lengths, at, count);
        at += left;
        if (value != 0) {
            runs[n++] = (Run){(uint8_t)value, 0, 0};
            left--;
        }
        while (left >= 3) {
            unsigned most = value ? 6 : left <= 10 ? 10 : 138, now = left < most ? left : most;
            if (value) runs[n++] = (Run){META_REPEAT, 2, (uint8_t)(now - 3)};
            else if (now <= 10) runs[n++] = (Run){META_ZEROS, 3, (uint8_t)(now - 3)};
            else runs[n++] = (Run){META_MANY_ZEROS, 7, (uint8_t)(now - 11)};
            left -= now;
        }
        for (; left > 0; left--) runs[n++] = (Run){(uint8_t)value, 0, 0};
    }
    return n;
}

static unsigned without_zeros_behind(const uint8_t *lengths, unsigned count, unsigned least) {
    while (count > least && lengths[count - 1] == 0) count--;
    return count;
}

static void put_codes(Encoder *e, const uint8_t *length_bits, const uint8_t *distance_bits) {
    static const uint8_t order[META_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned lengths = without_zeros_behind(length_bits, LENGTH_CODES, END_OF_BLOCK + 1);
    unsigned distances = without_zeros_behind(distance_bits, DISTANCE_CODES, 1), meta = META_CODES;
    uint8_t all[LENGTH_CODES + DISTANCE_CODES], bits[META_CODES];
    uint16_t words[META_CODES];
    uint32_t counts[META_CODES] = {0};
    Run runs[LENGTH_CODES + DISTANCE_CODES];
    memcpy(all, length_bits, lengths);
    memcpy(all + lengths, distance_bits, distances);
    unsigned run_count = find_runs(all, lengths + distances, runs);
    for (unsigned i = 0; i < run_count; i++) counts[runs[i].code]++;
    find_lengths(counts, META_CODES, META_BITS_MOST, bits);
    find_words(bits, META_CODES, words);
    while (meta > 4 && bits[order[meta - 1]] == 0) meta--;
    put_bits(e, lengths - 257, 5);
    put_bits(e, distances - 1, 5);
    put_bits(e, meta - 4, 4);
    for (unsigned i = 0; i < meta; i++) put_bits(e, bits[order[i]], 3);
    for (unsigned i = 0; i < run_count; i++) {
        put_bits(e, words[runs[i].code], bits[runs[i].code]);
        put_bits(e, runs[i].extra, runs[i].extra_bits);
    }
}

static void put_coded(Encoder *e, Coded coded, const uint8_t *bits, const uint16_t *words) {
    put_bits(e, words[coded.code], bits[coded.code]);
    put_bits(e, coded.extra, coded.extra_bits);
}

static void put_block(Encoder *e, bool last) {
    uint8_t length_bits[LENGTH_CODES], distance_bits[DISTANCE_CODES];
    uint16_t length_words[LENGTH_CODES], distance_words[DISTANCE_CODES];
    e->length_counts[END_OF_BLOCK]++;
    find_lengths(e->length_counts, LENGTH_CODES, BITS_MOST, length_bits);
    find_lengths(e->distance_counts, DISTANCE_CODES, BITS_MOST, distance_bits);
    find_words(length_bits, LENGTH_CODES, length_words);
    find_words(distance_bits, DISTANCE_CODES, distance_words);
    put_bits(e, last, 1);
    put_bits(e, 2, 2); // block type: dynamic Huffman codes
    put_codes(e, length_bits, distance_bits);
    for (const Token *token = e->tokens; token < e->tokens + e->token_count; token++) {
        if (token->distance == 0) {
            put_bits(e, length_words[token->length], length_bits[token->length]);
            continue;
        }
        put_coded(e, code_length(token->length), length_bits, length_words);
        put_coded(e, code_distance(token->distance), distance_bits, distance_words);
    }
    put_bits(e, length_words[END_OF_BLOCK], length_bits[END_OF_BLOCK]);
    memset(e->length_counts, 0, sizeof e->length_counts);
    memset(e->distance_counts, 0, sizeof e->distance_counts);
    e->token_count = 0;
}

// --- Matches -------------------------------------------------------------------------------------

static uint32_t load_32(const char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t load_64(const char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static size_t hash(uint32_t bytes) {
    return bytes * 0x9E3779B1u >> (32 - HASH_BITS);
}

// Returns the number of leading bytes that are equal, at most `most`.
static size_t count_equal(const char *a, const char *b, size_t most) {
    size_t n = 0;
    while (n + 8 <= most && load_64(a + n) == load_64(b + n)) n += 8;
    while (n < most && a[n] == b[n]) n++;
    return n;
}

static size_t match_at(const char *data, size_t at, size_t distance, size_t most) {
    if (distance == 0 || distance > DEFLATE_WINDOW || distance > at) return 0;
    const char *here = data + at, *there = here - distance;
    return load_32(here) == load_32(there) ? count_equal(here, there, most) : 0;
}

static void add_token(Encoder *e, size_t length, size_t distance) {
    e->tokens[e->token_count++] = (Token){(uint16_t)length, (uint16_t)distance};
    e->length_counts[distance ? code_length((unsigned)length).code : length]++;
    if (distance) e->distance_counts[code_distance((unsigned)distance).code]++;
    if (e->token_count == BLOCK_TOKENS) put_block(e, false);
}

// Finds the literals and matches of data[from, len). Positions are stored modulo 2³². If one wraps around, the bytes
// found there are compared all the same, so the match is right.
static void find_tokens(Encoder *e, const char *data, size_t from, size_t len) {
    size_t before = 0; // the distance of the last match
    const uint32_t start = (uint32_t)(e->gone - from);
    for (size_t at = from; at < len;) {
        size_t left = len - at, most = left < MATCH_MAX ? left : MATCH_MAX, length = 0, distance = 0;
        if (left >= MATCH_MIN) {
            uint32_t *place = &e->places[hash(load_32(data + at))];
            distance = start + (uint32_t)at - *place;
            length = match_at(data, at, distance, most);
            *place = start + (uint32_t)at;
            size_t same = length < most && before != distance ? match_at(data, at, before, most) : 0;
            if (same >= length && same) length = same, distance = before;
        }
        if (length < MATCH_MIN) {
            add_token(e, (unsigned char)data[at++], 0);
            continue;
        }
        add_token(e, length, distance);
        before = distance;
        at += length;
    }
}

DeflateFast *deflate_fast_begin(Buf *out) {
    Encoder *e = mem_zalloc(out->mem, sizeof *e);
    if (e) e->out = out;
    else out->failed = true;
    return e;
}

void deflate_fast_add(DeflateFast *e, const char *data, size_t from, size_t len) {
    find_tokens(e, data, from, len);
    e->gone += len - from;
}

void deflate_fast_end(DeflateFast *e) {
    put_block(e, true);
    put_rest(e);
    mem_free(e->out->mem, e, sizeof *e);
}

void deflate_fast(const char *data, size_t len, Buf *out) {
    DeflateFast *e = deflate_fast_begin(out);
    if (!e) return;
    deflate_fast_add(e, data, 0, len);
    deflate_fast_end(e);
}
