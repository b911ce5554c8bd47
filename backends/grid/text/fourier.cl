// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms by Stockham's autosort algorithm with mixed radices: short rows in LOCAL memory, longer ones a
// pass at a time. Rows whose length has large prime factors are transformed by Bluestein's algorithm, as a convolution
// whose length is a power of 2. R is the float type. IN_REAL, OUT_REAL: the operand, or the result, is real. HALVED:
// the operand is the first half of a symmetric row. ROOM: points of a buffer in LOCAL memory. TELLS: flags are
// reported. Rows of an even number of real points may be packed: they are transformed as half as many complex points.

typedef struct {
    R re, im;
} Complex;

#define SEEN_INFINITE 1u
#define SEEN_NAN 2u

static inline Complex complex_of(R re, R im) {
    Complex made;
    made.re = re;
    made.im = im;
    return made;
}
static inline Complex add(Complex x, Complex y) {
    return complex_of(x.re + y.re, x.im + y.im);
}
static inline Complex sub(Complex x, Complex y) {
    return complex_of(x.re - y.re, x.im - y.im);
}
static inline Complex mul(Complex x, Complex y) {
    return complex_of(fma(x.re, y.re, -(x.im * y.im)), fma(x.re, y.im, x.im * y.re));
}

// Returns exp(sign * 2 * pi * i * part / whole), for 0 <= part < whole. The angle is reduced exactly to the first
// eighth of a turn, where Taylor's series are short.
static inline Complex root(int64_t part, int64_t whole, int64_t sign) {
    const bool is_below = 2 * part > whole;
    if (is_below) part = whole - part;
    int64_t quarters = 4 * part;
    const bool is_left = quarters > whole;
    if (is_left) quarters = 2 * whole - quarters;
    const bool is_steep = 2 * quarters > whole;
    if (is_steep) quarters = whole - quarters;
    const double x = 1.57079632679489661923 * ((double)quarters / (double)whole), y = x * x;
    double s = 1.0 / 355687428096000.0, c = 1.0 / 20922789888000.0;
    s = fma(s, y, -1.0 / 1307674368000.0);
    s = fma(s, y, 1.0 / 6227020800.0);
    s = fma(s, y, -1.0 / 39916800.0);
    s = fma(s, y, 1.0 / 362880.0);
    s = fma(s, y, -1.0 / 5040.0);
    s = fma(s, y, 1.0 / 120.0);
    s = fma(s, y, -1.0 / 6.0);
    s = fma(s * y, x, x);
    c = fma(c, y, -1.0 / 87178291200.0);
    c = fma(c, y, 1.0 / 479001600.0);
    c = fma(c, y, -1.0 / 3628800.0);
    c = fma(c, y, 1.0 / 40320.0);
    c = fma(c, y, -1.0 / 720.0);
    c = fma(c, y, 1.0 / 24.0);
    c = fma(c, y, -0.5);
    c = fma(c, y, 1.0);
    const double high = is_steep ? c : s, wide = is_steep ? s : c;
    return complex_of((R)(is_left ? -wide : wide), (R)((is_below ? -high : high) * (double)sign));
}

// --- Small transforms ------------------------------------------------------------------------------------

static inline void dft_2(Complex *v, R sign) {
    const Complex x = v[0];
    (void)sign;
    v[0] = add(x, v[1]);
    v[1] = sub(x, v[1]);
}

static inline void four(Complex *a, Complex *b, Complex *c, Complex *d, R sign) {
    const Complex s = add(*a, *c), t = sub(*a, *c), u = add(*b, *d), w = sub(*b, *d);
    const Complex turned = complex_of(-sign * w.im, sign * w.re);
    *a = add(s, u);
    *b = add(t, turned);
    *c = sub(s, u);
    *d = sub(t, turned);
}

static inline void dft_4(Complex *v, R sign) {
    four(&v[0], &v[1], &v[2], &v[3], sign);
}

