// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The exceptions that compiled functions are left with, in the interpreter's words.

#include <math.h>
#include <string.h>

#include "rt/rt.h"

#define VALUE(...)    rt_fail(rt, NACRE_RT_VALUE_ERROR, "ValueError", __VA_ARGS__)
#define OVERFLOW(...) rt_fail(rt, NACRE_RT_OVERFLOW, "OverflowError", __VA_ARGS__)
#define DIVISION(...) rt_fail(rt, NACRE_RT_ZERO_DIVISION, "ZeroDivisionError", __VA_ARGS__)
#define INDEX(...)    rt_fail(rt, NACRE_RT_INDEX_ERROR, "IndexError", __VA_ARGS__)

static int no_division(nacre_rt *rt, const nacre_rt_site *site, const nacre_rt_slot *v) {
    switch ((DivisionKind)site->detail) {
    case DIVISION_TRUE: return DIVISION("division by zero");
    case DIVISION_FLOAT: return DIVISION("float division by zero");
    case DIVISION_FLOOR:
        return v[0].i ? OVERFLOW("an int of more than 64 bits")
                      : DIVISION("integer division or modulo by zero");
    case DIVISION_MODULO: return DIVISION("integer modulo by zero");
    }
    return NACRE_RT_MISUSE;
}

// Functions that grow beyond all bounds, of a number that is one.
static bool is_range(int function, double x) {
#define NAME(name) #name,
    static const char *const names[] = {NACRE_REGION_FUNCTIONS(NAME)};
#undef NAME
    const char *name = names[function];
    return isfinite(x) &&
           (strcmp(name, "exp") == 0 || strcmp(name, "sinh") == 0 || strcmp(name, "cosh") == 0);
}

static int no_power(nacre_rt *rt, double a, double b) {
    if (a == 0 && b < 0) return DIVISION("0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return VALUE("a negative number raised to a fraction is complex");
    return OVERFLOW("(34, 'Numerical result out of range')");
}

static int no_int(nacre_rt *rt, double x) {
    if (isnan(x)) return VALUE("cannot convert float NaN to integer");
    if (isinf(x)) return OVERFLOW("cannot convert float infinity to integer");
    return OVERFLOW("an int of more than 64 bits");
}

static int no_index(nacre_rt *rt, const nacre_rt_site *site, const nacre_rt_slot *v) {
    return INDEX("index %lld is out of bounds for axis %d with size %lld", (long long)v[0].i,
                 site->detail, (long long)v[1].i);
}

static int raised(nacre_rt *rt, const nacre_rt_site *site) {
    static const struct {
        const char *cls;
        nacre_rt_status status;
    } known[] = {{"ValueError", NACRE_RT_VALUE_ERROR},
                 {"IndexError", NACRE_RT_INDEX_ERROR},
                 {"ZeroDivisionError", NACRE_RT_ZERO_DIVISION},
                 {"OverflowError", NACRE_RT_OVERFLOW},
                 {"MemoryError", NACRE_RT_MEMORY}};
    nacre_rt_status status = NACRE_RT_RAISED;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(site->cls, known[i].cls) == 0) status = known[i].status;
    return rt_fail(rt, status, site->cls, "%s", site->text);
}

int nacre_rt_leave(nacre_rt *rt, const nacre_rt_site *site, const nacre_rt_slot *v) {
    rt->file = site->file;
    rt->function = site->function;
    rt->line = site->line;
    switch ((RegionWhy)site->why) {
    case LEFT_RAISE: return raised(rt, site);
    case LEFT_INDEX: return no_index(rt, site, v);
    case LEFT_TAKEN:
        return INDEX("an index is out of bounds for axis 0 with size %lld", (long long)v[0].i);
    case LEFT_EXTENTS:
        return VALUE("operands could not be broadcast together: %lld and %lld elements in one "
                     "dimension",
                     (long long)v[0].i, (long long)v[1].i);
    case LEFT_OVERFLOW: return OVERFLOW("an int of more than 64 bits");
    case LEFT_BOUNDS:
        return OVERFLOW("Python integer %lld out of bounds for %s", (long long)v[0].i,
                        dtype_info[site->detail].name);
    case LEFT_EXACT: return OVERFLOW("%lld is no float exactly", (long long)v[0].i);
    case LEFT_DIVISION: return no_division(rt, site, v);
    case LEFT_SHIFT:
        return v[0].i < 0 ? VALUE("negative shift count") : OVERFLOW("an int of more than 64 bits");
    case LEFT_STEP:
        return v[0].i == 0 ? VALUE("range() arg 3 must not be zero")
                           : VALUE("a range backwards has to have a constant for its step");
    case LEFT_LIBRARY:
        return is_range(site->detail, v[0].f) ? OVERFLOW("math range error")
                                              : VALUE("math domain error");
    case LEFT_POWER: return no_power(rt, v[0].f, v[1].f);
    case LEFT_INT: return no_int(rt, v[0].f);
    case LEFT_EMPTY:
        return VALUE("zero-size array to reduction operation %s which has no identity",
                     op_info[op_info[site->detail].combine].name);
    case LEFT_NEGATIVE: return VALUE("negative dimensions are not allowed");
    case LEFT_MEMORY: return rt_fail(rt, NACRE_RT_MEMORY, "MemoryError", "%s", "");
    case LEFT_NONE:
    case LEFT_RETURN: break;
    }
    return NACRE_RT_MISUSE;
}
