// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Selection by masks on contiguous elements: compress, expand, count, indices. With AVX-512, 64
// mask bytes are handled at a time and the processor moves the lanes. Otherwise every element is
// written, and the position advances only past selected ones, which avoids unpredictable branches.
// `room` is the number of selected elements; nothing beyond it is read or written, whatever the
// mask contains.

enum { MASK_WORD = 8, MASK_RUN = 64 }; // mask elements handled together

#if defined(__AVX512F__)
enum { MASK_BYTES = 64 };
#elif defined(__AVX2__)
enum { MASK_BYTES = 32 };
#else
enum { MASK_BYTES = 16 };
#endif

// Counts nonzero bytes, summing lanes as long as none can overflow.
static int64_t count_true(const uint8_t *mask, size_t n) {
    typedef uint8_t Lanes __attribute__((vector_size(MASK_BYTES)));
    typedef uint64_t Words __attribute__((vector_size(MASK_BYTES)));
    enum { ROUNDS = 255, WORDS = MASK_BYTES / sizeof(uint64_t) };
    const uint64_t evens = UINT64_C(0x00ff00ff00ff00ff);
    int64_t count = 0;
    while (n >= MASK_BYTES) {
        Lanes lanes = {0}, bytes;
        uint64_t sum = 0;
        for (int k = 0; k < ROUNDS && n >= MASK_BYTES; k++, n -= MASK_BYTES, mask += MASK_BYTES) {
            memcpy(&bytes, mask, sizeof bytes);
            lanes -= (Lanes)(bytes != 0);
        }
        Words words = (Words)lanes;
        for (int j = 0; j < WORDS; j++) sum += (words[j] & evens) + (words[j] >> 8 & evens); // at most 4080 each
        count += (int64_t)(sum * UINT64_C(0x0001000100010001) >> 48);
    }
    for (size_t i = 0; i < n; i++) count += mask[i] != 0;
    return count;
}

#ifdef __AVX512F__

static inline uint64_t mask_bits(const uint8_t *mask, size_t n) {
    __mmask64 there = n >= MASK_RUN ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    __m512i bytes = _mm512_maskz_loadu_epi8(there, mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}

// Per element size: masked load (loaded) and store (stored), compress (together) and expand (apart). Bit i of `keys`
// selects lane i.
typedef __m512i Lanes_8, Lanes_4, Lanes_16;
typedef __m256i Lanes_2;
typedef __m128i Lanes_1;
enum { LANES_1 = 16, LANES_2 = 16, LANES_4 = 16, LANES_8 = 8, LANES_16 = 4 };

// Duplicates each of four bits.
static inline __mmask8 halves_of(unsigned keys) {
    unsigned apart = (keys & 1) | (keys & 2) << 1 | (keys & 4) << 2 | (keys & 8) << 3;
    return (__mmask8)(apart * 3);
}

#define LOADED(T, name, load) \
    static inline Lanes_##name loaded_##name(unsigned keys, const T *at) { return load; }
#define STORED(T, name, store) \
    static inline void stored_##name(T *at, unsigned keys, Lanes_##name v) { store; }
#define TOGETHER(name, made) \
    static inline Lanes_##name together_##name(unsigned keys, Lanes_##name v) { return made; }
#define APART(name, made) \
    static inline Lanes_##name apart_##name(unsigned keys, Lanes_##name v) { return made; }
LOADED(uint8_t, 1, _mm_maskz_loadu_epi8((__mmask16)keys, at))
LOADED(uint16_t, 2, _mm256_maskz_loadu_epi16((__mmask16)keys, at))
LOADED(uint32_t, 4, _mm512_maskz_loadu_epi32((__mmask16)keys, at))
LOADED(uint64_t, 8, _mm512_maskz_loadu_epi64((__mmask8)keys, at))
LOADED(Wide, 16, _mm512_maskz_loadu_epi64(halves_of(keys), at))
STORED(uint8_t, 1, _mm_mask_storeu_epi8(at, (__mmask16)keys, v))
STORED(uint16_t, 2, _mm256_mask_storeu_epi16(at, (__mmask16)keys, v))
STORED(uint32_t, 4, _mm512_mask_storeu_epi32(at, (__mmask16)keys, v))
STORED(uint64_t, 8, _mm512_mask_storeu_epi64(at, (__mmask8)keys, v))
STORED(Wide, 16, _mm512_mask_storeu_epi64(at, halves_of(keys), v))
TOGETHER(1, _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32((__mmask16)keys, _mm512_cvtepu8_epi32(v))))
TOGETHER(2, _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32((__mmask16)keys, _mm512_cvtepu16_epi32(v))))
TOGETHER(4, _mm512_maskz_compress_epi32((__mmask16)keys, v))
TOGETHER(8, _mm512_maskz_compress_epi64((__mmask8)keys, v))
TOGETHER(16, _mm512_maskz_compress_epi64(halves_of(keys), v))
APART(1, _mm512_cvtepi32_epi8(_mm512_maskz_expand_epi32((__mmask16)keys, _mm512_cvtepu8_epi32(v))))
APART(2, _mm512_cvtepi32_epi16(_mm512_maskz_expand_epi32((__mmask16)keys, _mm512_cvtepu16_epi32(v))))
APART(4, _mm512_maskz_expand_epi32((__mmask16)keys, v))
APART(8, _mm512_maskz_expand_epi64((__mmask8)keys, v))
APART(16, _mm512_maskz_expand_epi64(halves_of(keys), v))