static inline void dft_8(Complex *v, R sign) {
    const R half_root = (R)0.70710678118654752440;
    four(&v[0], &v[2], &v[4], &v[6], sign);
    four(&v[1], &v[3], &v[5], &v[7], sign);
    const Complex a = v[1], b = mul(v[3], complex_of(half_root, sign * half_root));
    const Complex c = complex_of(-sign * v[5].im, sign * v[5].re), d = mul(v[7], complex_of(-half_root, sign * half_root));
    const Complex e = v[0], f = v[2], g = v[4], h = v[6];
    v[0] = add(e, a), v[4] = sub(e, a);
    v[1] = add(f, b), v[5] = sub(f, b);
    v[2] = add(g, c), v[6] = sub(g, c);
    v[3] = add(h, d), v[7] = sub(h, d);
}

// Cosines and sines of 2 * pi * k / N, k from 0 to N / 2.
#define COSINES_3 {1, (R)-0.5000000000000000000000}
#define SINES_3 {0, (R)0.8660254037844386467637}
#define COSINES_5 {1, (R)0.3090169943749474241023, (R)-0.8090169943749474241023}
#define SINES_5 {0, (R)0.9510565162951535721164, (R)0.5877852522924731291687}
#define COSINES_7 {1, (R)0.6234898018587335305250, (R)-0.2225209339563144042889, (R)-0.9009688679024191262361}
#define SINES_7 {0, (R)0.7818314824680298087084, (R)0.9749279121818236070181, (R)0.4338837391175581204758}
#define COSINES_11 {1, (R)0.8412535328311811688618, (R)0.4154150130018864255293, (R)-0.1423148382732851404438, \
    (R)-0.6548607339452850640569, (R)-0.9594929736144973898904}
#define SINES_11 {0, (R)0.5406408174555975821076, (R)0.9096319953545183714117, (R)0.9898214418809327323761, \
    (R)0.7557495743542582837740, (R)0.2817325568414296977114}
#define COSINES_13 {1, (R)0.8854560256532098959004, (R)0.5680647467311558025118, (R)0.1205366802553230533491, \
    (R)-0.3546048870425356259696, (R)-0.7485107481711010986346, (R)-0.9709418174260520271570}
#define SINES_13 {0, (R)0.4647231720437685456560, (R)0.8229838658936563945796, (R)0.9927088740980539928008, \
    (R)0.9350162426854148234398, (R)0.6631226582407952023768, (R)0.2393156642875577671488}

#define ODD_DFT(N)                                                                                                   \
    static inline void dft_##N(Complex *v, R sign) {                                                                 \
        const R cosines[N / 2 + 1] = COSINES_##N, sines[N / 2 + 1] = SINES_##N;                                      \
        Complex sums[N / 2 + 1], gaps[N / 2 + 1], total = v[0];                                                      \
        const Complex first = v[0];                                                                                  \
        _Pragma("unroll") for (int r = 1; r <= N / 2; r++) {                                                         \
            sums[r] = add(v[r], v[N - r]);                                                                           \
            gaps[r] = sub(v[r], v[N - r]);                                                                           \
            total = add(total, sums[r]);                                                                             \
        }                                                                                                            \
        v[0] = total;                                                                                                \
        _Pragma("unroll") for (int s = 1; s <= N / 2; s++) {                                                         \
            Complex even = first, odd = complex_of(0, 0);                                                            \
            _Pragma("unroll") for (int r = 1; r <= N / 2; r++) {                                                     \
                const int k = r * s % N;                                                                             \
                const R c = cosines[k <= N / 2 ? k : N - k], d = k <= N / 2 ? sines[k] : -sines[N - k];             \
                even = complex_of(fma(sums[r].re, c, even.re), fma(sums[r].im, c, even.im));                         \
                odd = complex_of(fma(gaps[r].re, d, odd.re), fma(gaps[r].im, d, odd.im));                            \
            }                                                                                                        \
            const Complex turned = complex_of(-sign * odd.im, sign * odd.re);                                        \
            v[s] = add(even, turned);                                                                                \
            v[N - s] = sub(even, turned);                                                                            \
        }                                                                                                            \
    }
