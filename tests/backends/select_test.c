// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What masks select is the same with every instruction set, for each size of elements, length and density,
// and nothing beyond the selected elements is written.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures, compared;

enum { N = 700, GUARD = 128, WIDEST = 16 };

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int64_t fill(uint8_t *mask, size_t n, unsigned percent, uint64_t *state) {
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        mask[i] = next_random(state) % 100 < percent ? (uint8_t)(1 + next_random(state) % 3 / 2 * 200) : 0;
        count += mask[i] != 0;
    }
    return count;
}

// Elements are in blocks of exactly their size, so that a sanitizer sees what is read beside them.
static void test_moves(const Loops *loops, const uint8_t *mask, size_t n, size_t room, int number) {
    static char got[N * WIDEST + GUARD], want[N * WIDEST + GUARD];
    size_t size = (size_t)1 << number, made = 0;
    char *all = malloc(n * size + 1), *some = malloc(room * size + 1);
    for (size_t i = 0; i < n * size; i++) all[i] = (char)(i * 31 + i / 256);
    for (size_t i = 0; i < room * size; i++) some[i] = (char)(i * 17 + i / 256 + 5);
    memset(got, 99, sizeof got);
    memset(want, 99, sizeof want);
    for (size_t i = 0; i < n; i++)
        if (mask[i]) memcpy(want + made++ * size, all + i * size, size);
    loops->compress[number](mask, n, all, got, room);
    CHECK(memcmp(got, want, sizeof got) == 0, "%zu of %zu elements of %zu taken out", room, n, size);
    memset(got, 77, sizeof got);
    memset(want, 77, sizeof want);
    made = 0;
    for (size_t i = 0; i < n; i++)
        if (mask[i]) memcpy(want + i * size, some + made++ * size, size);
    loops->expand[number](mask, n, some, got, room);
    CHECK(memcmp(got, want, sizeof got) == 0, "%zu of %zu elements of %zu put back", room, n, size);
    free(all);
    free(some);
    compared += 2;
}

static void test_places(const Loops *loops, const uint8_t *mask, size_t n, size_t room) {
    int64_t *places = malloc((room + 1) * sizeof *places);
    places[room] = -7;
    loops->places_of_true(mask, n, 1000, places, room);
    size_t made = 0;
    bool right = true;
    for (size_t i = 0; i < n; i++)
        if (mask[i]) right &= places[made++] == 1000 + (int64_t)i;
    CHECK(right && places[room] == -7, "%zu places of %zu", room, n);
    free(places);
    compared++;
}

static void test_masks(const Loops *loops) {
    static const unsigned percents[] = {0, 1, 10, 50, 97, 100};
    uint64_t state = 3;
    for (size_t n = 0; n <= N; n += n < 150 ? 1 : 61)
        for (size_t p = 0; p < sizeof percents / sizeof *percents; p++) {
            uint8_t *mask = malloc(n + 1);
            int64_t count = fill(mask, n, percents[p], &state);
            CHECK(loops->count_true(mask, n) == count, "of %zu", n);
            for (int number = 0; number < 5; number++) test_moves(loops, mask, n, (size_t)count, number);
            test_places(loops, mask, n, (size_t)count);
            free(mask);
        }
    uint8_t *mask = malloc(100000);
    int64_t count = fill(mask, 100000, 70, &state);
    CHECK(loops->count_true(mask, 100000) == count, "of many");
    free(mask);
}

// A mask with more true elements than there is room for: the rest stays as it is.
static void test_room(const Loops *loops) {
    uint8_t mask[N];
    char to[N * WIDEST];
    char *from = calloc(N, WIDEST);
    int64_t places[N];
    memset(mask, 1, sizeof mask);
    mask[3] = 0;
    for (size_t room = 0; room < 200; room += 13)
        for (int number = 0; number < 5; number++) {
            memset(to, 5, sizeof to);
            loops->compress[number](mask, N, from, to, room);
            CHECK(room == 0 || to[(room << number) - 1] == 0, "%zu", room);
            CHECK(to[room << number] == 5, "%zu", room);
            loops->places_of_true(mask, N, 0, places, room);
        }
    free(from);
}

int main(void) {
    const Loops *sets[3] = {&loops_baseline, NULL, NULL};
#if defined(__x86_64__)
    if (has_avx2()) sets[1] = &loops_avx2;
    if (has_avx512()) sets[2] = &loops_avx512;
#endif
    for (int i = 0; i < 3; i++) {
        if (!sets[i]) continue;
        test_masks(sets[i]);
        test_room(sets[i]);
    }
    printf("%d comparisons, %d failures\n", compared, failures);
    return failures != 0;
}