// Returns a mask with one bit per remaining element, at most a vector's worth.
static inline unsigned keys_left(size_t left, unsigned lanes) {
    return left >= lanes ? (1u << lanes) - 1 : (1u << left) - 1;
}

#define SELECT(T, name)                                                                          \
    static void compress_##name(const uint8_t *mask, size_t n, const void *a, void *out, size_t room) { \
        enum { LANES = LANES_##name };                                                           \
        const T *from = a;                                                                       \
        T *to = out;                                                                             \
        for (size_t i = 0; i < n && room > 0; i += MASK_RUN) {                                   \
            uint64_t bits = mask_bits(mask + i, n - i);                                          \
            if (bits == ~UINT64_C(0) && room >= MASK_RUN) {                                      \
                memcpy(to, from + i, MASK_RUN * sizeof(T));                                      \
                to += MASK_RUN;                                                                  \
                room -= MASK_RUN;                                                                \
                continue;                                                                        \
            }                                                                                    \
            for (size_t j = i; bits && room > 0; bits >>= LANES, j += LANES) {                   \
                unsigned keys = bits & ((1u << LANES) - 1);                                      \
                size_t made = (size_t)__builtin_popcount(keys);                                  \
                stored_##name(to, keys_left(room, LANES),                                        \
                              together_##name(keys, loaded_##name(keys, from + j)));             \
                if (made > room) made = room;                                                    \
                to += made;                                                                      \
                room -= made;                                                                    \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static void expand_##name(const uint8_t *mask, size_t n, const void *a, void *out, size_t room) { \
        enum { LANES = LANES_##name };                                                           \
        const T *from = a;                                                                       \
        T *to = out;                                                                             \
        for (size_t i = 0; i < n && room > 0; i += MASK_RUN) {                                   \
            uint64_t bits = mask_bits(mask + i, n - i);                                          \
            if (bits == ~UINT64_C(0) && room >= MASK_RUN) {                                      \
                memcpy(to + i, from, MASK_RUN * sizeof(T));                                      \
                from += MASK_RUN;                                                                \
                room -= MASK_RUN;                                                                \
                continue;                                                                        \
            }                                                                                    \
            for (size_t j = i; bits && room > 0; bits >>= LANES, j += LANES) {                   \
                unsigned keys = bits & ((1u << LANES) - 1);                                      \
                size_t used = (size_t)__builtin_popcount(keys);                                  \
                if (used > room) return;                                                         \
                stored_##name(to + j, keys,                                                      \
                              apart_##name(keys, loaded_##name(keys_left(room, LANES), from)));  \
                from += used;                                                                    \
                room -= used;                                                                    \
            }                                                                                    \
        }                                                                                        \
    }

// Writes the indices of true elements; the first element has index `first`.
static void places_of_true(const uint8_t *mask, size_t n, int64_t first, int64_t *to, size_t room) {
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (size_t i = 0; i < n && room > 0; i += MASK_RUN) {
        uint64_t bits = mask_bits(mask + i, n - i);
        for (size_t j = i; bits && room > 0; bits >>= LANES_8, j += LANES_8) {
            __mmask8 keys = (__mmask8)bits;
            __m512i places = _mm512_add_epi64(lanes, _mm512_set1_epi64(first + (int64_t)j));
            size_t made = (size_t)__builtin_popcount(keys);
            _mm512_mask_storeu_epi64(to, (__mmask8)keys_left(room, LANES_8),
                                     _mm512_maskz_compress_epi64(keys, places));
            if (made > room) made = room;
            to += made;
            room -= made;
        }
    }
}

#else

// Skips, a word at a time, to the first word from `i` on that contains a selected element, or to
// the end.
static size_t skip_unselected(const uint8_t *mask, size_t i, size_t n) {
    for (uint64_t word = 0; n - i >= MASK_WORD; i += MASK_WORD) {
        memcpy(&word, mask + i, MASK_WORD);
        if (word) break;
    }
    return i;
}

// Returns whether all elements of the word found by skip_unselected are selected and fit: most masks consist
// of runs.
static bool word_selected(const uint8_t *mask, size_t left, size_t room) {
    uint64_t word;
    if (left < MASK_WORD || room < MASK_WORD) return false;
    memcpy(&word, mask, MASK_WORD);
    return word == UINT64_MAX / UINT8_MAX;
}

#define SELECTED(WORD, ELEMENT)                                                                   \
    for (size_t i = 0, made = 0; made < room && (i = skip_unselected(mask, i, n)) < n;) {         \
        if (word_selected(mask + i, n - i, room - made)) {                                        \
            WORD;                                                                                 \
            i += MASK_WORD;                                                                       \
            made += MASK_WORD;                                                                    \
            continue;                                                                             \
        }                                                                                         \
        for (size_t end = n - i < MASK_WORD ? n : i + MASK_WORD; i < end && made < room; i++) {   \
            ELEMENT;                                                                              \
            made += mask[i] != 0;                                                                 \
        }                                                                                         \
    }
#define SELECT(T, name)                                                                           \
    static void compress_##name(const uint8_t *mask, size_t n, const void *a, void *out, size_t room) { \
        const T *from = a;                                                                        \
        T *to = out;                                                                              \
        SELECTED(memcpy(to + made, from + i, MASK_WORD * sizeof(T)), to[made] = from[i])          \
    }                                                                                             \
    static void expand_##name(const uint8_t *mask, size_t n, const void *a, void *out, size_t room) { \
        const T *from = a;                                                                        \
        T *to = out;                                                                              \
        SELECTED(memcpy(to + i, from + made, MASK_WORD * sizeof(T)),                              \
                 to[i] = mask[i] ? from[made] : to[i])                                            \
    }
static void place_word(int64_t *to, int64_t first) {
    for (int64_t j = 0; j < MASK_WORD; j++) to[j] = first + j;
}

static void places_of_true(const uint8_t *mask, size_t n, int64_t first, int64_t *to, size_t room) {
    SELECTED(place_word(to + made, first + (int64_t)i), to[made] = first + (int64_t)i)
}
#endif

SELECT(uint8_t, 1)
SELECT(uint16_t, 2)
SELECT(uint32_t, 4)
SELECT(uint64_t, 8)
SELECT(Wide, 16)