ODD_DFT(3)
ODD_DFT(5)
ODD_DFT(7)
ODD_DFT(11)
ODD_DFT(13)

// --- One pass over the points of a row -------------------------------------------------------------------

// Computes transform number j of the count / N of a pass. LOAD(place) reads a point, STORE(place, point) writes one.
// `stage`: product of the radices of earlier passes.
#define PASS(N, j, count, stage, sign, LOAD, STORE)                                                                  \
    case N: {                                                                                                        \
        Complex v[N];                                                                                                \
        const uint32_t within = (j) % (stage), to = ((j) - within) * N + within;                                     \
        _Pragma("unroll") for (int r = 0; r < N; r++) v[r] = LOAD((j) + (uint32_t)r * ((count) / N));                \
        if (within > 0) {                                                                                            \
            Complex powers[N];                                                                                       \
            powers[0] = complex_of(1, 0);                                                                            \
            powers[1] = root(within, (int64_t)(stage) * N, sign);                                                    \
            _Pragma("unroll") for (int r = 2; r < N; r++) powers[r] = mul(powers[r / 2], powers[r - r / 2]);         \
            _Pragma("unroll") for (int r = 1; r < N; r++) v[r] = mul(v[r], powers[r]);                               \
        }                                                                                                            \
        dft_##N(v, (R)(sign));                                                                                       \
        _Pragma("unroll") for (int r = 0; r < N; r++) STORE(to + (uint32_t)r * (stage), v[r]);                       \
        break;                                                                                                       \
    }
#define ALL_PASSES(j, count, stage, sign, LOAD, STORE) \
    PASS(2, j, count, stage, sign, LOAD, STORE)        \
    PASS(3, j, count, stage, sign, LOAD, STORE)        \
    PASS(4, j, count, stage, sign, LOAD, STORE)        \
    PASS(5, j, count, stage, sign, LOAD, STORE)        \
    PASS(7, j, count, stage, sign, LOAD, STORE)        \
    PASS(8, j, count, stage, sign, LOAD, STORE)        \
    PASS(11, j, count, stage, sign, LOAD, STORE)       \
    PASS(13, j, count, stage, sign, LOAD, STORE)

// --- Operand and result ------------------------------------------------------------------------------------

static inline int64_t row_at(CONST_REF(GridFourier) g, int64_t row, bool is_out) {
    int64_t at = is_out ? g.out.offset : g.in.offset;
    for (int d = (int)g.ndim - 1; d >= 0; d--) {
        const int64_t index = row % g.extent[d];
        at += index * (is_out ? g.out.steps[d] : g.in.steps[d]);
        row /= g.extent[d];
    }
    return at;
}

static inline void see(Complex x, GLOBAL uint32_t *seen) {
#if TELLS
    if (x.re - x.re != 0 || x.im - x.im != 0)
        ATOMIC_OR(seen, x.re != x.re || x.im != x.im ? SEEN_NAN : SEEN_INFINITE);
#endif
}

static inline Complex conjugate(Complex x) {
    return complex_of(x.re, -x.im);
}

#if HALVED
// Returns element k of the operand, the first half of a symmetric row, whose ends are real.
static inline Complex half_of(GLOBAL const char *in, int64_t k, CONST_REF(GridFourier) g) {
    Complex x = complex_of(0, 0);
    if (k < g.in.extent) x = *(GLOBAL const Complex *)(in + k * g.in.step);
    if (k == 0 || 2 * k == g.points) x.im = 0;
    return x;
}

// Returns element k of the row whose inverse transform is the packed result.
static inline Complex packed_of(GLOBAL const char *in, int64_t k, GLOBAL uint32_t *seen, CONST_REF(GridFourier) g) {
    const Complex x = half_of(in, k, g), y = half_of(in, g.length - k, g);
    const Complex odd = mul(sub(x, conjugate(y)), root(k, g.points, g.sign));
    see(x, seen);
    see(y, seen);
    return add(add(x, conjugate(y)), complex_of(-odd.im, odd.re));
}
#elif IN_REAL
static inline R real_of(GLOBAL const char *in, int64_t i, CONST_REF(GridFourier) g) {
    return i < g.in.extent ? *(GLOBAL const R *)(in + i * g.in.step) : (R)0;
}
#endif

