// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that ask what kind of characters a text has (isalpha and its family).

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

// Every character has one of the properties; `empty` is the answer for an empty text.
static Status all_are(const Value *args, unsigned properties, bool empty, Value *out) {
    Str *s = self_str(args);
    bool all = s->len > 0 || empty;
    for (const char *at = s->data; all && at < str_end(s);)
        all = uni_is(str_next(&at, str_end(s)), properties);
    *out = v_bool(all);
    return ST_OK;
}

#define ALL_ARE(name, properties, empty)                                   \
    Status str_m_##name(Vm *vm, const Value *args, Value *out) {           \
        (void)vm;                                                          \
        return all_are(args, properties, empty, out);                      \
    }
ALL_ARE(isalpha, UNI_ALPHA, false)
ALL_ARE(isdecimal, UNI_DECIMAL, false)
ALL_ARE(isdigit, UNI_DIGIT, false)
ALL_ARE(isnumeric, UNI_NUMERIC, false)
ALL_ARE(isalnum, UNI_ALPHA | UNI_DECIMAL | UNI_DIGIT | UNI_NUMERIC, false)
ALL_ARE(isspace, UNI_SPACE, false)
ALL_ARE(isprintable, UNI_PRINTABLE, true)

Status str_m_isascii(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(str_is_ascii(self_str(args)));
    return ST_OK;
}

Status str_m_isidentifier(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    Str *s = self_str(args);
    const char *at = s->data, *end = str_end(s);
    bool good = at < end && uni_is(str_next(&at, end), UNI_ID_START);
    while (good && at < end) good = uni_is(str_next(&at, end), UNI_ID_CONTINUE);
    *out = v_bool(good);
    return ST_OK;
}

// At least one cased character, and none of the other case (title case counts as the other).
static bool all_cased(const Str *s, bool (*is_case)(uint32_t), bool (*is_other)(uint32_t)) {
    bool any = false;
    for (const char *at = s->data; at < str_end(s);) {
        uint32_t cp = str_next(&at, str_end(s));
        if (is_other(cp) || uni_is(cp, UNI_TITLE)) return false;
        any = any || is_case(cp);
    }
    return any;
}

Status str_m_islower(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(all_cased(self_str(args), uni_is_lower, uni_is_upper));
    return ST_OK;
}

Status str_m_isupper(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(all_cased(self_str(args), uni_is_upper, uni_is_lower));
    return ST_OK;
}

// Capitals only where a word begins, small letters only inside one.
Status str_m_istitle(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    Str *s = self_str(args);
    bool any = false, inside = false, good = true;
    for (const char *at = s->data; good && at < str_end(s);) {
        uint32_t cp = str_next(&at, str_end(s));
        bool capital = uni_is_upper(cp) || uni_is(cp, UNI_TITLE), small = uni_is_lower(cp);
        good = !(capital && inside) && !(small && !inside);
        inside = capital || small;
        any = any || inside;
    }
    *out = v_bool(good && any);
    return ST_OK;
}
