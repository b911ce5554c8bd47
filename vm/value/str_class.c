// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that ask what kind of characters a text has (isalpha and its family).

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

// Returns in *out whether every character has one of the properties; `empty` is the result for an empty text.
static Status all_are(Vm *vm, const Value *args, unsigned properties, bool empty, Value *out) {
    Str *s = self_str(args);
    bool all = s->len > 0 || empty;
    size_t n = 0;
    for (const char *at = s->data; all && at < str_end(s); n++) {
        all = uni_is((unsigned char)*at < 0x80 ? (uint32_t)*at++ : (uint32_t)str_next(&at, str_end(s)), properties);
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
    }
    *out = v_bool(all);
    return ST_OK;
}

#define ALL_ARE(name, properties, empty)                                   \
    Status str_m_##name(Vm *vm, const Value *args, Value *out) {           \
        return all_are(vm, args, properties, empty, out);                      \
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
    Str *s = self_str(args);
    const char *at = s->data, *end = str_end(s);
    bool good = at < end && uni_is(str_next(&at, end), UNI_ID_START);
    for (size_t n = 0; good && at < end; n++) {
        good = uni_is(str_next(&at, end), UNI_ID_CONTINUE);
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
    }
    *out = v_bool(good);
    return ST_OK;
}

// Returns in *out whether there is a cased character, and none of the other case (title case counts as the other).
static Status all_cased(Vm *vm, const Str *s, bool (*is_case)(uint32_t), bool (*is_other)(uint32_t), Value *out) {
    bool any = false, good = true;
    size_t n = 0;
    for (const char *at = s->data; good && at < str_end(s); n++) {
        uint32_t cp = str_next(&at, str_end(s));
        good = !is_other(cp) && !uni_is(cp, UNI_TITLE);
        any = any || is_case(cp);
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
    }
    *out = v_bool(good && any);
    return ST_OK;
}

Status str_m_islower(Vm *vm, const Value *args, Value *out) {
    return all_cased(vm, self_str(args), uni_is_lower, uni_is_upper, out);
}

Status str_m_isupper(Vm *vm, const Value *args, Value *out) {
    return all_cased(vm, self_str(args), uni_is_upper, uni_is_lower, out);
}

// Tests that capitals are only where a word begins, and small letters only inside one.
Status str_m_istitle(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    bool any = false, inside = false, good = true;
    size_t n = 0;
    for (const char *at = s->data; good && at < str_end(s); n++) {
        uint32_t cp = str_next(&at, str_end(s));
        bool capital = uni_is_upper(cp) || uni_is(cp, UNI_TITLE), small = uni_is_lower(cp);
        good = !(capital && inside) && !(small && !inside);
        inside = capital || small;
        any = any || inside;
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
    }
    *out = v_bool(good && any);
    return ST_OK;
}