// Returns point i of the row that begins at `in`; 0 beyond the operand's extent. Records NaN and infinities in `seen`.
static inline Complex fetch(GLOBAL const char *in, int64_t i, GLOBAL uint32_t *seen, CONST_REF(GridFourier) g) {
    Complex x = complex_of(0, 0);
#if HALVED
    if (g.is_packed) return packed_of(in, i, seen, g);
    x = half_of(in, 2 * i <= g.points ? i : g.points - i, g);
    if (2 * i > g.points) x.im = -x.im;
#elif IN_REAL
    x = g.is_packed ? complex_of(real_of(in, 2 * i, g), real_of(in, 2 * i + 1, g)) : complex_of(real_of(in, i, g), 0);
#else
    if (i < g.in.extent) x = *(GLOBAL const Complex *)(in + i * g.in.step);
#endif
    see(x, seen);
    return x;
}

typedef union {
    int64_t word;
    double value;
} Factor;

// Multiplies point i by the factor, reports its flags, and stores it. A packed point is two elements of a real result.
static inline void put(Complex x, GLOBAL char *out, int64_t i, GLOBAL const uint32_t *seen, GLOBAL uint32_t *flags,
                       CONST_REF(GridFourier) g) {
    Factor factor;
    factor.word = g.factor;
    if (i >= g.out.extent) return;
    x.re *= (R)factor.value;
    x.im *= (R)factor.value;
#if IN_REAL
    if (i == 0 || 2 * i == g.points) x.im = 0;
#endif
#if TELLS
    const bool is_pair = !OUT_REAL || g.is_packed;
    const bool is_nan = x.re != x.re || (is_pair && x.im != x.im), is_odd = x.re - x.re != 0 || (is_pair && x.im - x.im != 0);
    if (is_odd && !*seen) MEET(flags, 0, 2u); // overflow
    if (is_nan && !(*seen & SEEN_NAN)) MEET(flags, 0, 8u); // invalid
#endif
#if OUT_REAL
    if (g.is_packed) i *= 2;
    *(GLOBAL R *)(out + i * g.out.step) = x.re;
    if (g.is_packed) *(GLOBAL R *)(out + (i + 1) * g.out.step) = x.im;
#else
    *(GLOBAL Complex *)(out + i * g.out.step) = x;
#endif
}

// Computes elements k and length - k of the transform of a real row from those of the packed row, and stores them.
static inline void put_pair(Complex x, Complex y, GLOBAL char *out, int64_t k, GLOBAL const uint32_t *seen,
                            GLOBAL uint32_t *flags, CONST_REF(GridFourier) g) {
    const R part = (R)0.5;
    const Complex a = complex_of(part * x.re, part * x.im), b = complex_of(part * y.re, -part * y.im);
    const Complex even = add(a, b), turned = mul(sub(a, b), root(k, g.points, g.sign));
    const Complex odd = complex_of(turned.im, -turned.re);
    put(add(even, odd), out, k, seen, flags, g);
    if (2 * k != g.length) put(conjugate(sub(even, odd)), out, g.length - k, seen, flags, g);
}

// --- Short rows: all passes by one group ---------------------------------------------------------------------

