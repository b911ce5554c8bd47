// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The table of data types, promotion and casting rules, conversion of single elements.

#include "vm/graph/dtype.h"

#include <string.h>

#include "vm/graph/half.h"

enum { PLAIN, HALF, COMPLEX };
const DTypeInfo dtype_info[DT_COUNT] = {
#define ROW(A, ID, name, ctype, FORM, KIND, kletter, tletter, base)                               \
    [DT_##ID] = {name, "numpy." name, base, DK_##KIND, kletter, tletter, sizeof(ctype), FORM == HALF},
    NACRE_DTYPES(ROW, )
#undef ROW
};

static DType of_kind(DKind kind, size_t size) {
    for (int t = 0; t < DT_COUNT; t++)
        if (dtype_info[t].kind == kind && dtype_info[t].size >= size) return (DType)t;
    return DT_FLOAT64;
}

// Returns the common type of a float type and an integer or bool type. A float type holds integers of
// at most half its size; by NumPy's rules float64 holds them all.
static DType promote_with_float(DType flt, DType other) {
    if (dtype_kind(other) == DK_BOOL) return flt;
    size_t need = dtype_size(other) >= 4 ? 8 : 2 * dtype_size(other);
    return of_kind(DK_FLOAT, need > dtype_size(flt) ? need : dtype_size(flt));
}

static DType promote_signs(DType sgn, DType uns) {
    if (dtype_size(sgn) > dtype_size(uns)) return sgn;
    size_t need = 2 * dtype_size(uns);
    return need > 8 ? DT_FLOAT64 : of_kind(DK_INT, need);
}

DType dtype_real(DType t) {
    return dtype_kind(t) == DK_COMPLEX ? of_kind(DK_FLOAT, dtype_size(t) / 2) : t;
}

DType dtype_complex(DType t) {
    if (dtype_kind(t) == DK_COMPLEX) return t;
    return of_kind(DK_COMPLEX, 2 * dtype_size(dtype_promote(DT_FLOAT16, t)));
}

DType dtype_promote(DType a, DType b) {
    DKind ka = dtype_kind(a), kb = dtype_kind(b);
    if (ka == kb) return dtype_size(a) >= dtype_size(b) ? a : b;
    if (ka == DK_COMPLEX || kb == DK_COMPLEX)
        return dtype_complex(dtype_promote(dtype_real(a), dtype_real(b)));
    if (ka == DK_FLOAT) return promote_with_float(a, b);
    if (kb == DK_FLOAT) return promote_with_float(b, a);
    if (ka == DK_BOOL) return b;
    if (kb == DK_BOOL) return a;
    return ka == DK_INT ? promote_signs(a, b) : promote_signs(b, a);
}

// Returns a type's rank in NumPy's promotion of several types: of two, the one of higher rank decides.
static int knowledge(DType t) {
    int size = (int)dtype_size(t);
    switch (dtype_kind(t)) {
    case DK_BOOL: return 0;
    case DK_INT: return 2 * size;
    case DK_UINT: return 2 * size + 1;
    case DK_FLOAT: return t == DT_FLOAT16 ? 200 : 50 + size;
    default: return 100 + size;
    }
}

void dtype_set_add(DTypeSet *set, DType t) {
    for (int i = 0; i < set->count; i++)
        if (set->types[i] == t) return;
    set->types[set->count++] = t;
}

// Like NumPy's reduce_dtypes_to_most_knowledgeable, compares types from both ends inwards and drops
// those subsumed by another, so that int16 and uint16 do not give int32 if float32 is there, too.
DType dtype_promote_all(DTypeSet *set) {
    DType *types = set->types;
    int count = set->count;
    for (int length = count; length > 1; length -= length / 2) {
        for (int low = 0; low < length / 2; low++) {
            DType *a = &types[low], *b = &types[length - 1 - low];
            if (*b == DT_NONE || *a == *b) continue;
            if (*a == DT_NONE || knowledge(*b) > knowledge(*a)) {
                DType swap = *a;
                *a = *b;
                *b = swap;
            }
            if (*b != DT_NONE && dtype_promote(*a, *b) == *a) *b = DT_NONE;
        }
    }
    DType result = count > 0 ? types[0] : DT_NONE;
    for (int i = 1; i < count; i++)
        if (types[i] != DT_NONE) result = dtype_promote(result, dtype_promote(types[0], types[i]));
    return result;
}

bool dtype_can_cast(DType from, DType to, Casting casting) {
    if (from == to || casting == CAST_UNSAFE) return true;
    if (casting <= CAST_EQUIV) return false;
    if (dtype_promote(from, to) == to) return true;
    if (casting == CAST_SAFE) return false;
    DKind kf = dtype_kind(from), kt = dtype_kind(to);
    static const int rank[DK_COUNT] = {
        [DK_BOOL] = 0, [DK_UINT] = 1, [DK_INT] = 2, [DK_FLOAT] = 4, [DK_COMPLEX] = 5};
    return rank[kf] <= rank[kt];
}

// --- Names -------------------------------------------------------------------------------------

typedef struct Alias {
    const char *name;
    DType type;
} Alias;

static const Alias aliases[] = {
    {"bool_", DT_BOOL},   {"int", DT_INT64},     {"int_", DT_INT64},    {"intp", DT_INT64},
    {"uint", DT_UINT64},  {"uintp", DT_UINT64},  {"float", DT_FLOAT64}, {"double", DT_FLOAT64},
    {"half", DT_FLOAT16}, {"single", DT_FLOAT32}, {"byte", DT_INT8},    {"ubyte", DT_UINT8},
    {"complex", DT_COMPLEX128}, {"cdouble", DT_COMPLEX128}, {"csingle", DT_COMPLEX64},
    {"short", DT_INT16},
    {"ushort", DT_UINT16}, {"intc", DT_INT32},   {"uintc", DT_UINT32},  {"long", DT_INT64},
    {"longlong", DT_INT64}, {"q", DT_INT64},     {"Q", DT_UINT64},      {"b1", DT_BOOL},
};

static bool is(const char *name, const char *text, size_t len) {
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

// Finds a type by kind letter and size in bytes ("f8", "c16"); DT_NONE if there is none.
static DType by_code(const char *text, size_t len) {
    int size = 0;
    if (len < 2 || len > 3) return DT_NONE;
    for (size_t i = 1; i < len; i++) size = 10 * size + text[i] - '0';
    for (int t = 0; t < DT_COUNT; t++)
        if (dtype_info[t].kind_letter == text[0] && dtype_info[t].size == size) return (DType)t;
    return DT_NONE;
}

static DType by_plain_name(const char *text, size_t len) {
    for (int t = 0; t < DT_COUNT; t++) {
        if (is(dtype_info[t].name, text, len)) return (DType)t;
        if (len == 1 && dtype_info[t].type_letter == text[0]) return (DType)t;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is(aliases[i].name, text, len)) return aliases[i].type;
    return by_code(text, len);
}

DType dtype_by_name(const char *text, size_t len, bool *swapped) {
    *swapped = false;
    if (len > 1 && strchr("<>=|", text[0])) {
        *swapped = text[0] == '>';
        text++;
        len--;
    }
    DType t = by_plain_name(text, len);
    if (t != DT_NONE && dtype_size(t) == 1) *swapped = false;
    return t;
}

// --- Single elements ---------------------------------------------------------------------------

int64_t dtype_min(DType t) {
    if (dtype_kind(t) != DK_INT) return 0;
    return (int64_t)(UINT64_MAX << (8 * dtype_size(t) - 1));
}

uint64_t dtype_max(DType t) {
    if (dtype_kind(t) == DK_BOOL) return 1;
    int bits = 8 * (int)dtype_size(t) - (dtype_kind(t) == DK_INT);
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

#define SET_BOOL(s, v) (s).i = (v)
#define SET_INT(s, v) (s).i = (v)
#define SET_UINT(s, v) (s).u = (v)
#define SET_FLOAT(s, v) (s).f = (v)
#define SET_COMPLEX(s, v) (s).re = __real__(v), (s).im = __imag__(v)

// Convert a Scalar s to v, a variable of type ctype.
#define FROM_BOOL(v, ctype, FORM, s) v = (ctype)(s).i
#define FROM_INT(v, ctype, FORM, s) v = (ctype)(s).i
#define FROM_UINT(v, ctype, FORM, s) v = (ctype)(s).u
#define FROM_FLOAT(v, ctype, FORM, s) v = BITS_##FORM(ctype, (s).f)
#define FROM_COMPLEX(v, ctype, FORM, s) \
    __real__ v = (__typeof__(__real__ v))(s).re, __imag__ v = (__typeof__(__real__ v))(s).im

#define VALUE_PLAIN(v) v
#define VALUE_HALF(v) half_to_float(v)
#define VALUE_COMPLEX(v) v
#define BITS_PLAIN(ctype, v) (ctype)(v)
#define BITS_HALF(ctype, v) half_from_double(v)

Scalar dtype_load(DType t, const void *at) {
    Scalar s = {.re = 0, .im = 0};
    switch (t) {
#define ROW(A, ID, name, ctype, FORM, KIND, ...) \
    case DT_##ID: {                              \
        ctype v;                                 \
        memcpy(&v, at, sizeof v);                \
        SET_##KIND(s, VALUE_##FORM(v));          \
        break;                                   \
    }
        NACRE_DTYPES(ROW, )
#undef ROW
    default: break;
    }
    return s;
}

void dtype_store(DType t, void *at, Scalar s) {
    switch (t) {
#define ROW(A, ID, name, ctype, FORM, KIND, ...) \
    case DT_##ID: {                              \
        ctype v;                                 \
        FROM_##KIND(v, ctype, FORM, s);          \
        memcpy(at, &v, sizeof v);                \
        break;                                   \
    }
        NACRE_DTYPES(ROW, )
#undef ROW
    default: break;
    }
}

// Returns whether a type is converted to through 32 bits: those of up to 32, but for uint32.
static bool is_short(DType t) {
    return dtype_size(t) < 8 && t != DT_UINT32;
}

bool dtype_holds(DType to, double d) {
    if (is_short(to)) return d > -2147483649.0 && d < 2147483648.0;
    return d >= -9223372036854775808.0 && d < (to == DT_UINT64 ? 18446744073709551616.0 : 9223372036854775808.0);
}

// Converts a double to an integer that is then cut to the type's width; what does not fit becomes what x86 makes of it.
static uint64_t integer_of_double(DType to, double d) {
    if (dtype_holds(to, d)) return d < 9223372036854775808.0 ? (uint64_t)(int64_t)d : (uint64_t)d;
    if (to == DT_UINT64 && d >= 18446744073709551616.0) return 0;
    return (uint64_t)(is_short(to) ? INT32_MIN : INT64_MIN);
}

// Truncates to a type's width.
static Scalar narrow(DType to, Scalar s) {
    char bytes[DTYPE_SIZE_MAX];
    dtype_store(to, bytes, s);
    return dtype_load(to, bytes);
}

Scalar dtype_convert(DType from, DType to, Scalar s) {
    if (from == to) return s;
    DKind kf = dtype_kind(from), kt = dtype_kind(to);
    bool inexact = dtype_is_inexact(from);
    Scalar r = {.re = 0, .im = 0};
    switch (kt) {
    case DK_BOOL: r.i = !inexact ? s.i != 0 : s.f != 0 || (kf == DK_COMPLEX && s.im != 0); return r;
    case DK_INT:
    case DK_UINT: r.u = inexact ? integer_of_double(to, s.f) : s.u; break;
    default:
        r.f = inexact ? s.f : kf == DK_UINT ? (double)s.u : (double)s.i;
        r.im = kf == DK_COMPLEX && kt == DK_COMPLEX ? s.im : 0;
    }
    return narrow(to, r);
}
