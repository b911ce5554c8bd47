// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Maximum and minimum of contiguous elements in registers. ops.def defines the ops on two elements;
// halves and complex numbers have no such loop. Compiled only with the loops for AVX2 and AVX-512,
// which are plug-ins, to keep the library small.

enum { FOLD_BYTES = 64, FOLD_ROWS = 4 };

// Mask of the lanes in which x is chosen. A float x that is NaN is chosen; if y is NaN, x is not.
#define FOLD_CHOICE_INT(x, y, ORDER) ((x) ORDER (y))
#define FOLD_CHOICE_UINT(x, y, ORDER) FOLD_CHOICE_INT(x, y, ORDER)
#define FOLD_CHOICE_BOOL(x, y, ORDER) FOLD_CHOICE_INT(x, y, ORDER)
#define FOLD_CHOICE_FLOAT(x, y, ORDER) (((x) ORDER (y)) | ((x) != (x)))
// For fmax and fmin, which give NaN only if both operands are.
#define FOLD_NUMBER_INT(x, y, ORDER) FOLD_CHOICE_INT(x, y, ORDER)
#define FOLD_NUMBER_UINT(x, y, ORDER) FOLD_CHOICE_INT(x, y, ORDER)
#define FOLD_NUMBER_BOOL(x, y, ORDER) FOLD_CHOICE_INT(x, y, ORDER)
#define FOLD_NUMBER_FLOAT(x, y, ORDER) (((x) ORDER (y)) | ((y) != (y)))

// The last step may overlap the one before: combining elements twice is harmless for these ops.
#define FOLD(OP, ID, T, CHOICE, ORDER)                                                     \
    static void fold_##OP##_##ID(const void *from, size_t n, void *out) {                  \
        typedef T Lanes __attribute__((vector_size(FOLD_BYTES)));                          \
        enum { LANES = FOLD_BYTES / sizeof(T), ALL = FOLD_ROWS * LANES };                  \
        const T *a = from;                                                                 \
        Lanes best[FOLD_ROWS], x;                                                          \
        if (n < ALL) {                                                                     \
            T one = a[0];                                                                  \
            for (size_t i = 1; i < n; i++) one = CHOICE(one, a[i], ORDER) ? one : a[i];    \
            memcpy(out, &one, sizeof one);                                                 \
            return;                                                                        \
        }                                                                                  \
        memcpy(best, a, sizeof best);                                                      \
        for (size_t i = ALL; i < n; i += ALL) {                                            \
            if (n - i < ALL) i = n - ALL;                                                  \
            _Pragma("GCC unroll 4") for (int r = 0; r < FOLD_ROWS; r++) {                  \
                memcpy(&x, a + i + (size_t)r * LANES, sizeof x);                           \
                __typeof__(x > x) keep = CHOICE(best[r], x, ORDER);                        \
                best[r] = (Lanes)(((__typeof__(keep))best[r] & keep) | ((__typeof__(keep))x & ~keep)); \
            }                                                                              \
        }                                                                                  \
        T rest[ALL], one;                                                                  \
        memcpy(rest, best, sizeof rest);                                                   \
        one = rest[0];                                                                     \
        _Pragma("GCC unroll 1") for (size_t i = 1; i < ALL; i++)                           \
            one = CHOICE(one, rest[i], ORDER) ? one : rest[i];                             \
        memcpy(out, &one, sizeof one);                                                     \
    }

#define FOLD_FORM_PLAIN(ID, T, KIND)               \
    FOLD(MAXIMUM, ID, T, FOLD_CHOICE_##KIND, >)    \
    FOLD(MINIMUM, ID, T, FOLD_CHOICE_##KIND, <)    \
    FOLD(FMAX, ID, T, FOLD_NUMBER_##KIND, >)       \
    FOLD(FMIN, ID, T, FOLD_NUMBER_##KIND, <)
#define FOLD_FORM_HALF(ID, T, KIND)
#define FOLD_FORM_COMPLEX(ID, T, KIND)
#define FOLD_ROW(A, ID, name, CTYPE, FORM, KIND, ...) FOLD_FORM_##FORM(ID, CTYPE, KIND)
NACRE_DTYPES(FOLD_ROW, )

#define FOLD_ENTRY_PLAIN(OP, ID) [DT_##ID] = fold_##OP##_##ID,
#define FOLD_ENTRY_HALF(OP, ID)
#define FOLD_ENTRY_COMPLEX(OP, ID)
#define FOLD_ENTRY(OP, ID, name, CTYPE, FORM, ...) FOLD_ENTRY_##FORM(OP, ID)
#define FOLDS(OP) [AOP_##OP] = (const FoldFn[DT_COUNT]){NACRE_DTYPES(FOLD_ENTRY, OP)}
static const FoldFn *const op_folds[AOP_COUNT] = {FOLDS(MAXIMUM), FOLDS(MINIMUM), FOLDS(FMAX), FOLDS(FMIN)};