KERNEL nacre_short(GLOBAL const char *in, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *flags,
                   const GridFourier g) {
    LOCAL Complex room[2 * ROOM];
    const uint32_t points = (uint32_t)g.length, lane = (uint32_t)LANE;
    const int64_t first = GROUP * g.together, left = g.rows - first;
    const uint32_t rows = (uint32_t)(left < g.together ? left : g.together), all = rows * points;
    const bool in_across = (g.in.step < 0 ? -g.in.step : g.in.step) > (int64_t)sizeof(Complex);
    const bool out_across = (g.out.step < 0 ? -g.out.step : g.out.step) > (int64_t)sizeof(Complex);
    for (uint32_t e = lane; e < all; e += GRID_FOURIER_LANES) {
        const uint32_t row = in_across ? e % rows : e / points, i = in_across ? e / rows : e % points;
        room[row * points + i] = fetch(in + row_at(g, g.first + first + row, false), i, seen + first + row, g);
    }
    BARRIER;
    uint32_t stage = 1, side = 0;
    for (int pass = 0; pass < (int)g.passes; pass++) {
        const uint32_t radix = (uint32_t)g.radix[pass], each = points / radix;
        const uint32_t from = side * ROOM, to_room = ROOM - from;
        for (uint32_t e = lane; e < rows * each; e += GRID_FOURIER_LANES) {
            const uint32_t row = e / each * points, j = e % each;
#define FROM_ROOM(i) room[from + row + (i)]
#define TO_ROOM(i, x) room[to_room + row + (i)] = x
            switch (radix) { ALL_PASSES(j, points, stage, g.sign, FROM_ROOM, TO_ROOM) }
        }
        stage *= radix;
        side = 1 - side;
        BARRIER;
    }
#if IN_REAL
    const uint32_t pairs = points / 2 + 1;
    if (g.is_packed) {
        for (uint32_t e = lane; e < rows * pairs; e += GRID_FOURIER_LANES) {
            const uint32_t row = out_across ? e % rows : e / pairs, k = out_across ? e / rows : e % pairs;
            const uint32_t at = side * ROOM + row * points;
            put_pair(room[at + k % points], room[at + (points - k) % points], out + row_at(g, g.first + first + row, true), k,
                     seen + first + row, flags, g);
        }
        return;
    }
#endif
    for (uint32_t e = lane; e < all; e += GRID_FOURIER_LANES) {
        const uint32_t row = out_across ? e % rows : e / points, i = out_across ? e / rows : e % points;
        put(room[side * ROOM + row * points + i], out + row_at(g, g.first + first + row, true), i, seen + first + row, flags, g);
    }
}

// --- Long rows: a pass at a time -----------------------------------------------------------------------------

KERNEL nacre_pass(GLOBAL const char *in, GLOBAL char *out, GLOBAL const Complex *before, GLOBAL Complex *behind,
                  GLOBAL uint32_t *seen, GLOBAL uint32_t *flags, const GridFourier g) {
    const uint32_t length = (uint32_t)g.length, radix = (uint32_t)g.own_radix, stage = (uint32_t)g.stage, j = (uint32_t)ITEM;
    const int64_t row = ROW;
    if (ITEM >= length / radix || row >= g.rows) return;
    GLOBAL const char *in_row = in + (g.is_first ? row_at(g, g.first + row, false) : 0);
    GLOBAL char *out_row = out + (g.is_last ? row_at(g, g.first + row, true) : 0);
    before += row * length;
    behind += row * length;
#define FROM_MEMORY(i) (g.is_first ? fetch(in_row, (i), seen + row, g) : before[i])
#define TO_MEMORY(i, x)                                               \
    do {                                                              \
        const uint32_t place_ = (i);                                  \
        if (g.is_last) put(x, out_row, place_, seen + row, flags, g); \
        else behind[place_] = x;                                      \
    } while (0)
    switch (radix) { ALL_PASSES(j, length, stage, g.inner_sign, FROM_MEMORY, TO_MEMORY) }
}

KERNEL nacre_unpack(GLOBAL const Complex *from, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *flags,
                    const GridFourier g) {
    const int64_t k = ITEM, row = ROW;
    if (k > g.length / 2 || row >= g.rows) return;
    from += row * g.length;
    put_pair(from[k], from[k ? g.length - k : 0], out + row_at(g, g.first + row, true), k, seen + row, flags, g);
}

// --- Other lengths: Bluestein ----------------------------------------------------------------------------------

static inline Complex chirp(int64_t k, int64_t points, int64_t sign) {
    return root((int64_t)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)points)), 2 * points, sign);
}

KERNEL nacre_chirp(GLOBAL Complex *to, const GridFourier g) {
    const int64_t i = ITEM, k = i < g.points ? i : g.length - i;
    if (i < g.length) to[i] = k < g.points ? chirp(k, g.points, -g.sign) : complex_of(0, 0);
}

KERNEL nacre_spread(GLOBAL const char *in, GLOBAL Complex *to, GLOBAL uint32_t *seen, const GridFourier g) {
    const int64_t i = ITEM, row = ROW;
    if (i >= g.length || row >= g.rows) return;
    Complex x = complex_of(0, 0);
    if (i < g.points) x = mul(fetch(in + row_at(g, g.first + row, false), i, seen + row, g), chirp(i, g.points, g.sign));
    to[row * g.length + i] = x;
}

KERNEL nacre_multiply(GLOBAL Complex *rows, GLOBAL const Complex *by, const GridFourier g) {
    const int64_t i = ITEM, row = ROW;
    if (i < g.length && row < g.rows) rows[row * g.length + i] = mul(rows[row * g.length + i], by[i]);
}

KERNEL nacre_collect(GLOBAL const Complex *from, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *flags,
                     const GridFourier g) {
    const int64_t i = ITEM, row = ROW;
    if (i >= g.points || row >= g.rows) return;
    const Complex x = from[row * g.length + i];
    const R part = (R)1 / (R)g.length;
    put(mul(complex_of(x.re * part, x.im * part), chirp(i, g.points, g.sign)), out + row_at(g, g.first + row, true), i,
        seen + row, flags, g);
}

// --- After transforms by a vendor's library ------------------------------------------------------------------

// Multiplies results by the factor. Sets `odd` to 1 for rows with a result that is not finite.
KERNEL nacre_scale(GLOBAL const char *in, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *odd,
                   GLOBAL uint32_t *flags, const GridFourier g) {
    const int64_t i = ITEM, row = ROW;
    Factor factor;
    factor.word = g.factor;
    if (i >= g.out.extent || row >= g.rows) return;
    GLOBAL Complex *const place = (GLOBAL Complex *)(out + row_at(g, row, true) + i * g.out.step);
    const Complex x = *place, y = complex_of(x.re * (R)factor.value, x.im * (R)factor.value);
    if (factor.value != 1) *place = y;
#if TELLS
    if (y.re - y.re != 0 || y.im - y.im != 0) odd[row] = 1;
#endif
}

// For rows with a result that is not finite: nacre_look records NaN and infinities of the operand in `seen`, then
// nacre_report reports the flags that the results raised.
KERNEL nacre_look(GLOBAL const char *in, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *odd,
                  GLOBAL uint32_t *flags, const GridFourier g) {
    const int64_t row = ROW, step = (g.points + 63) / 64;
    if (ITEM >= step || row >= g.rows || !odd[row]) return;
    GLOBAL const char *const from = in + row_at(g, row, false);
    for (int64_t i = ITEM; i < g.points; i += step)
#if IN_REAL
        see(complex_of(*(GLOBAL const R *)(from + i * g.in.step), 0), seen + row);
#else
        see(*(GLOBAL const Complex *)(from + i * g.in.step), seen + row);
#endif
}

KERNEL nacre_report(GLOBAL const char *in, GLOBAL char *out, GLOBAL uint32_t *seen, GLOBAL uint32_t *odd,
                    GLOBAL uint32_t *flags, const GridFourier g) {
#if TELLS
    const int64_t row = ROW, step = (g.points + 63) / 64;
    if (ITEM >= step || row >= g.rows || !odd[row]) return;
    for (int64_t i = ITEM; i < g.out.extent; i += step) {
        const Complex x = *(GLOBAL const Complex *)(out + row_at(g, row, true) + i * g.out.step);
        if ((x.re - x.re != 0 || x.im - x.im != 0) && !seen[row]) MEET(flags, 0, 2u); // overflow
        if ((x.re != x.re || x.im != x.im) && !(seen[row] & SEEN_NAN)) MEET(flags, 0, 8u); // invalid
    }
#endif
}
